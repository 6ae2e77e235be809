from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject

BROKER = "10.0.0.1:10911"


def _event(kind: str, at: str) -> LogEvent:
    return LogEvent(
        kind=kind,
        count=1,
        first=at,
        last=at,
        values={"silent_ms": 120_000} if kind == "broker-expired" else {},
        subjects=(LogSubject(broker=BROKER, count=1, first=at, last=at),),
    )


def fires() -> Facts:
    """Nothing came from 10.0.0.1:10911 for two minutes."""
    events = (
        _event("broker-registered", "2026-11-28T09:00:00"),
        _event("broker-expired", "2026-11-28T09:20:00"),
    )
    return Facts(logs=LogsFacts(events=events, lines=500))


def silent() -> Facts:
    """The broker took leave, and came again."""
    events = (
        _event("broker-removed", "2026-11-28T09:20:00"),
        _event("broker-registered", "2026-11-28T09:21:00"),
    )
    return Facts(logs=LogsFacts(events=events, lines=500))

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject

FAILED, ASKED = "send-no-route", "route-not-known"


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=3,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        subjects=(LogSubject(topic="orders", count=3),),
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Three sends to a topic without a route."""
    return _facts(FAILED)


def silent() -> Facts:
    """The topic is made by the first sends."""
    return _facts(ASKED)

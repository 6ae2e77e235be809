from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=1,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:01+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Another process holds the store."""
    return _facts("start-store-locked")


def silent() -> Facts:
    """Something else."""
    return _facts("pool-low")

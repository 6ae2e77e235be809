from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=6,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:01:01+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Six measurements gave -1."""
    return _facts("disk-not-measured")


def silent() -> Facts:
    """The disk was measured."""
    return _facts("disk-reclaimed")

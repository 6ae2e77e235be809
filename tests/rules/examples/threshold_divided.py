from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=3,
        first="2026-11-21T12:00:00",
        last="2026-11-21T12:01:00",
        values={"smallest_pullThresholdForQueue": 40, "largest_pullThresholdForQueue": 500},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """500 to 50, 50 to 40."""
    return _facts("threshold-divided")


def silent() -> Facts:
    """No such line."""
    return _facts("offset-fixed")

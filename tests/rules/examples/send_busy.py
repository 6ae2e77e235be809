from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts


def _facts(count: int) -> Facts:
    event = LogEvent(
        kind="busy-timeout-clean",
        side="client",
        count=count,
        first="2026-11-21T12:00:00",
        last="2026-11-21T12:05:00",
        peak_per_minute=count,
        peak_at="2026-11-21T12:00:00",
        values={"longest_wait_ms": 217, "largest_queue": 3},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Three hundred answers in five minutes."""
    return _facts(300)


def silent() -> Facts:
    """One, after a pause of the broker."""
    return _facts(1)

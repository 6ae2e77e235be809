from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts

NOT_AVAILABLE = "service-not-available"


def _facts(percent: int, count: int) -> Facts:
    event = LogEvent(
        kind=NOT_AVAILABLE,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:01:09+08:00",
        values={"largest_percent": percent},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Forty refusals of a broker with disks of which 31 % are in use."""
    return _facts(31, 40)


def silent() -> Facts:
    """The disk is full, which disk-full says."""
    return _facts(93, 40)

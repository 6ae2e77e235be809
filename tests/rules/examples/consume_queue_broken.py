from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject

ORDER, TAIL_LOST = "consume-queue-order", "commit-log-tail-lost"


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=3,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        subjects=(LogSubject(topic="orders", count=3),),
        values={"largest_gap_bytes": 60},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Three entries are missing."""
    return _facts(ORDER)


def silent() -> Facts:
    """Something else."""
    return _facts("pool-low")

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogGroup, LogsFacts, LogSubject

BEYOND, DELETED, NO_ANSWER = (
    "pop-offset-beyond-queue",
    "pop-offset-deleted",
    "pop-offset-without-answer",
)


def _facts(kind: str) -> Facts:
    first, last = "2026-11-21T20:00:01+08:00", "2026-11-21T20:00:01+08:00"
    event = LogEvent(
        kind=kind,
        side="broker",
        count=4,
        first=first,
        last=last,
        subjects=(LogSubject(group="CID_points", topic="orders", queue_id=0, count=4),),
        groups=(LogGroup(group="CID_points", count=4, first=first, last=last),),
        values={"largest_gap": 426},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Four queues had positions up to 426 messages beyond their end."""
    return _facts(BEYOND)


def silent() -> Facts:
    """Messages come back a few seconds late, as always."""
    return _facts("pop-revive-late")

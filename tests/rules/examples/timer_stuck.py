from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts

ENQUEUE, DEQUEUE, NOT_READ = "timer-enqueue-failed", "timer-dequeue-failed", "timer-message-not-read"


def _facts(count: int) -> Facts:
    first, last = "2026-11-21T20:00:01+08:00", "2026-11-21T20:01:01+08:00"
    failed = LogEvent(kind=ENQUEUE, side="broker", count=count, first=first, last=last)
    frames = LogEvent(kind=NOT_READ, side="broker", count=count, first=first, last=last)
    return Facts(logs=LogsFacts(events=(failed, frames), lines=5000))


def fires() -> Facts:
    """Six hundred times in a minute."""
    return _facts(600)


def silent() -> Facts:
    """Once in a long log."""
    return _facts(1)

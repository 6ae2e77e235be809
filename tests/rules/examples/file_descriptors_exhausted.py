from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject

EXHAUSTED, STARTED, SHUT_DOWN = "descriptors-exhausted", "client-started", "client-shut-down"


def _facts(kind: str, clients: int = 0) -> Facts:
    first, last = "2026-11-21T20:00:01+08:00", "2026-11-21T20:00:09+08:00"
    failed = LogEvent(
        kind=kind,
        count=2,
        first=first,
        last=last,
        subjects=(LogSubject(thread="NettyBoss_1", count=2),),
    )
    started = LogEvent(kind=STARTED, side="client", count=clients, first=first, last=last)
    return Facts(logs=LogsFacts(events=(failed, started) if clients else (failed,), lines=5000))


def fires() -> Facts:
    """Two connections could not be accepted."""
    return _facts(EXHAUSTED)


def silent() -> Facts:
    """Two threads could not be made."""
    return _facts("thread-limit-reached")

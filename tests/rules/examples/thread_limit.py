from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        count=2,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        subjects=(LogSubject(thread="RocketmqClientAsyncWorker-1021-7", count=2),),
        values={"largest_client_number": 1021},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Client number 1,021 of one process got no thread."""
    return _facts("thread-limit-reached")


def silent() -> Facts:
    """Another error."""
    return _facts("out-of-memory")

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject

NO_ANSWER, CALL_TIMEOUT, REFUSED = "send-no-answer", "send-call-timeout", "send-not-connected"


def _facts(kind: str, count: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        subjects=(LogSubject(topic="orders", broker="broker-a", count=count),),
        values={"largest_wait_ms": 3000},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Five sends in a row got no answer in three seconds."""
    return _facts(NO_ANSWER, 5)


def silent() -> Facts:
    """One in a long log."""
    return _facts(NO_ANSWER, 1)

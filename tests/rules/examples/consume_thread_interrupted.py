from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts

QUEUE, LISTENER = "queue-change-interrupted", "listener-interrupted"


def _facts(count: int) -> Facts:
    event = LogEvent(
        kind=QUEUE,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:05:09+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Twelve times in five minutes, and no shutdown."""
    return _facts(12)


def silent() -> Facts:
    """Once in a long log."""
    return _facts(1)

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts

NOT_SET, NOT_CONNECTED, NO_ANSWER = "name-server-not-set", "name-server-not-connected", "name-server-no-answer"


def _facts(count: int) -> Facts:
    event = LogEvent(
        kind=NOT_CONNECTED,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Three attempts in a row."""
    return _facts(3)


def silent() -> Facts:
    """One in a long log, as when a name server restarts."""
    return _facts(1)

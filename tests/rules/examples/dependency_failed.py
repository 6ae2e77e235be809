from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts


def _facts(count: int) -> Facts:
    event = LogEvent(
        kind="database-sessions-full",
        side="client",
        count=count,
        example="FATAL: sorry, too many clients already",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """A database has no session left, three times."""
    return _facts(3)


def silent() -> Facts:
    """Once in a long log."""
    return _facts(1)

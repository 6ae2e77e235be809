from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts

NO_GROUP, NOT_LATEST, NOT_PARSABLE, NO_TOPIC, NOT_CREATED = (
    "pull-refused-no-group",
    "pull-refused-not-latest",
    "pull-refused-not-parsable",
    "pull-refused-no-topic",
    "pull-refused-no-such-group",
)


def _facts(kind: str, count: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:01:09+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Forty refusals in a minute: the group is not known."""
    return _facts(NO_GROUP, 40)


def silent() -> Facts:
    """Three in a long log, as at a start."""
    return _facts(NO_GROUP, 3)

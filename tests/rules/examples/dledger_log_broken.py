from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts


def _facts(kind: str, count: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:01:01+08:00",
        values={"largest_missing": 245_000_000},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """The leader was asked for an entry that it has deleted."""
    return _facts("dledger-entry-not-held", 1)


def silent() -> Facts:
    """One vote was refused, as in an ordinary election."""
    return _facts("dledger-vote-refused", 1)

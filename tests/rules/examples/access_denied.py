from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts


def _facts(kind: str) -> Facts:
    event = LogEvent(kind=kind, count=3, first="2026-11-21T20:00:01+08:00", last="2026-11-21T20:00:09+08:00")
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Three requests came without a key."""
    return _facts("access-no-key")


def silent() -> Facts:
    """Something else."""
    return _facts("pool-low")

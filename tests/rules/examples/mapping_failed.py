from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=2,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        values={"consume_queue": 1},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Two files of a consume queue could not be mapped."""
    return _facts("map-failed")


def silent() -> Facts:
    """Something else."""
    return _facts("pool-low")

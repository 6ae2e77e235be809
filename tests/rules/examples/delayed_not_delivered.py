from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject


def _facts(lines: int) -> Facts:
    span = {"first": "2026-11-28T17:36:34+08:00", "last": "2026-11-28T17:38:57+08:00"}
    tried = LogEvent(
        kind="delayed-not-put",
        side="broker",
        count=lines,
        values={"offset": 57},
        subjects=(LogSubject(topic="orders", queue_id=4, count=lines, **span),),  # type: ignore[arg-type]
        **span,  # type: ignore[arg-type]
    )
    return Facts(logs=LogsFacts(events=(tried,), lines=5000))


def fires() -> Facts:
    """Level 5 tried one message 1,353 times."""
    return _facts(1353)


def silent() -> Facts:
    """Nine times."""
    return _facts(9)

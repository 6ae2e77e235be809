from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=17,
        first="2026-11-21T12:02:00",
        last="2026-11-21T12:03:00",
        peak_per_minute=16,
        peak_at="2026-11-21T12:02:00",
        subjects=(LogSubject(group="CID_wash", topic="segments", queue_id=1, count=17),),
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Seventeen messages went back."""
    return _facts("expired-sent-back")


def silent() -> Facts:
    """Failed messages went back, which is another fault."""
    return _facts("consume-exception")

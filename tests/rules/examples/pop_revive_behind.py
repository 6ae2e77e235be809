from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts

REFUSED, LATE = "pop-refused-without-timer", "pop-revive-late"


def _facts(kind: str, delay_s: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=30,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:10:01+08:00",
        peak_per_minute=4,
        peak_at="2026-11-21T20:03:00+08:00",
        values={"largest_delay_s": delay_s},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Thirty rounds in ten minutes, up to 140 s late."""
    return _facts(LATE, 140)


def silent() -> Facts:
    """Up to 45 s late."""
    return _facts(LATE, 45)

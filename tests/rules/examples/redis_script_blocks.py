from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts


def _facts(scripts: int, refused: int) -> Facts:
    span = {"first": "2026-11-28T09:15:48", "last": "2026-11-28T09:17:04"}
    slow = LogEvent(kind="redis-slow-script", count=scripts, values={"longest_ms": 5009}, **span)  # type: ignore[arg-type]
    busy = LogEvent(kind="redis-busy", side="client", count=refused, **span)  # type: ignore[arg-type]
    return Facts(logs=LogsFacts(events=(slow, busy), lines=5000))


def fires() -> Facts:
    """Nine scripts ran for 5 s and longer, and 5,260 commands were refused."""
    return _facts(9, 5260)


def silent() -> Facts:
    """One script was slow, once."""
    return _facts(1, 9)

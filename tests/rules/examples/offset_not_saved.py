from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.offset_logs import OffsetReset


def _facts(count: int) -> Facts:
    row = OffsetReset(
        group="CID_feed",
        topic="orders",
        requested=156_000,
        given=172_000,
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:41+08:00",
        sides=("broker",),
    )
    return Facts(logs=LogsFacts(offset_resets=(row,)))


def fires() -> Facts:
    """Three times the same correction."""
    return _facts(3)


def silent() -> Facts:
    """Twice: two queues, or two instances."""
    return _facts(2)

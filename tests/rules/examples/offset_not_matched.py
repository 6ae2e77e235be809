from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.offset_logs import OffsetNotMatched
from mqdiag.facts.vocabulary import OffsetPlace


def _facts(thread: str, place: OffsetPlace) -> Facts:
    row = OffsetNotMatched(
        thread=thread,
        place=place,
        count=5000,
        peak_per_minute=2500,
        requested=5_870_000,
        first_offset=0,
        last_offset=5_242_880,
        first="2026-11-21T20:01:00+08:00",
        last="2026-11-21T20:02:00+08:00",
    )
    return Facts(logs=LogsFacts(not_matched=(row,)))


def fires() -> Facts:
    """The slave's connection asks for data beyond the end."""
    return _facts("WriteSocketService", "beyond-last")


def silent() -> Facts:
    """The end of the last full file: logged as often, and harmless."""
    return _facts("FlushConsumeQueueService", "full-file-edge")

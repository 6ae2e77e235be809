from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.facts.offset_logs import OffsetNotMatched

THREAD = "PullMessageThread"


def _facts(count: int) -> Facts:
    row = OffsetNotMatched(
        thread=THREAD,
        place="below-first",
        count=count,
        peak_per_minute=count,
        requested=1000,
        first_offset=5_242_880,
        last_offset=13_631_488,
        first="2026-11-21T20:08:00+08:00",
        last="2026-11-21T20:08:50+08:00",
    )
    named = LogEvent(
        kind="offset-too-small",
        count=3,
        first="2026-11-21T20:08:00+08:00",
        last="2026-11-21T20:08:40+08:00",
        subjects=(LogSubject(group="CID_late", topic="orders", count=3),),
    )
    return Facts(logs=LogsFacts(not_matched=(row,), events=(named,)))


def fires() -> Facts:
    """Two hundred pulls in a minute ask for data before the first commit log file."""
    return _facts(200)


def silent() -> Facts:
    """Three do, as when the broker deletes a file that a slow consumer reads."""
    return _facts(3)

"""Lines of the JVM about its pauses: garbage collections and safepoints, wherever they are written to."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.pause_lines import tells_nothing

_SHARE = lazy_pattern(r"overhead, spent \[([\d.]{1,8})(m?s)\] collecting in the last \[([\d.]{1,8})(m?s)\]")
_HALF, _QUARTER = 0.5, 0.25


def collection(message: Message, log: LogTally) -> None:
    """A line about a garbage collection."""
    # any line may be the first with a zone
    if log.zone_minutes is not None and tells_nothing(message.hit.line):
        return
    log.gc.see(message, log.at(message))


def stopped(message: Message, log: LogTally) -> None:
    """A pause of the whole JVM by its parts."""
    log.safepoints.see(message, log.at(message))


def share_measured(message: Message, log: LogTally) -> None:
    """A program measured how much of a second or so went into collections."""
    found = _SHARE.search(message.text)
    if found is None:
        return
    spent, total = _seconds(found[1], found[2]), _seconds(found[3], found[4])
    if spent is None or not total:
        return
    if spent >= _HALF * total:
        log.add("gc-over-half", message)
    elif spent >= _QUARTER * total:
        log.add("gc-over-quarter", message)


def _seconds(number: str, unit: str) -> float | None:
    try:
        return float(number) / (1000 if unit == "ms" else 1)
    except ValueError:
        return None

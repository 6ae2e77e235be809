"""The usual lines of -Xlog:gc, read as they are: a log of collections has a thousand of them in each MiB.

What is not of this form, or stands in a collector's wrapper, is left to `mqdiag.logs.collections`.
"""

from __future__ import annotations

from functools import lru_cache

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.levels import DIGITS

_SIZE = rb"(\d{1,15}[BKMG])"
USUAL = lazy_pattern(
    rb"(?:\[\d{4}-[\dT:.,+-]{20,30}\])?\[(\d{1,12}[.,]\d{3})s\][][a-z, ]{1,160} GC\(\d{1,15}\) "
    # all in printable ASCII, for which bytes and text are the same
    rb"(Pause [ '-~]{1,240}) " + _SIZE + rb"->" + _SIZE + rb"\(" + _SIZE + rb"\) "
    rb"(\d{1,12}(?:[.,]\d{1,9})?)ms\s*"
)
"""uptime, the kind of pause with its causes, bytes in use before and after, capacity, milliseconds"""
_UNIT = {ord("B"): 1, ord("K"): 1 << 10, ord("M"): 1 << 20, ord("G"): 1 << 30}


def tells_nothing(line: bytes) -> bool:
    """Whether it only says that a pause begins, without a duration; half of all lines about pauses do."""
    return _begins_a_pause(line.translate(None, DIGITS))


@lru_cache(maxsize=4096)
def _begins_a_pause(line: bytes) -> bool:
    """The same of a line without its digits, which tell nothing here."""
    return not (
        b"ms" in line
        or b"GC(" not in line
        # a cycle of ZGC, which tells the heap and no duration
        or b"Collection (" in line
        or b"To-space exhausted" in line
        or b"Evacuation Failure" in line
        or b"Allocation Stall (" in line
        # colours may stand within a word, and JSON may write a letter as a number
        or b"\x1b" in line
        or line.rstrip().endswith(b"}")
    )


@lru_cache(maxsize=4096)
def size_in_bytes(shown: bytes) -> int:
    """Bytes by what `USUAL` finds, such as "12M"; a log repeats few sizes."""
    return int(shown[:-1]) * _UNIT[shown[-1]]

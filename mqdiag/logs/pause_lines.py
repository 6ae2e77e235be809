"""Lines of -Xlog:gc that only say that a pause begins."""

from __future__ import annotations

from functools import lru_cache

from mqdiag.read.logs.levels import DIGITS


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

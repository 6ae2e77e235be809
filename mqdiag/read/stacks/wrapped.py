"""Lines that a terminal or a ticket system wrapped at one column are joined again."""

from __future__ import annotations

from itertools import pairwise

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.wrappers import METHOD

LEAST_COLUMNS, MOST_COLUMNS = 60, 240
LEAST_WRAPPED = 3
"""lines that reach the last column and go on in the next line"""
MOST_LOOKED_AT = 2_000
"""lines that show whether text is wrapped"""
_BEGINS = lazy_pattern(
    rf'\s*$|"|\s+{METHOD}|\s*- (?:locked|waiting|parking|eliminated|None|<)|\s+java\.lang\.Thread\.State'
    r"|\s+Locked ownable|Full thread dump|\d{4}-\d\d-\d\d|\d+:$|JNI global|Found one|=====|Threads class SMR"
    r'|_java_thread_list|--$|#\d{1,18} "'
)
"""how lines of a dump begin that go on no other line"""


def wrapped_at(text: str) -> int | None:
    """The column at which text is wrapped; None where it is not."""
    lines = text.split("\n")[:MOST_LOOKED_AT]
    # in a text without wrapping hardly two of the longest lines have one length
    lengths = list(map(len, lines))
    columns = max(lengths)
    if not LEAST_COLUMNS <= columns <= MOST_COLUMNS or lengths.count(columns) < LEAST_WRAPPED:
        return None
    follow = [after for line, after in pairwise(lines) if len(line) == columns]
    goes_on = sum(_BEGINS.match(line) is None for line in follow)
    return columns if goes_on >= LEAST_WRAPPED and 2 * goes_on > len(follow) else None


class Joined:
    """Joins the parts of each wrapped line; pieces of text come one after the other."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._open = ""
        """a line, or what is joined of it, that may go on in the next piece"""
        self._is_full = False
        """its last part reached the last column"""

    def __call__(self, piece: str) -> str:
        """A piece with whole lines, without a line that may go on."""
        out: list[str] = []
        for line in piece.split("\n")[: -1 if piece.endswith("\n") else None]:
            if self._is_full and _BEGINS.match(line) is None:
                self._open += line
            else:
                if self._is_full:
                    out.append(self._open)
                self._open = line
            self._is_full = len(line) == self._columns
            if not self._is_full:
                out.append(self._open)
        return "".join(f"{line}\n" for line in out)

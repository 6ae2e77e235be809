"""Whether something cut the lines of a log at one column: a pager, a screen, `cut -c`, or a tool that shortens.

What stands at the end of such a line is the beginning of a value or of a word, and the rest of the line is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from mqdiag.read.logs.levels import DIGITS, SAME_DIGITS
from mqdiag.read.logs.shape import SAMPLE_LINES

LEAST_COLUMN = 40
LEAST_FULL = 5
"""lines that end at the column"""
LEAST_SHARE = 20
"""a part of all lines, 1 / 20, that end there"""
LEAST_TEXTS = 3
"""different texts among them: lines of one statement may be equally long by themselves"""
NEAR_COLUMNS = 10
"""columns before it, of which none has a third as many line ends"""
LONGEST_END = 12
"""characters of such a value, such as a hash"""
SHORT_END = 4
_OF_NUMBERS = DIGITS + b".,"
_ELLIPSIS = "…".encode()


def column_of_cuts(head: bytes) -> int | None:
    """The column at which lines were cut, in bytes or in characters; None where lines end by themselves."""
    lines = [line.rstrip(b"\r") for line in head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES]]
    lines = [line for line in lines[: -1 if len(lines) < SAMPLE_LINES else None] if line]
    ways: tuple[Callable[[bytes], int], ...] = (len, lambda line: len(line.decode(errors="replace")))
    return next((column for way in ways if (column := _column(lines, way)) is not None), None)


def _column(lines: list[bytes], width_of: Callable[[bytes], int]) -> int | None:
    widths = Counter(map(width_of, lines))
    column = max(widths, default=0)
    count = widths[column]
    if column < LEAST_COLUMN or count < LEAST_FULL or LEAST_SHARE * count < len(lines):
        return None
    if any(3 * widths[column - near] > count for near in range(1, NEAR_COLUMNS + 1)):
        return None
    full = [line for line in lines if width_of(line) == column]
    # lines of one statement differ in numbers and in a value at their end, those of a table end alike
    texts = {line[:-LONGEST_END].translate(None, DIGITS) for line in full}
    ends = {line[-SHORT_END:].translate(SAME_DIGITS) for line in full}
    return column if min(len(texts), len(ends)) >= LEAST_TEXTS else None


def with_open_end(line: bytes, literal: bytes, column: int | None) -> bytes:
    """A line that was cut, without the number that it ends in, and with an ellipsis.

    Args:
        line: any line of the log.
        literal: words in it; what stands behind them may be left out.
        column: at which lines were cut.
    """
    if column is None or len(line) < column:
        return line
    end = max(line.find(literal), 0) + len(literal)
    return line[:end] + line[end:].rstrip(_OF_NUMBERS) + _ELLIPSIS

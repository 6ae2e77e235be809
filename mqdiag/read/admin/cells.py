"""Heads and rows of tables: columns of mqadmin, and the tabs and bars of what is copied out of a console."""

from __future__ import annotations

import re
from itertools import pairwise, takewhile

import msgspec

from mqdiag.read.admin.recognise import words

NOT_THERE = ("N/A", "n/a", "null", "-")
MOST_COLUMNS = 40
_TOKEN = re.compile(
    # a load such as "0.00(0,0ms)", a list of addresses, a time, a name; names have no blanks
    r"[^\s({\[]{0,200}[({\[][^)}\]]{0,4000}[)}\]]\S*|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*|\S+"
)
_GAP = re.compile(r"\s{2,}")
"""between two cells; brokers, clusters and instances may have names with single blanks"""
_NAMES = {other: name for name, others in words().columns.items() for other in others}


class Head(msgspec.Struct, frozen=True):
    """The columns of a table and what stands between its cells."""

    columns: tuple[str, ...]
    """lower case, without signs and blanks, and by one name each"""
    separator: str
    """a tab, a bar, or nothing where blanks fill the columns up"""
    starts: tuple[int, ...] = ()
    """the character at which each column begins, where signs mark them"""


def head_of(line: str) -> Head | None:
    """The head that a line is; None when it cannot be one."""
    separator = _separator(line)
    starts: tuple[int, ...] = ()
    if separator:
        names = split_at(line, separator)
    elif line.lstrip().startswith("#") and line.count("#") > 1:
        names = line.split("#")[1:]
        starts = tuple(place for place, sign in enumerate(line) if sign == "#")
    elif len(line) < 400 and not any(char.isdigit() for char in line):
        names = line.split()
    else:
        return None
    columns = tuple(map(column_name, names))
    return Head(columns, separator, starts) if 1 < len(columns) <= MOST_COLUMNS else None


def column_name(text: str) -> str:
    """The one name of a column."""
    plain = re.sub(r"[\W_]", "", text.lower())
    return _NAMES.get(plain, plain)


def split_at(line: str, separator: str) -> list[str]:
    """Cells between tabs or bars; bars may stand at both ends of a line too."""
    text = line.strip().strip("|") if separator == "|" else line.strip()
    return [cell.strip() for cell in text.split(separator)]


def _separator(line: str) -> str:
    if line.count("\t"):
        return "\t"
    return "|" if line.count("|") else ""


class Row:
    """One line of a table by its columns."""

    def __init__(self, head: Head, line: str, optional: frozenset[str]) -> None:
        """Split a line.

        Args:
            head: the head above it.
            line: as printed.
            optional: columns that mqadmin leaves blank, so that a line has fewer cells than its head.
        """
        columns = list(head.columns)
        if head.separator and head.separator in line:
            cells = split_at(line, head.separator)
        else:
            cells = _TOKEN.findall(line)
            if len(cells) > len(columns):
                apart = _GAP.split(line.strip())
                # a name may have several blanks in a row
                cells = _at_columns(head.starts, line) or (apart if len(apart) == len(columns) else cells)
            missing = len(columns) - len(cells)
            for column in reversed(head.columns):
                if missing > 0 and column in optional:
                    columns.remove(column)
                    missing -= 1
            if len(cells) > len(columns):
                cells[len(columns) - 1 :] = [" ".join(cells[len(columns) - 1 :])]
        self.is_short = len(cells) < len(columns)
        """it has fewer cells than its head"""
        self._cells = dict(zip(columns, cells, strict=False))

    def text(self, column: str) -> str | None:
        """A cell; None where the column is not there or says that nothing is known."""
        cell = self._cells.get(column, "")
        return None if not cell or cell in NOT_THERE else cell

    def name(self, column: str) -> str | None:
        """A cell that somebody has named; "null" and "-" are names of topics and groups too."""
        return self._cells.get(column) or None

    def number(self, column: str) -> int | None:
        """A whole number, which may have text in brackets behind it."""
        cell = (self.text(column) or "").partition("(")[0].strip()
        return int(cell) if is_number(cell) else None

    def decimal(self, column: str) -> float | None:
        """A number, which may have text in brackets behind it."""
        return decimal_of((self.text(column) or "").partition("(")[0])


def _at_columns(starts: tuple[int, ...], line: str) -> list[str]:
    """Cells of a line that begin where the columns of its head do, up to the first that does not, and all behind it.

    Nothing where these are not as many as the columns.
    """
    held = list(
        takewhile(lambda place: not line[:place][-1:].strip() and line[place : place + 1].strip(), starts)
    )
    # numbers may stand at the right of their column
    behind = starts[len(held)] if len(held) < len(starts) else len(line)
    ends = held if line[:behind][-1:].strip() and behind < len(line) else [*held, behind]
    cells = [line[begin:end].strip() for begin, end in pairwise(ends)]
    cells += _TOKEN.findall(line, ends[-1]) if ends else []
    return cells if len(cells) == len(starts) else []


def is_number(text: str) -> bool:
    """Whether text is a whole number of a size that Java has."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 19


def decimal_of(text: str) -> float | None:
    """A finite number; None for text that is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None

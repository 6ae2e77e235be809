"""Where the bars of an aligned table stand, and the cells of a line between them, by the columns of a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_NARROW = ("Mn", "Me", "Cf")
_BARS = "+|"


def stops_of(rule: str, head: str, *, framed: bool) -> tuple[int, ...]:
    """The columns of the bars by the rule below the head; none where the head has its bars elsewhere.

    Args:
        rule: `----+---` of psql, `+---+---+` of mysql, or `|---|---|`.
        head: the line above it.
        framed: whether bars stand before the first column and behind the last one.
    """
    stops = tuple(place for place, sign in enumerate(rule.rstrip()) if sign in _BARS)
    fits = all(head[place : place + 1] == "|" for place in stops)
    return stops if fits and len(stops) >= (3 if framed else 1) else ()


def cut(line: str, stops: Sequence[int], *, framed: bool) -> tuple[tuple[str, ...], bool]:
    """The cells of a line, up to the first one that does not end at its bar, and whether all of them do.

    Args:
        line: of the table.
        stops: columns of the bars.
        framed: whether the first bar stands before the first column, and the last one behind the last column.
    """
    line = line.rstrip()
    places = stops if line.isascii() else _places(line, stops)
    met = 0
    while met < len(places) and line[places[met] : places[met] + 1] == "|":
        met += 1
    if not met:
        return (), False
    whole = met == len(stops) and (not framed or places[-1] == len(line) - 1)
    begins = [place + 1 for place in places[:met]]
    if not framed:
        begins.insert(0, 0)
    elif whole:
        begins.pop()
    ends = [*(begin - 1 for begin in begins[1:]), len(line) - 1 if framed and whole else len(line)]
    return tuple(line[begin:end] for begin, end in zip(begins, ends, strict=True)), whole


def _places(line: str, stops: Sequence[int]) -> list[int]:
    """The places of the characters that stand at these columns; that behind the line where none begins there."""
    at = {}
    column = 0
    for place, sign in enumerate(line):
        width = _width(sign)
        if width:
            at[column] = place
        column += width
    return [at.get(stop, len(line)) for stop in stops]


def _width(sign: str) -> int:
    if unicodedata.category(sign) in _NARROW:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1

"""What Loki gives out: answers of its API, what Grafana downloads, and the lines of logcli.

A row has its time beside its line, newest rows first unless somebody asked otherwise. Sources: Grafana 8 to 12
(Inspector and Download of Explore), `GET /loki/api/v1/query_range`, `logcli query -o default|jsonl` of Loki 2 and 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from json import JSONDecoder
from typing import NamedTuple

import msgspec

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.alone import stands_alone

LEAST_LINES = 3
LEAST_SHARE = 0.5
"""share of lines that logcli began; those between are of one row of several lines"""
MOST_HELD = 128 << 20
"""characters of rows that are held until the end of the text; those of a longer one are put in order piece by piece"""
_FIRST_CHARACTERS = 8 << 10
"""characters in which the keys of the first row stand"""
_KEYS = frozenset(
    ("line", "timestamp", "date", "ts", "tsNs", "id", "fields", "labels", "parsedLabels", "detected_level")
)
"""all keys that a row has; a record of a logger that has a line too has others"""
_KEYS_OF_TIME = ("timestamp", "tsNs", "ts", "date")
_BETWEEN = lazy_pattern(r"[\s,\[\]]*(?=\{)")
_TEXT = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_LABELS = rf'\{{(?:[^"{{}}]|{_TEXT})*\}}'
_PAIRS = lazy_pattern(rf'\s*\{{.{{0,{_FIRST_CHARACTERS}}}?"values"\s*:\s*\[\s*\[\s*"\d{{16,19}}"\s*,\s*"', re.S)
"""the beginning of an answer up to its first line"""
_PAIR = lazy_pattern(rf'"stream"\s*:\s*({_LABELS})|\[\s*"(\d{{16,19}})"\s*,\s*({_TEXT})')
"""quotation marks inside of a text are escaped, so that no text can look like a pair"""
_LISTED = lazy_pattern(rf"(\d{{4}}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ({_LABELS})(?: |$)")
_LABEL = lazy_pattern(rf"(\w+)=({_TEXT})")
_MOST_SEEN = 20
"""records that are looked at"""
_PADDING = lazy_pattern(r" *")
_OF_A_PROCESS = (
    "namespace",
    "pod",
    "container",
    "host",
    "hostname",
    "instance",
    "node_name",
    "filename",
    "app",
    "job",
)
"""labels whose values tell processes and files apart; others change from row to row"""
_NS_IN_S = 1_000_000_000
_NS_BY_DIGITS = {10: _NS_IN_S, 13: 1_000_000, 16: 1_000, 19: 1}
"""nanoseconds in a unit of time, by the digits of such a time in our days"""
_OF_A_ROW = 200
"""bytes that a row takes besides its line"""
_MOST_OPEN = 4 << 20
"""characters that wait for the end of a row"""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Row(NamedTuple):
    """One row."""

    ns: int
    """nanoseconds since 1970"""
    source: tuple[str, ...]
    """labels of its process and file"""
    line: str


Reading = Callable[[str, bool], tuple[list[Row], str]]
"""(text, whether it ends there) to (rows, what is left); one object reads one file"""


def reading_of(lines: Sequence[str]) -> Callable[[], LokiRows] | None:
    """How to read what Loki gave out; None for other texts.

    Args:
        lines: first lines of a text that are not blank.
    """
    text = "\n".join(lines)
    reading = _reading_of(lines, text)
    rows = [] if reading is None else reading()(text, True)[0]
    if reading is None or not rows:
        return None
    alone = stands_alone("".join(f"{row.line}\n" for row in rows))
    return lambda: LokiRows(reading(), alone=alone)


def _reading_of(lines: Sequence[str], text: str) -> Callable[[], Reading] | None:
    begins = text.lstrip()[:1]
    if begins in ("{", "["):
        first = text[:_FIRST_CHARACTERS]
        if '"values"' in first and _PAIRS.match(text) is not None:
            return _Pairs
        return (lambda: _objects) if '"line"' in first and _begins_with_rows(text) else None
    if _LISTED.match(lines[0]) is None:
        return None
    found = [one for line in lines if (one := _LISTED.match(line)) is not None]
    if len(found) < max(LEAST_LINES, LEAST_SHARE * len(lines)):
        return None
    return partial(_Listed, is_padded=len({one[2] for one in found}) > 1)


def _begins_with_rows(text: str) -> bool:
    """Whether records are rows, as far as some of them show it."""
    decode = JSONDecoder().raw_decode
    place = seen = 0
    while seen < _MOST_SEEN and (begin := _BETWEEN.match(text, place)) is not None:
        try:
            entry, place = decode(text, begin.end())
        except (ValueError, RecursionError):
            break
        if _row(entry) is None:
            return False
        seen += 1
    return seen > 0


class LokiRows:
    """The lines of rows, oldest first: as they are, or behind their times as containerd writes them.

    Args:
        reading: how to read the text.
        alone: whether the lines are understood without the times of the rows.
    """

    def __init__(self, reading: Reading, *, alone: bool) -> None:
        self._read = reading
        self._alone = alone
        self._open = ""
        self._rows: list[Row] = []
        self._size = 0

    def __call__(self, text: str) -> str:
        """Nothing until the end of the text, for which "" stands, unless it is very long."""
        rows, left = self._read(self._open + text, not text)
        self._open = left[-_MOST_OPEN:]
        self._rows += rows
        self._size += sum(_OF_A_ROW + len(row.line) for row in rows)
        if text and self._size <= MOST_HELD:
            return ""
        rows, self._rows, self._size = self._rows, [], 0
        return "".join(self._written(_in_order(rows)))

    def _written(self, rows: Iterable[Row]) -> Iterator[str]:
        for row in rows:
            head = "" if self._alone else f"{_iso(row.ns)} stdout F "
            for line in row.line.removesuffix("\n").split("\n"):
                yield f"{head}{line}\n"


def _in_order(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows of one process after those of another, the oldest of each first."""
    of_sources: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        of_sources.setdefault(row.source, []).append(row)
    for own in of_sources.values():
        up = sum((after.ns > before.ns) - (after.ns < before.ns) for before, after in pairwise(own))
        yield from sorted(own if up >= 0 else reversed(own), key=lambda row: row.ns)


class _Pairs:
    """Pairs of a time and a line, below the labels of their stream."""

    def __init__(self) -> None:
        self._source: tuple[str, ...] = ()

    def __call__(self, text: str, ends: bool) -> tuple[list[Row], str]:
        rows = []
        end = 0
        for found in _PAIR.finditer(text):
            end = found.end()
            if found[1] is not None:
                self._source = _source(_decoded(found[1]))
                continue
            line, ns = _decoded(found[3]), _ns(found[2])
            if isinstance(line, str) and ns is not None:
                rows.append(Row(ns, self._source, line))
        return rows, "" if ends else text[end:]


def _objects(text: str, ends: bool) -> tuple[list[Row], str]:
    """Records with a line and its time, one below the other or in a list."""
    decode = JSONDecoder().raw_decode
    rows: list[Row] = []
    place = 0
    while (begin := _BETWEEN.match(text, place)) is not None:
        try:
            entry, end = decode(text, begin.end())
        except (ValueError, RecursionError):
            break
        row = _row(entry)
        if row is None:
            # a record of something else: it stays as it is
            ns, source = (rows[-1].ns, rows[-1].source) if rows else (0, ())
            row = Row(ns, source, msgspec.json.encode(entry).decode())
        rows.append(row)
        place = end
    return rows, "" if ends else text[place:]


def _row(entry: object) -> Row | None:
    if not isinstance(entry, dict) or not entry.keys() <= _KEYS:
        return None
    line = entry.get("line")
    ns = next((ns for key in _KEYS_OF_TIME if (ns := _ns(entry.get(key))) is not None), None)
    if not isinstance(line, str) or ns is None:
        return None
    return Row(ns, _source(entry.get("labels", entry.get("fields"))), line)


class _Listed:
    """The lines of logcli, which fills up labels of different lengths; a row may have several lines."""

    def __init__(self, *, is_padded: bool) -> None:
        self._is_padded = is_padded
        self._last: list[Row] = []
        """the row that may go on"""

    def __call__(self, text: str, ends: bool) -> tuple[list[Row], str]:
        whole, end, left = text.rpartition("\n")
        if ends:
            whole, end, left = text, "\n" * bool(text), ""
        rows = self._last
        for line in whole.removesuffix("\n").split("\n") if end else ():
            found = _LISTED.match(line)
            ns = None if found is None else _ns(found[1])
            if found is not None and ns is not None:
                begin = found.end()
                padding = _PADDING.match(line, begin) if self._is_padded else None
                labels = {key: _decoded(value) for key, value in _LABEL.findall(found[2])}
                rows.append(Row(ns, _source(labels), line[begin if padding is None else padding.end() :]))
            elif rows:
                rows[-1] = rows[-1]._replace(line=f"{rows[-1].line}\n{line}")
        self._last = [] if ends else rows[-1:]
        return rows if ends else rows[:-1], left


def _source(labels: object) -> tuple[str, ...]:
    return tuple(str(labels.get(name)) for name in _OF_A_PROCESS) if isinstance(labels, dict) else ()


def _decoded(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _ns(time: object) -> int | None:
    """Nanoseconds since 1970 of a time in any unit, or as ISO 8601 has it; None for what is none."""
    text = str(time)
    if text.isascii() and text.isdigit():
        unit = _NS_BY_DIGITS.get(len(text))
        return None if unit is None else int(text) * unit
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


def _iso(ns: int) -> str:
    seconds, rest = divmod(ns, _NS_IN_S)
    return f"{_EPOCH + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S}.{rest:09}Z"

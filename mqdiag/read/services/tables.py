"""Rows of the tables that clients of databases print: psql and mysql, aligned, upright, or apart by tabs or commas.

A cell may hold what a user wrote, with line ends and bars in it. psql prints a line end in a cell as a line of the same
columns (print.c). mysql prints it as it is (mysql.cc), and a column is as wide as the longest cell in it has bytes: the
first line of a cell with a line end does not reach the end of its column. Values with commas are those of RFC 4180.
"""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.services.columns import cut, stops_of
from mqdiag.read.services.open_text import OpenText, leaves_text_open

MOST_ROWS = 20_000
MOST_COLUMNS = 100
LONGEST_CELL = 4096
MOST_LINES = 1000
"""lines of one row of CSV"""
_RULE = lazy_pattern(r"\s*[-+|=]{3,}\s*$")
_UPRIGHT_HEAD = lazy_pattern(r"(?:-\[ RECORD \d{1,9} \][-+]*|\*{5,} ?\d{1,9}\. row \*{5,})\s*$")
_UPRIGHT_PSQL = lazy_pattern(r"\s*([\w()?]{1,64})\s*\|\s?(.*)$")
_UPRIGHT_MYSQL = lazy_pattern(r"\s*([\w()?-]{1,64}): ?(.*)$")
_END = lazy_pattern(r"\s*$|\s*\(?\d{1,9} rows?\b|Empty set|Query OK")
_TEXTS = frozenset(
    (
        "info", "query", "statement", "waiting_query", "blocking_query", "trx_query", "sql_text", "blocked_statement",
        "blocking_statement", "current_statement_in_blocking_process",
    )
)  # fmt: skip
"""columns of statements"""
_KNOWN = frozenset(
    (
        "pid", "usename", "datname", "application_name", "client_addr", "client_port", "state", "query", "wait_event",
        "wait_event_type", "xact_start", "query_start", "state_change", "locktype", "granted", "mode",
        "id", "user", "host", "db", "command", "time", "info", "waiting_pid", "blocking_pid", "blocked_by",
    )
)  # fmt: skip
_NAME = lazy_pattern(r"[A-Za-z_?][\w?() ]{0,63}$")
_STATUS = "INNODB MONITOR OUTPUT"


class Row(dict[str, str]):
    """Cells by the name of their column, in small letters; a cell that is blank or NULL is left out."""

    def __init__(self, *, may_be_quoted: bool) -> None:
        super().__init__()
        self.may_be_quoted = may_be_quoted
        """it may stand inside of a cell of another row"""

    def put(self, name: str, cell: str) -> None:
        """A cell; the first one of a name counts."""
        name, cell = name.strip().lower(), cell.strip()
        if cell and cell not in ("NULL", "\\N", "(null)") and len(self) < MOST_COLUMNS:
            self.setdefault(name, cell[:LONGEST_CELL])


Rows = Generator[Row, None, int]
"""the rows of one table; it returns the number of the line behind it"""


class _Head(NamedTuple):
    """The head of a table."""

    names: tuple[str, ...]
    between: str
    has_rule: bool
    stops: tuple[int, ...]
    """columns of the text where its bars stand; none where the rule below the head does not tell them"""
    framed: bool
    """bars stand before the first column and behind the last one"""


class Tables:
    """The tables of a text, read in order."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.may_be_quoted = False
        """a cell may not have ended where a line did: a user may have written every line from there on"""
        self.unread: dict[tuple[str, ...], int] = {}
        """rows that could not be read, by the columns of their table"""
        self._lines = lines

    def rows(self) -> Iterator[Row]:
        """The rows of all tables; lines that are of none are passed over."""
        count = place = 0
        while place < len(self._lines) and count < MOST_ROWS:
            table = self._table_at(place)
            while count < MOST_ROWS:
                try:
                    row = next(table)
                except StopIteration as end:
                    place = end.value
                    break
                if row:
                    count += 1
                    yield row

    def _table_at(self, place: int) -> Rows:
        """The table that begins at a line, if any."""
        line = self._lines[place]
        if _UPRIGHT_HEAD.match(line):
            return (yield from self._upright(place))
        head = None if _RULE.match(line) else _head(line, self._lines[place + 1 : place + 2])
        if head is None:
            self._doubt(leaves_text_open(line) or line.endswith(_STATUS))
            return place + 1
        if head.framed and head.has_rule:
            return (yield from self._framed(head, place + 2))
        if head.between == "|":
            return (yield from self._barred(head, place + 1 + head.has_rule))
        return (yield from (self._by_tabs if head.between == "\t" else self._by_commas)(head, place + 1))

    def _framed(self, head: _Head, place: int) -> Rows:
        """A table of mysql, up to the rule at its end; a line that does not fit the columns is no row of its own."""
        going_on: OpenText | None = None
        while place < len(self._lines):
            line = self._lines[place].rstrip()
            if _RULE.match(line) or (_END.match(line) and (line or going_on is None)):
                return place + 1
            if _UPRIGHT_HEAD.match(line):
                return place
            cells, whole = cut(line, head.stops, framed=True)
            if whole:
                going_on = None
                yield self._row(head, cells)
            elif len(cells) > 1 and (
                len(cells) == len(head.names) or _TEXTS & {*head.names[len(cells) - 1 : len(cells)]}
            ):
                going_on = OpenText()
                yield self._row(head, (*cells[:-1], cells[-1].rstrip("| ")))
                if _KNOWN & {*head.names[len(cells) :]}:
                    self._lose(head)
                self._doubt(going_on.goes_on_below(cells[-1]))
            elif line.endswith("|") and line.lstrip().startswith("|") and "|" in line.strip("| "):
                cells = tuple(line.strip().strip("|").split("|"))
                yield from self._uneven(head, cells)
                self._doubt(any(OpenText().goes_on_below(cell) for cell in cells))
            elif going_on is not None:
                self._doubt(going_on.goes_on_below(line))
            elif "|" in line:
                self._lose(head)
                self._doubt(True)
            else:
                return place
            place += 1
        return place

    def _barred(self, head: _Head, place: int) -> Rows:
        """A table of psql; without a rule below its head a line end in a cell is printed as it is."""
        self._doubt(not head.has_rule)
        while place < len(self._lines):
            line = self._lines[place]
            if _END.match(line):
                return place + 1
            cells, whole = cut(line, head.stops, framed=False)
            if whole and head.has_rule:
                yield self._row(head, cells)
            elif _begins_another(line, self._lines[place + 1 : place + 2]):
                return place
            elif "|" in line:
                yield from self._uneven(head, line.split("|"))
            elif head.has_rule:
                return place
            place += 1
        return place

    def _uneven(self, head: _Head, cells: Sequence[str]) -> Iterator[Row]:
        """A row whose bars do not stand below those of the head; a statement at its end has all that are left."""
        count = len(head.names)
        if len(cells) < count or (len(cells) > count and head.names[-1] not in _TEXTS):
            self._lose(head)
            return
        row = self._row(head, (*cells[: count - 1], "|".join(cells[count - 1 :])))
        row.may_be_quoted = row.may_be_quoted or len(cells) > count
        yield row

    def _by_tabs(self, head: _Head, place: int) -> Rows:
        """A table of mysql without a terminal: with --raw a line end in a cell is printed as it is."""
        after_blank = False
        while place < len(self._lines):
            line = self._lines[place].rstrip("\r\n")
            if line and _END.match(line):
                return place + 1
            if _begins_another(line, self._lines[place + 1 : place + 2]):
                return place
            cells = line.split("\t")
            if len(cells) == len(head.names):
                yield self._row(head, cells)
                self._doubt(OpenText().goes_on_below(cells[-1]))
            elif len(cells) > 1 and after_blank:
                return place
            else:
                if len(cells) > 1:
                    self._lose(head)
                after_blank = after_blank or not line
                self._doubt(leaves_text_open(line))
            place += 1
        return place

    def _by_commas(self, head: _Head, first: int) -> Rows:
        """Values with commas between them; a line end stands in a cell between quotation marks."""
        records = csv.reader(f"{self._lines[place]}\n" for place in range(first, len(self._lines)))
        while True:
            before = first + records.line_num
            try:
                cells = next(records, None)
            except csv.Error:
                self._lose(head)
                self._doubt(True)
                return first + records.line_num
            place = first + records.line_num
            if not cells:
                return place
            if place == before + 1 and _begins_another(self._lines[before], self._lines[place : place + 1]):
                return before
            if len(cells) == len(head.names) and place - before <= MOST_LINES:
                yield self._row(head, cells)
            elif len(cells) > 1:
                self._lose(head)

    def _upright(self, place: int) -> Rows:
        """One record, a cell a line; psql marks a further line of a cell, mysql does not."""
        head = self._lines[place]
        stop, is_mysql = head.find("+"), head.startswith("*")
        row, statement = Row(may_be_quoted=self.may_be_quoted), OpenText()
        place += 1
        while place < len(self._lines) and not _UPRIGHT_HEAD.match(self._lines[place]):
            line = self._lines[place].rstrip("\r\n")
            if not is_mysql and stop >= 0 and line[stop : stop + 1] == "|":
                if line[:stop].strip():
                    row.put(line[:stop], line[stop + 1 :])
                place += 1
                continue
            found = (_UPRIGHT_MYSQL if is_mysql else _UPRIGHT_PSQL).match(line)
            if found:
                row.put(found[1], found[2])
                row.may_be_quoted = row.may_be_quoted or self.may_be_quoted
                statement = OpenText()
                self._doubt(is_mysql and statement.goes_on_below(found[2]))
            elif not is_mysql or self._ends_record(place):
                break
            else:
                self._doubt(statement.goes_on_below(line))
            place += 1
        yield row
        return place

    def _ends_record(self, place: int) -> bool:
        """Whether a line without a key ends an upright record of mysql; a statement may have blank lines."""
        line = self._lines[place]
        if _RULE.match(line) or (line.strip() and _END.match(line)):
            return True
        return _begins_another(line, self._lines[place + 1 : place + 2])

    def _row(self, head: _Head, cells: Sequence[str]) -> Row:
        row = Row(may_be_quoted=self.may_be_quoted)
        for name, cell in zip(head.names, cells, strict=False):
            row.put(name, cell)
        return row

    def _doubt(self, is_open: bool) -> None:
        """A line ended, and a text of a user may go on below it."""
        self.may_be_quoted = self.may_be_quoted or is_open

    def _lose(self, head: _Head) -> None:
        """A row could not be read."""
        self.unread[head.names] = self.unread.get(head.names, 0) + 1


def _head(line: str, following: Sequence[str]) -> _Head | None:
    """The names of the columns, and what stands between them; None for any other line."""
    between = next((sign for sign in "|\t," if sign in line), None)
    if between is None:
        return None
    if between == ",":
        try:
            cells = next(csv.reader([line]), [])
        except csv.Error:
            return None
    else:
        cells = (line.strip().strip("|") if between == "|" else line.strip("\r\n")).split(between)
    names = tuple(cell.strip().lower() for cell in cells)
    if not 2 <= len(names) <= MOST_COLUMNS or not all(_NAME.match(name) for name in names):
        return None
    has_rule = between == "|" and bool(following) and _RULE.match(following[0]) is not None
    if not has_rule and sum(name in _KNOWN for name in names) < 2:
        return None
    framed = between == "|" and line.lstrip().startswith("|")
    stops = stops_of(following[0], line, framed=framed) if has_rule else ()
    return _Head(names, between, has_rule, stops, framed)


def _begins_another(line: str, following: Sequence[str]) -> bool:
    return _UPRIGHT_HEAD.match(line) is not None or _head(line, following) is not None


def begins_table(lines: Sequence[str]) -> bool:
    """Whether the first of these lines, none of which is blank, is of a table."""
    return bool(lines) and (_RULE.match(lines[0]) is not None or _begins_another(lines[0], lines[1:2]))

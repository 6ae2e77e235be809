"""Rows of the tables that clients of databases print: psql and mysql, aligned, upright, or apart by tabs or commas."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from mqdiag.lazy_pattern import lazy_pattern

MOST_ROWS = 20_000
MOST_COLUMNS = 100
LONGEST_CELL = 4096
_RULE = lazy_pattern(r"\s*[-+|=]{3,}\s*$")
_UPRIGHT_HEAD = lazy_pattern(r"(?:-\[ RECORD \d{1,9} \][-+]*|\*{5,} ?\d{1,9}\. row \*{5,})\s*$")
_UPRIGHT_PSQL = lazy_pattern(r"\s*([\w()?]{1,64})\s*\|\s?(.*)$")
_UPRIGHT_MYSQL = lazy_pattern(r"\s*([\w()?-]{1,64}): ?(.*)$")
_NAME = lazy_pattern(r"[A-Za-z_?][\w?() ]{0,63}$")

Row = dict[str, str]
"""cells by the name of their column, in small letters"""


def tables(lines: Sequence[str]) -> Iterator[Row]:
    """The rows of all tables of a text, in order; lines that are of none are passed over.

    A cell that is blank or NULL is left out of its row.
    """
    count = 0
    for row in _rows(lines):
        if count >= MOST_ROWS:
            return
        if row:
            count += 1
            yield row


def _rows(lines: Sequence[str]) -> Iterator[Row]:
    columns: list[str] = []
    between = "|"
    upright: Row | None = None
    for number, line in enumerate(lines):
        if _UPRIGHT_HEAD.match(line):
            if upright:
                yield upright
            upright = {}
            continue
        if upright is not None:
            found = _UPRIGHT_PSQL.match(line) or _UPRIGHT_MYSQL.match(line)
            if found:
                _put(upright, found[1], found[2])
                continue
            if upright:
                yield upright
            upright = None
        if _RULE.match(line):
            continue
        head = _head(line, lines[number + 1 : number + 2])
        if head is not None:
            columns, between = head
            continue
        if columns:
            cells = _cells(line, between)
            if len(cells) == len(columns):
                yield _row(columns, cells)
            elif not line.strip() or line.lstrip().startswith("("):
                columns = []
    if upright:
        yield upright


def _head(line: str, following: Sequence[str]) -> tuple[list[str], str] | None:
    """The names of the columns, and what stands between them; None for any other line."""
    between = "|" if "|" in line else "\t" if "\t" in line else ","
    cells = _cells(line, between)
    if not 2 <= len(cells) <= MOST_COLUMNS or not all(_NAME.match(cell) for cell in cells):
        return None
    if between == "|" and not (following and _RULE.match(following[0])):
        return None
    names = [cell.lower() for cell in cells]
    return (names, between) if between == "|" or _is_known(names) else None


def _is_known(names: Sequence[str]) -> bool:
    """Whether a line without a rule below it is a head: names that no row of values has."""
    return sum(name in _KNOWN for name in names) >= 2


_KNOWN = frozenset(
    (
        "pid", "usename", "datname", "application_name", "client_addr", "client_port", "state", "query", "wait_event",
        "wait_event_type", "xact_start", "query_start", "state_change", "locktype", "granted", "mode",
        "id", "user", "host", "db", "command", "time", "info", "waiting_pid", "blocking_pid", "blocked_by",
    )
)  # fmt: skip


def _cells(line: str, between: str) -> list[str]:
    if between == ",":
        try:
            return [cell.strip() for cell in next(csv.reader([line]), [])]
        except csv.Error:
            return []
    text = line.strip("\r\n") if between == "\t" else line.strip().strip("|")
    return [cell.strip() for cell in text.split(between)]


def _row(columns: Sequence[str], cells: Sequence[str]) -> Row:
    row: Row = {}
    for name, cell in zip(columns, cells, strict=True):
        _put(row, name, cell)
    return row


def _put(row: Row, name: str, cell: str) -> None:
    cell = cell.strip()
    if cell and cell not in ("NULL", "\\N", "(null)") and len(row) < MOST_COLUMNS:
        row[name.strip().lower()] = cell[:LONGEST_CELL]

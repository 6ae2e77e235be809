"""Tables whose heads stand in data: `mqdiag/knowledge/report_tables/<section>.toml`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import msgspec

from mqdiag.knowledge import packed
from mqdiag.render.parts import NO_VALUE, Column, Row, Table, more_rows
from mqdiag.text import NOTHING, Text, Value, say

FOLDER = os.path.join(packed.ROOT, "report_tables")
_Cell = Callable[[Any], Value]
_AS_WRITTEN = ("kind", "number", "worded", "java", "whole", "cut", "wide", "optional")
"""fields of a column that are the same in data"""


class ColumnRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column as data; its other fields are those of `Column`."""

    head: str
    of: str = ""
    """field of a row's fact, or a path such as `inner.topic`"""
    cell: str = ""
    """name of the function that makes the cell of a fact, which the section gives; in place of `of`"""
    none: str | None = None
    flag: str = ""
    kind: str = ""
    number: bool | None = None
    worded: bool = False
    java: bool = False
    whole: bool = False
    cut: bool = False
    wide: bool = False
    optional: bool = False


class TableRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table as data; its fields are those of `Table`."""

    columns: tuple[ColumnRow, ...]
    caption: str = ""
    note: str = ""
    rest: str = ""
    """what is said of `{hidden}` rows that are left out"""
    shown: tuple[int, int] = (12, 2000)
    wide: bool = False


class Tables:
    """The tables of one section.

    Args:
        section: name of the file, without its ending.
    """

    def __init__(self, section: str) -> None:
        self._section = section

    def table(
        self,
        key: str,
        facts: Iterable[Any] | None = None,
        *,
        rows: Sequence[Row] = (),
        name: str = "",
        caption: Text = NOTHING,
        note: Text = NOTHING,
        rest: Callable[[Sequence[Row]], Text] | None = None,
        links: Sequence[str] = (),
        shown: tuple[int, int] | None = None,
        wide: bool = False,
        **cells: _Cell,
    ) -> Table:
        """A table of facts, or of rows of cells.

        Args:
            key: its name in the file.
            facts: what its rows show; without them `rows`.
            rows: cells in the order of the columns.
            name: its anchor, where that is not the key.
            caption: in place of that of the file.
            note: in place of that of the file.
            rest: what is said of hidden rows, in place of what the file says.
            links: pages that the first cell of each row leads to.
            shown: rows in the short and in the wide form, in place of those of the file.
            wide: whether only the wide form has it, also where the file does not say so.
            cells: the functions that columns name.
        """
        known = self._file[key]
        if rest is None:
            rest = _rest(known.rest) if known.rest else more_rows
        return Table(
            name=name or key,
            columns=[_column(row, cells) for row in known.columns],
            rows=rows,
            rows_of=facts,
            caption=caption or say(known.caption),
            note=note or say(known.note),
            rest=rest,
            shown=shown or known.shown,
            links=links,
            wide=wide or known.wide,
        )

    @cached_property
    def _file(self) -> dict[str, TableRow]:
        return packed.decode(FOLDER, self._section, dict[str, TableRow])


def _column(row: ColumnRow, cells: dict[str, _Cell]) -> Column:
    none = row.none if row.none is None or row.none in ("", NO_VALUE) else say(row.none)
    same = {name: getattr(row, name) for name in _AS_WRITTEN}
    of = cells[row.cell] if row.cell else row.of
    return Column(say(row.head), of=of, none=none, flag=say(row.flag), **same)


def _rest(template: str) -> Callable[[Sequence[Row]], Text]:
    return lambda rows: say(template, hidden=len(rows))

"""Tables, lines and pairs whose words stand in data: `mqdiag/knowledge/report_tables/<section>.toml`."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, in each run.

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any

import msgspec

from mqdiag.knowledge import packed
from mqdiag.render.parts import NO_VALUE, Column, Row, Table, more_rows
from mqdiag.render.wording.words import word
from mqdiag.text import NOTHING, Text, Value, placeholders, quantity, say

FOLDER = os.path.join(packed.ROOT, "report_tables")
_Cell = Callable[[Any], Value]
_AS_WRITTEN = ("kind", "number", "worded", "java", "whole", "cut", "optional")
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


class LineRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence about a fact, or a name and a value; left out where a value is unknown."""

    label: str = ""
    """the name of a pair; it may have placeholders too"""
    say: str = ""
    """placeholders stand for the fields of their names"""
    value: str = ""
    """field that is the value of a pair as it is; in place of `say`"""
    kind: str = ""
    """how the number of `value` is written, as in `mqdiag.text`"""
    worded: bool = False
    """whether `value` is said in words"""
    of: str = ""
    """path to the fact that has the fields, where it is not the one that was given"""
    given: str = ""
    """field that has to be there, and not 0 or empty"""
    unless: str = ""
    """field that must not be there, or be 0 or empty"""
    values: dict[str, str] = {}
    """paths of placeholders that have other names"""
    unknown: bool = False
    """whether it stands there with unknown values too"""


class TableRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table as data, whose fields are those of `Table`, or a list of lines."""

    columns: tuple[ColumnRow, ...] = ()
    lines: tuple[LineRow, ...] = ()
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
        only_wide: Collection[str] = (),
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
            only_wide: heads of columns that only the wide form has, besides those of the file.
            cells: the functions that columns name.
        """
        known = self._file[key]
        if rest is None:
            rest = _rest(known.rest) if known.rest else more_rows
        return Table(
            name=name or key,
            columns=[_column(row, cells, wide=row.wide or row.head in only_wide) for row in known.columns],
            rows=rows,
            rows_of=facts,
            caption=caption or say(known.caption),
            note=note or say(known.note),
            rest=rest,
            shown=shown or known.shown,
            links=links,
            wide=wide or known.wide,
        )

    def lines(self, key: str, fact: object) -> list[Text]:
        """The sentences about a fact whose values are known."""
        return [value for _, value in self.pairs(key, fact) if isinstance(value, Text)]

    def pairs(self, key: str, fact: object) -> list[tuple[Text, Value]]:
        """The names and values of a fact that are known."""
        return [
            (_filled(row.label, row, _at(fact, row.of)), value)
            for row in self._file[key].lines
            for value in _values(row, _at(fact, row.of))
            if value is not None or row.unknown
        ]

    @cached_property
    def _file(self) -> dict[str, TableRow]:
        return packed.decode(FOLDER, self._section, dict[str, TableRow])


def _column(row: ColumnRow, cells: dict[str, _Cell], *, wide: bool) -> Column:
    none = row.none if row.none is None or row.none in ("", NO_VALUE) else say(row.none)
    same = {name: getattr(row, name) for name in _AS_WRITTEN}
    of = cells[row.cell] if row.cell else row.of
    return Column(say(row.head), of=of, none=none, flag=say(row.flag), wide=wide, **same)


def _rest(template: str) -> Callable[[Sequence[Row]], Text]:
    return lambda rows: say(template, hidden=len(rows))


def _values(row: LineRow, fact: Any) -> Iterator[Value]:
    """The value of a line, None where it is unknown; nothing where the line says nothing of this fact."""
    if fact is None or (row.given and not _at(fact, row.given)) or (row.unless and _at(fact, row.unless)):
        return
    if row.value:
        value = _at(fact, row.value)
        yield (
            quantity(value, row.kind)
            if row.kind and value is not None
            else word(value)
            if row.worded
            else value
        )
        return
    text = _filled(row.say, row, fact)
    yield text if row.unknown or None not in text.values.values() else None


def _filled(template: str, row: LineRow, fact: Any) -> Text:
    return Text(template, {name: _at(fact, row.values.get(name, name)) for name, _ in placeholders(template)})


def _at(fact: Any, path: str) -> Any:
    return attrgetter(path)(fact) if path else fact

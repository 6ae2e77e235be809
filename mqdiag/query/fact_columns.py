"""Facts of the report as columns: their fields by name, with what a column can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import NoneType
from typing import Any, get_args, get_type_hints

import msgspec
import pyarrow as pa

from mqdiag.query.table import Column, Table
from mqdiag.text import Text

Facts = Callable[[], Sequence[msgspec.Struct]]
_TYPES: dict[Any, pa.DataType] = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
_COLUMN_NAMES = {"group": "consumer_group"}
"""by the field of the facts"""
_SETTINGS = pa.map_(pa.string(), pa.string())


def fact_table(kind: type[msgspec.Struct], rows: Sequence[msgspec.Struct]) -> Table:
    """A row for each fact.

    `group`, a reserved word of SQL, becomes `consumer_group`. `object_id`, which facts have as
    hexadecimal text, becomes `id` and a number as in all tables. Settings by name become a map of texts. Lists and
    structs inside a fact have no column.
    """
    columns = {"id": Column(pa.uint64(), lambda a, b: [_id(row) for row in rows[a:b]])}
    for name, column_type in _columns(kind):
        columns[_COLUMN_NAMES.get(name, name)] = Column(column_type, _reader(rows, name, column_type))
    former = {name: columns[column] for name, column in _COLUMN_NAMES.items() if column in columns}
    return Table(len(rows), columns, former=former)


def _id(row: Any) -> int | None:
    return int(row.object_id, 16) if row.object_id else None


def _columns(kind: type[msgspec.Struct]) -> Iterator[tuple[str, pa.DataType]]:
    hints = get_type_hints(kind)
    for field in msgspec.structs.fields(kind):
        hint = hints[field.name]
        plain = {part for part in get_args(hint) or (hint,) if part is not NoneType}
        if field.name == "object_id":
            continue
        if getattr(hint, "__origin__", None) is dict:
            if Text not in get_args(hint):
                yield field.name, _SETTINGS
        elif len(plain) == 1 and (known := plain.pop()) in _TYPES:
            yield field.name, _TYPES[known]
        elif plain and all(isinstance(part, str) for part in plain):  # one of some words
            yield field.name, pa.string()


def _reader(rows: Sequence[msgspec.Struct], name: str, kind: pa.DataType) -> Callable[[int, int], Any]:
    def read(first: int, last: int) -> list[Any]:
        values = [getattr(row, name) for row in rows[first:last]]
        if kind is not _SETTINGS:
            return values
        return [[(key, _text(value)) for key, value in each.items()] for each in values]

    return read


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)

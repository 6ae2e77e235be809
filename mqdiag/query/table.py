"""What a table is: columns that are read part by part, as Arrow arrays, each time a query scans them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec
import pyarrow as pa

from mqdiag.query.arrow_arrays import array_of

PART = 1 << 17
"""rows that are read at once; DuckDB takes 122,880 as a group"""

Part = tuple[int, int]
"""first row, and the one behind the last"""


class Column(msgspec.Struct, frozen=True):
    """A column: its type, and how a part of it is read; `mqdiag/knowledge/query_tables.toml` says what it means."""

    type: pa.DataType
    read: Callable[[int, int], Any]
    """an Arrow array, or what makes one of this type"""


class Table(msgspec.Struct, frozen=True):
    """A table of `rows` rows.

    `parts` are the pieces in which it is read, in units that its columns understand; rows by default.
    """

    rows: int
    columns: Mapping[str, Column]
    parts: Callable[[], Iterable[Part]] | None = None
    former: Mapping[str, Column] = {}
    """columns by names of older versions: a query that names one gets it, a star leaves them out"""

    def pieces(self) -> Iterable[Part]:
        """The pieces, one after the other."""
        return row_parts(self.rows) if self.parts is None else self.parts()


def row_parts(rows: int, most: int | None = None) -> Iterator[Part]:
    """Pieces of a table whose parts are rows, `most` at once."""
    step = PART if most is None else most
    for first in range(0, rows, step):
        yield first, min(first + step, rows)


class Stream:
    """Some columns of a table as DuckDB reads them: each scan makes the arrays again and keeps none."""

    def __init__(self, table: Table, names: Iterable[str]) -> None:
        self._table = table
        known = {**table.former, **table.columns}
        self._columns = [known[name] for name in names]
        self._schema = pa.schema(
            [(name, column.type) for name, column in zip(names, self._columns, strict=True)]
        )

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        reader = pa.RecordBatchReader.from_batches(self._schema, self._batches())
        return reader.__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for first, last in self._table.pieces():
            arrays = [array_of(column.read(first, last), column.type) for column in self._columns]
            yield pa.record_batch(arrays, schema=self._schema)

"""Rows to Parquet in the tables' schemas, and back."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from mqdiag.fleet.files.storage import Storage
from mqdiag.fleet.tables.schemas import ALL_TABLES, RUN, SCHEMA_VERSION

GROUP_BYTES = 16 << 20
"""rows (in memory) that a reader skips together by their statistics, or decodes together: documents have kilobytes"""
BATCH = 10_000
"""rows that are read at a time"""
ROWS_BYTES = 256 << 20
"""rows of one file, in memory; zstd makes a fourth to a tenth of it"""
ORDER = ("service", "environment", "host", "incident")
"""order of the rows of a file, as `WorkList` gives those of this run"""
TYPES = {
    "string": pa.string(),
    "int64": pa.int64(),
    "double": pa.float64(),
    "bool": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "list": pa.list_(pa.string()),
    "map": pa.map_(pa.string(), pa.string()),
}


@cache
def file_schema(table: str) -> pa.Schema:
    """The columns inside the files."""
    fields = [
        pa.field(column.name, TYPES[column.type], metadata={"comment": column.meaning})
        for column in ALL_TABLES[table].columns
    ]
    return pa.schema(fields, metadata={"mqdiag.table": table, "mqdiag.schema_version": str(SCHEMA_VERSION)})


@cache
def full_schema(table: str) -> pa.Schema:
    """The columns that a query sees: the partitions first."""
    return pa.schema([*_folder_columns(table), *file_schema(table)])


def _folder_columns(table: str) -> list[pa.Field]:
    return [pa.field(name, pa.string()) for name in ALL_TABLES[table].partitions]


def table_rows(store: Storage, table: str, paths: Sequence[str]) -> ds.Dataset:
    """The rows of some files of one table, with the columns that its folders name.

    A column that a file of an older minor version lacks is unknown in it.
    """
    folders = ds.partitioning(pa.schema(_folder_columns(table)), flavor="hive")
    # A folder above the table can have a name of this form too.
    base = paths[0].rpartition(f"/{RUN}=")[0] if paths else ""
    return ds.dataset(
        list(paths),
        full_schema(table),
        format="parquet",
        filesystem=store.system,
        partitioning=folders,
        partition_base_dir=base,
    )


def parquet(table: str, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """One file."""
    schema = file_schema(table)
    columns = [
        pa.array((_value(field, row.get(field.name)) for row in rows), type=field.type, size=len(rows))
        for field in schema
    ]
    return table_bytes(pa.Table.from_arrays(columns, schema=schema))


def pieces(rows: Iterable[pa.Table], size_of: Callable[[pa.Table], int], least: int) -> Iterator[pa.Table]:
    """Rows in tables of the size of a file; the last one can be smaller."""
    held: list[pa.Table] = []
    size = 0
    for some in rows:
        held.append(some)
        size += size_of(some)
        if size >= least:
            yield pa.concat_tables(held)
            held, size = [], 0
    if size:
        yield pa.concat_tables(held)


def in_order(rows: pa.Table) -> pa.Table:
    """The rows of a file, those of a service together."""
    return rows.sort_by([(name, "ascending") for name in ORDER])


def table_bytes(rows: pa.Table) -> bytes:
    """One file of rows that have their schema."""
    target = io.BytesIO()
    group_rows = max(1, len(rows) * GROUP_BYTES // max(1, rows.nbytes))
    pq.write_table(rows, target, compression="zstd", row_group_size=group_rows)
    return target.getvalue()


def _value(field: pa.Field, value: Any) -> Any:
    if isinstance(value, Mapping):
        return list(value.items())
    if value is not None and pa.types.is_int64(field.type) and not -(2**63) <= value < 2**63:
        return None  # a hostile dump can hold any number; what no column can hold is unknown
    return value

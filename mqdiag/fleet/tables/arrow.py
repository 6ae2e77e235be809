"""Rows to Parquet in the tables' schemas, and back."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.schemas import ALL_TABLES, SCHEMA_VERSION

ROW_GROUP = 1 << 16
"""rows whose statistics let a reader skip them together"""
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
    fields = [pa.field(column.name, TYPES[column.type]) for column in ALL_TABLES[table].columns]
    return pa.schema(fields, metadata={"mqdiag.table": table, "mqdiag.schema_version": str(SCHEMA_VERSION)})


@cache
def full_schema(table: str) -> pa.Schema:
    """The columns that a query sees: the partitions first."""
    partitions = ALL_TABLES[table].partitions
    return pa.schema([pa.field(name, pa.string()) for name in partitions] + list(file_schema(table)))


def parquet(table: str, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """One file."""
    schema = file_schema(table)
    columns = [
        pa.array((_value(field, row.get(field.name)) for row in rows), type=field.type, size=len(rows))
        for field in schema
    ]
    return table_bytes(pa.Table.from_arrays(columns, schema=schema))


def table_bytes(rows: pa.Table) -> bytes:
    """One file of rows that have their schema."""
    target = io.BytesIO()
    pq.write_table(rows, target, compression="zstd", row_group_size=ROW_GROUP)
    return target.getvalue()


def read_table(uri: str, table: str, columns: Collection[str]) -> pa.Table:
    """Columns of one file of a table; one that a file of an older minor version lacks is unknown in it."""
    store, path = storage(uri)
    with store.open(path) as raw:
        file = pq.ParquetFile(raw)
        present = set(file.schema_arrow.names)
        rows = file.read(columns=[name for name in columns if name in present])
    schema = file_schema(table)
    for name in columns:
        if name not in present:
            rows = rows.append_column(schema.field(name), pa.nulls(len(rows), schema.field(name).type))
    return rows.select(list(columns))


def _value(field: pa.Field, value: Any) -> Any:
    if isinstance(value, Mapping):
        return list(value.items())
    if value is not None and pa.types.is_int64(field.type) and not -(2**63) <= value < 2**63:
        return None  # a hostile dump can hold any number; what no column can hold is unknown
    return value

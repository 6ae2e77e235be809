"""Rows to Parquet in the tables' schemas."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqdiag.fleet.tables.schemas import ALL_TABLES, PARTITIONS, SCHEMA_VERSION

_TYPES = {
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
    fields = [pa.field(column.name, _TYPES[column.type]) for column in ALL_TABLES[table].columns]
    return pa.schema(fields, metadata={"mqdiag.table": table, "mqdiag.schema_version": str(SCHEMA_VERSION)})


@cache
def full_schema(table: str) -> pa.Schema:
    """The columns that a query sees: the partitions first."""
    return pa.schema([pa.field(name, pa.string()) for name in PARTITIONS] + list(file_schema(table)))


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
    pq.write_table(rows, target, compression="zstd")
    return target.getvalue()


def _value(field: pa.Field, value: Any) -> Any:
    if isinstance(value, Mapping):
        return list(value.items())
    if value is not None and pa.types.is_int64(field.type) and not -(2**63) <= value < 2**63:
        return None  # a hostile dump can hold any number; what no column can hold is unknown
    return value

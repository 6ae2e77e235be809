"""An answer as a Parquet file, with the types that DuckDB gave its columns."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from mqdiag.query.values import distinct_names


def parquet_bytes(found: pa.Table) -> bytes:
    """The file's bytes."""
    out = io.BytesIO()
    pq.write_table(found.rename_columns(distinct_names(found.column_names)), out)
    return out.getvalue()

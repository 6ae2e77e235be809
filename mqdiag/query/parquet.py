"""An answer as a Parquet file, with the types that DuckDB gave its columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from mqdiag.errors import UsageError
from mqdiag.query.values import distinct_names
from mqdiag.text import say


def write_parquet(schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> None:
    """Write all rows to an open file, one batch after the other.

    Raises:
        UsageError: Parquet has no type for a column, or a value is out of its range.
    """
    names = distinct_names(schema.names)
    renamed = pa.schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])
    try:
        with pq.ParquetWriter(file, renamed) as writer:
            for batch in batches:
                writer.write_batch(batch.rename_columns(names))
    except pa.ArrowException as error:
        raise UsageError(
            say("Parquet cannot hold a column: {message}; cast it to VARCHAR", message=str(error))
        ) from None

"""Parquet files as DataFrames.

Spark reads local and mounted ones itself. Those of an object store are read by the executors through pyarrow, so that
no Hadoop jars for it are needed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.arrow import BATCH, TYPES, full_schema, table_rows
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.schemas import SPARK_TYPES

FILES_PER_TASK = 16
_SPARK_TYPES = {TYPES[name]: SPARK_TYPES[name] for name in SPARK_TYPES}


def ddl(schema: pa.Schema) -> str:
    """An Arrow schema as Spark writes it."""
    return ", ".join(f"`{field.name}` {_SPARK_TYPES[field.type]}" for field in schema)


def table_frame(spark: SparkSession, layout: Layout, table: str, runs: set[str]) -> DataFrame:
    """A table's rows of some runs."""
    schema = ddl(full_schema(table))
    if not layout.store.is_local:
        uris = [(layout.store.uri(file.path),) for file in layout.files(table, runs)]
        return _stored_frame(spark, table, uris, schema) if uris else _nothing(spark, schema)
    folders = [folder for run in sorted(runs) if layout.store.is_folder(folder := layout.partition(table, run))]
    if not folders:
        return _nothing(spark, schema)
    reader = spark.read.schema(schema).option("basePath", f"file://{layout.root}/{table}")
    return reader.parquet(*(f"file://{folder}" for folder in folders))


def _stored_frame(spark: SparkSession, table: str, uris: list[tuple[str]], schema: str) -> DataFrame:
    """Rows of files in an object store."""
    tasks = max(1, min(len(uris) // FILES_PER_TASK, 4096))

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for uri in batch["uri"].to_pylist():
                store, path = storage(uri)
                yield from table_rows(store, table, [path]).to_batches(batch_size=BATCH)

    # PySpark asks for a version of pandas even where only Arrow is used, and warns about the newest.
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
    return spark.createDataFrame(uris, "uri string").repartition(tasks).mapInArrow(read, schema)


def _nothing(spark: SparkSession, schema: str) -> DataFrame:
    """No rows, in a form from which the optimizer knows it, and leaves out what would be joined."""
    return spark.createDataFrame([], schema).limit(0)

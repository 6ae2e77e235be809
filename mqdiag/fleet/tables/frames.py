"""Parquet files as DataFrames.

Spark reads local and mounted ones itself. Those of an object store are read by the executors through pyarrow, so that
no Hadoop jars for it are needed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.arrow import TYPES, full_schema
from mqdiag.fleet.tables.layout import Layout, TableFile
from mqdiag.fleet.tables.schemas import ALL_TABLES, SPARK_TYPES

BATCH = 10_000
FILES_PER_TASK = 16
_SPARK_TYPES = {TYPES[name]: SPARK_TYPES[name] for name in SPARK_TYPES}


def ddl(schema: pa.Schema) -> str:
    """An Arrow schema as Spark writes it."""
    return ", ".join(f"`{field.name}` {_SPARK_TYPES[field.type]}" for field in schema)


def quiet_about_pandas() -> None:
    """PySpark asks for a version of pandas even where only Arrow is used, and warns about the newest."""
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")


def table_frame(spark: SparkSession, layout: Layout, table: str, runs: set[str]) -> DataFrame:
    """A table's rows of some runs."""
    schema = full_schema(table)
    if not layout.store.is_local:
        return _stored_frame(spark, list(layout.files(table, runs)), ALL_TABLES[table].partitions, schema)
    folders = [folder for run in sorted(runs) if layout.store.is_folder(folder := layout.partition(table, run))]
    if not folders:
        return _nothing(spark, schema)
    reader = spark.read.schema(ddl(schema)).option("basePath", f"file://{layout.root}/{table}")
    return reader.parquet(*(f"file://{folder}" for folder in folders))


def _stored_frame(
    spark: SparkSession, files: list[TableFile], partitions: tuple[str, ...], schema: pa.Schema
) -> DataFrame:
    """Rows of files in an object store, each with the columns that its folders name."""
    if not files:
        return _nothing(spark, schema)
    tasks = max(1, min(len(files) // FILES_PER_TASK, 4096))
    names = pa.schema([pa.field(name, pa.string()) for name in ("__uri", *partitions)])
    rows = [(file.uri, *(getattr(file, name) for name in partitions)) for file in files]
    frame = spark.createDataFrame(rows, ddl(names)).repartition(tasks)
    encoded = schema.serialize().to_pybytes()

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        target = pa.ipc.read_schema(pa.BufferReader(encoded))
        for batch in batches:
            for row in batch.to_pylist():
                yield from _read(row, target)

    quiet_about_pandas()
    return frame.mapInArrow(read, ddl(schema))


def _nothing(spark: SparkSession, schema: pa.Schema) -> DataFrame:
    """No rows, in a form from which the optimizer knows it, and leaves out what would be joined."""
    return spark.createDataFrame([], ddl(schema)).limit(0)


def _read(row: dict[str, str], target: pa.Schema) -> Iterator[pa.RecordBatch]:
    store, path = storage(row["__uri"])
    with store.open(path) as raw:
        file = pq.ParquetFile(raw)
        present = [name for name in target.names if name in file.schema_arrow.names]
        for batch in file.iter_batches(batch_size=BATCH, columns=present):
            columns = [
                batch.column(field.name)
                if field.name in present
                else pa.array([row.get(field.name)] * len(batch), type=field.type)
                for field in target
            ]
            # A file of an older minor version lacks a column, which is unknown then.
            yield pa.RecordBatch.from_arrays(columns, schema=target)

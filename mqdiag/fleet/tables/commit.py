"""From results to tables: every incident of the plan once, all tables of a run at once.

1. Executors write part files with names that follow from the plan, so a task that runs twice writes the same file.
2. The driver moves the finished tables into their place (a local or mounted output; in an object store the parts are
   written there at once) and writes the run's mark last. A run without its mark counts for nothing: the next run
   removes its partitions and makes them anew from the results, which are kept until the mark is there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from typing import Any

from pyspark import SparkContext
from pyspark.sql import DataFrame

from mqdiag.errors import MqdiagError
from mqdiag.fleet.files.storage import Storage, storage
from mqdiag.fleet.tables.arrow import parquet
from mqdiag.fleet.tables.layout import Layout, partition_value
from mqdiag.fleet.tables.schemas import TABLES
from mqdiag.fleet.work.results import RESULTS, read_result, remove_results

CHUNK = 1_000
"""incidents in a part file"""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part file of each table: some incidents of one service."""

    service: str
    number: int
    incidents: tuple[str, ...]


def write_tables(
    context: SparkContext, layout: Layout, run: str, done: Iterator[tuple[str, str]], known: DataFrame
) -> None:
    """Write all tables of a run.

    Args:
        context: of the session.
        layout: the output.
        run: its name.
        done: service and key of each incident analysed in this run, ordered by service.
        known: rows of `incidents` that an earlier run had done.

    Raises:
        MqdiagError: a result is missing.
    """
    target = _target(layout, run)
    if target != layout.root:
        layout.store.remove_folder(target)
    out = layout.uri
    first = True
    for parts in _batches(_parts(done), 500):
        context.parallelize(parts, len(parts)).foreach(partial(_write_part, out, target, run))
        first = False
    _write_known(layout, target, run, known)
    if first:
        _write_empty(layout.store, target, run)


def _write_part(out: str, target: str, run: str, part: Part) -> None:
    """The part files of some incidents, from their results."""
    store, root = storage(out)
    rows: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES}
    for incident in part.incidents:
        result = read_result(store, root, incident)
        if result is None:
            raise MqdiagError(f"the result of incident {incident} is gone")
        for table, of_table in result.rows.items():
            rows[table] += of_table
    for row in rows["incidents"]:
        row["analysed_in"] = run
    for table, of_table in rows.items():
        # The first part holds every table, so that none is missing where nothing was found.
        if of_table or part.number == 0:
            _put(store, target, table, run, part.service, f"part-{part.number:05d}", of_table)


def publish(layout: Layout, run: str) -> None:
    """Put the written tables into their place; `incidents` comes last, as queries start from it."""
    staged = _target(layout, run)
    if staged == layout.root:
        return
    for table in TABLES:
        source = f"{staged}/{table}/run={run}"
        if os.path.isdir(source):
            target = layout.partition(table, run)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            os.rename(source, target)


def clean_up(context: SparkContext, layout: Layout, run: str, done: Iterator[tuple[str, str]]) -> None:
    """After the mark: remove the run's lists, and the results that are in the tables now."""
    out = layout.uri
    for parts in _batches(_parts(done), 500):
        context.parallelize(parts, len(parts)).foreach(partial(_remove_one, out))
    layout.store.remove_folder(f"{layout.staging}/{run}")


def _remove_one(out: str, part: Part) -> None:
    remove_results(out, part.incidents)


def remove_unmarked(layout: Layout) -> None:
    """Remove what a run left that was stopped, but for the results: its lists, and tables without a mark."""
    if layout.store.is_folder(layout.staging):
        for place in layout.store.walk(layout.staging):
            if isinstance(place, str) and not place.endswith(f"/{RESULTS}"):
                layout.store.remove_folder(place)
    whole = {mark.run for mark in layout.runs()}
    for run in layout.partitioned_runs() - whole:
        for table in TABLES:
            layout.store.remove_folder(layout.partition(table, run))


def _target(layout: Layout, run: str) -> str:
    return f"{layout.staging}/{run}/tables" if layout.store.is_local else layout.root


def _parts(done: Iterator[tuple[str, str]]) -> Iterator[Part]:
    service: str | None = None
    number, incidents = 0, list[str]()
    for next_service, incident in done:
        if incidents and (next_service != service or len(incidents) == CHUNK):
            assert service is not None
            yield Part(service=service, number=number, incidents=tuple(incidents))
            number, incidents = number + 1, []
        if next_service != service:
            number = 0
        service = next_service
        incidents.append(incident)
    if incidents and service is not None:
        yield Part(service=service, number=number, incidents=tuple(incidents))


def _batches(parts: Iterator[Part], size: int) -> Iterator[list[Part]]:
    batch: list[Part] = []
    for part in parts:
        batch.append(part)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _write_known(layout: Layout, target: str, run: str, known: DataFrame) -> None:
    """The rows of incidents that were done before, with this run's name."""
    service: str | None = None
    number, rows = 0, list[dict[str, Any]]()
    for row in known.orderBy("service", "incident").toLocalIterator():
        if rows and (row["service"] != service or len(rows) == CHUNK):
            _put(layout.store, target, "incidents", run, str(service), f"known-{number:05d}", rows)
            number, rows = number + 1, []
        service = row["service"]
        # Spark hands out times without a zone, in that of this machine.
        rows.append(
            {**row.asDict(), "window_start": row["window_start"] and row["window_start"].astimezone(UTC)}
        )
    if rows:
        _put(layout.store, target, "incidents", run, str(service), f"known-{number:05d}", rows)


def _write_empty(store: Storage, target: str, run: str) -> None:
    """A run with nothing new still has all its tables."""
    for table in TABLES:
        _put(store, target, table, run, "none", "part-00000", [])


def _put(
    store: Storage, target: str, table: str, run: str, service: str, name: str, rows: list[dict[str, Any]]
) -> None:
    folder = f"{target}/{table}/run={run}/service={partition_value(service)}"
    store.write(f"{folder}/{name}.parquet", parquet(table, rows))

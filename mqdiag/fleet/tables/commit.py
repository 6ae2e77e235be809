"""From results to tables: every incident of the plan once, all tables of a run at once.

1. Executors write part files with names that follow from the plan, so a task that runs twice writes the same file.
2. The driver moves the finished tables into their place (a local or mounted output; in an object store the parts are
   written there at once) and writes the run's mark last. A run that fails before its mark removes its tables. Those of
   a run that was killed count for nothing, and the next run or compaction removes them. The results are kept until the
   mark is there: the next run makes the tables from them.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark import SparkContext

from mqdiag.errors import MqdiagError
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.arrow import in_order, parquet, pieces, table_bytes
from mqdiag.fleet.tables.layout import Layout, RunMark
from mqdiag.fleet.tables.schemas import ALL_TABLES, HISTORY, INCIDENTS, RUNS, TABLES, UNKNOWN_DAY
from mqdiag.fleet.work.results import RESULTS, read_result
from mqdiag.text import say

CHUNK = 1_000
"""incidents in a part file"""
BATCH = 500
"""parts that one Spark job writes"""
TASKS_PER_CORE = 2


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part file of each table: some incidents of one day, those of a service together."""

    number: int
    day: str
    incidents: tuple[str, ...]


def write_tables(
    context: SparkContext,
    layout: Layout,
    run: str,
    done: Iterator[tuple[str, str]],
    taken_over: Iterator[pa.Table],
) -> None:
    """Write all tables of a run.

    Args:
        context: of the session.
        layout: the output.
        run: its name.
        done: day and key of each incident analysed in this run, in the order of their rows.
        taken_over: rows of `incidents` that were done before.

    Raises:
        MqdiagError: a result is missing.
    """
    target = _staged(layout, run)
    if target != layout:
        layout.store.remove_folder(target.root)
    # With it no table lacks a file, and no engine takes the names of days for dates in one run and for text in another.
    empty = {target.part(table, run, UNKNOWN_DAY, 0): table for table in TABLES}
    for path, table in empty.items():
        layout.store.write(path, parquet(table, []), durable=False)
    layout.store.settle(list(empty))
    parts = _parts(done)
    while batch := list(itertools.islice(parts, BATCH)):
        tasks = min(len(batch), context.defaultParallelism * TASKS_PER_CORE)
        context.setJobDescription("mqdiag: write tables")
        context.parallelize(batch, tasks).foreachPartition(partial(_write_parts, layout.uri, target.root, run))
    for number, rows in enumerate(pieces(taken_over, len, CHUNK)):
        path = f"{target.partition(INCIDENTS.name, run)}/known-{number:05d}.parquet"
        layout.store.write(path, table_bytes(in_order(rows)))


def _write_parts(out: str, target: str, run: str, parts: Iterable[Part]) -> None:
    store, root = storage(out)
    # One after the other each file would wait for the disk; together they wait once.
    store.settle([path for part in parts for path in _write_part(root, Layout(store, target), run, part)])


def _write_part(root: str, target: Layout, run: str, part: Part) -> Iterator[str]:
    """The part files of some incidents, from their results."""
    rows: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES}
    for incident in part.incidents:
        result = read_result(target.store, root, incident)
        if result is None:
            raise MqdiagError(say("the result of incident {incident} is gone", incident=incident))
        for table, of_table in result.rows.items():
            rows[table] += of_table
    for row in rows["incidents"]:
        row["analysed_in"] = run
    for table, of_table in rows.items():
        if of_table:
            path = target.part(table, run, part.day, part.number)
            target.store.write(path, parquet(table, of_table), durable=False)
            yield path


def publish(layout: Layout, run: str) -> None:
    """Put the written tables of incidents into their place; `incidents` comes last, as queries start from it."""
    staged = _staged(layout, run)
    if staged == layout:
        return
    for table in TABLES:
        source = staged.partition(table, run)
        if os.path.isdir(source):
            target = layout.partition(table, run)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            os.rename(source, target)


def clean_up(layout: Layout, run: str) -> None:
    """After the mark of a run: remove the histories that its own replaces, and all unfinished work."""
    remove_replaced(layout, run)
    # A late copy of a task can put a file into a folder that is just being removed; the next run removes it.
    with contextlib.suppress(OSError):
        layout.store.remove_folder(layout.staging)


def remove_replaced(layout: Layout, run: str) -> None:
    """Remove the histories of other runs, if the run has one."""
    histories = layout.partitions_of(HISTORY.name)
    for earlier in histories - {run} if run in histories else ():
        layout.store.remove_folder(layout.partition(HISTORY.name, earlier))


@contextlib.contextmanager
def whole_or_nothing(layout: Layout) -> Iterator[None]:
    """Write the tables of a run: if that fails before the mark is there, no reader finds them afterwards."""
    try:
        yield
    except (Exception, KeyboardInterrupt):
        # What cannot be removed now, or comes late from an executor, is removed by the next run or compaction.
        with contextlib.suppress(OSError):
            remove_unmarked(layout)
        raise


def remove_unmarked(layout: Layout) -> None:
    """Remove what a run left that was stopped, but for the results: its unfinished tables, and those without a mark."""
    if layout.store.is_folder(layout.staging):
        for place in layout.store.walk(layout.staging):
            if isinstance(place, str) and not place.endswith(f"/{RESULTS}"):
                layout.store.remove_folder(place)
    whole = layout.names()
    for table in ALL_TABLES:
        for run in layout.partitions_of(table) - whole:
            layout.store.remove_folder(layout.partition(table, run))
        layout.store.remove_empty_folder(layout.folder(table))


def _staged(layout: Layout, run: str) -> Layout:
    """Where the tables of a run are written; an object store has them in their place at once."""
    return Layout(layout.store, f"{layout.staging}/{run}/tables") if layout.store.is_local else layout


def _parts(done: Iterator[tuple[str, str]]) -> Iterator[Part]:
    numbers = itertools.count(1)
    for day, of_day in itertools.groupby(done, key=lambda pair: pair[0]):
        keys = (key for _, key in of_day)
        while incidents := tuple(itertools.islice(keys, CHUNK)):
            yield Part(number=next(numbers), day=day, incidents=incidents)


def write_run(layout: Layout, mark: RunMark) -> None:
    """The run's own row, once its other tables are in their place."""
    row = {column.name: getattr(mark, column.field or column.name) for column in RUNS.own}
    layout.store.write(layout.part(RUNS.name, mark.run, "", 0), parquet(RUNS.name, [row]))

"""The analysis on Spark: one incident a task, largest first, in waves that keep the driver small."""

from __future__ import annotations

import gc
import itertools
import threading
from collections.abc import Iterable, Iterator

import msgspec
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, Row, SparkSession

from mqdiag.errors import MqdiagError
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.session import spark_cause
from mqdiag.fleet.status import Status
from mqdiag.fleet.tables.frames import quiet_about_pandas
from mqdiag.fleet.work.item import Job, WorkItem
from mqdiag.fleet.work.results import write_result
from mqdiag.fleet.work.task import given_up, run_item
from mqdiag.fleet.work.worklist import Todo
from mqdiag.text import say

WAVE = 5_000
"""tasks of one Spark job: its scheduler keeps some kilobytes for each until the job ends"""
ATTEMPTS = 3
"""an incident that has ended so many executors or Python workers is not tried again"""
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
_SLICES = "spark.sql.leafNodeDefaultParallelism"


def run_waves(spark: SparkSession, items: Iterator[Todo], job: Job, status: Status) -> None:
    """Analyse everything.

    Args:
        spark: the session.
        items: largest first.
        job: what tasks are told.
        status: told what is under way and done.

    Raises:
        MqdiagError: Spark gave up.
    """
    shared = spark.sparkContext.broadcast(job)
    try:
        while wave := list(itertools.islice(items, WAVE)):
            _run_wave(spark, wave, shared, status)
    finally:
        shared.destroy()


def work_frame(spark: SparkSession, wave: list[Todo]) -> DataFrame:
    """The work items as a DataFrame: bytes and item, one row a partition, in the order of work.

    The driver's list is its source: whatever is lost, a task that runs again gets the same item.
    """
    quiet_about_pandas()
    before = {key: spark.conf.get(key) for key in (_BATCH, _SLICES)}
    try:
        # A small table becomes as many slices as the second allows; of a large one each batch is a partition.
        spark.conf.set(_BATCH, "1")
        spark.conf.set(_SLICES, str(len(wave)))
        columns = [pa.array([todo.bytes for todo in wave], pa.int64()), pa.array([todo.item for todo in wave])]
        frame = spark.createDataFrame(pa.table(columns, names=["bytes", "item"]))
        frame.rdd.getNumPartitions()  # plans it, while the settings hold
        return frame
    finally:
        for key, value in before.items():
            if value is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, value)


def _run_wave(spark: SparkSession, wave: list[Todo], shared: object, status: Status) -> None:
    context = spark.sparkContext
    done_bytes = context.accumulator(0)
    failed = context.accumulator(0)

    def work(rows: Iterable[Row]) -> None:
        for row in rows:
            read = _one(msgspec.json.decode(row["item"], type=WorkItem), shared.value)  # type: ignore[attr-defined]
            done_bytes.add(row["bytes"])
            failed.add(0 if read else 1)
        _spare_the_collector()

    tasks = work_frame(spark, wave)
    trouble: list[BaseException] = []

    def act() -> None:
        try:
            tasks.foreachPartition(work)
        except BaseException as error:
            trouble.append(error)

    status.wave(len(wave), lambda: (done_bytes.value, failed.value))
    context.setJobGroup(status.GROUP, "mqdiag fleet: analysis")
    thread = threading.Thread(target=act, name="mqdiag-wave", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(status.LOOK_S)
        status.look(context.statusTracker())
    status.wave_done()
    if trouble:
        raise MqdiagError(
            say(
                "Spark gave up: {spark_cause}; run the same again to go on", spark_cause=spark_cause(trouble[0])
            )
        ) from trouble[0]


_spared = False


def _spare_the_collector() -> None:
    """Leave what the first task has loaded out of garbage collections.

    PySpark collects after every task, and goes through all of pandas and Arrow each time, which takes a worker longer
    than all else that it does for one incident.
    """
    global _spared
    if not _spared:
        gc.collect()
        gc.freeze()
        _spared = True


def _one(item: WorkItem, job: Job) -> bool:
    context = TaskContext.get()
    attempt = 0 if context is None else context.attemptNumber()
    if attempt >= ATTEMPTS:
        store, out = storage(job.out)
        write_result(store, out, item.incident, given_up(item, job, attempt))
        return False
    return run_item(item, job)

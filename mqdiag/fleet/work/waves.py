"""The analysis on Spark: largest incidents first, small ones together, in waves that keep the driver small."""

from __future__ import annotations

import gc
import itertools
import threading
from collections.abc import Iterable, Iterator

import msgspec
from pyspark import SparkContext, TaskContext

from mqdiag.fleet.status import Status
from mqdiag.fleet.work.item import Job, WorkItem
from mqdiag.fleet.work.task import TASK_ITEMS, run_item

WAVE = 5_000
"""tasks of one Spark job: its scheduler keeps some kilobytes for each until the job ends"""
TASK_BYTES = 4 << 20
TASKS_PER_CORE = 4
"""a small fleet is not divided into fewer tasks, so that all cores end at the same time"""


def run_waves(
    context: SparkContext, items: Iterator[tuple[int, str]], job: Job, status: Status, count: int
) -> None:
    """Analyse everything.

    Args:
        context: of the session.
        items: bytes of each and its work item as JSON, the largest first.
        job: what tasks are told.
        status: told what is under way and done.
        count: number of items.
    """
    shared = context.broadcast(job)
    most = max(1, min(TASK_ITEMS, count // (context.defaultParallelism * TASKS_PER_CORE)))
    tasks = in_tasks(items, most)
    try:
        while wave := list(itertools.islice(tasks, WAVE)):
            _run_wave(context, wave, shared, status)
    finally:
        shared.destroy()


def in_tasks(items: Iterable[tuple[int, str]], most: int) -> Iterator[list[str]]:
    """What each task analyses, as JSON of work items: a large incident alone, small ones together.

    Args:
        items: bytes and work item of each, the largest first.
        most: incidents of a task; at least one.
    """
    task: list[str] = []
    size = 0
    for of_item, item in items:
        if task and (size + of_item > TASK_BYTES or len(task) >= most):
            yield task
            task, size = [], 0
        task.append(item)
        size += of_item
    if task:
        yield task


def _run_wave(context: SparkContext, wave: list[list[str]], shared: object, status: Status) -> None:
    done, done_bytes, failed = status.done, status.done_bytes, status.failed

    def work(tasks: Iterable[list[str]]) -> None:
        attempt = TaskContext.get().attemptNumber()  # type: ignore[union-attr]
        for text in itertools.chain.from_iterable(tasks):
            item = msgspec.json.decode(text, type=WorkItem)
            failed.add(0 if run_item(item, shared.value, attempt) else 1)  # type: ignore[attr-defined]
            done.add(1)
            done_bytes.add(item.bytes)
        _spare_the_collector()

    trouble: list[BaseException] = []

    def act() -> None:
        try:
            # The driver's list is the source: a task that runs again gets the same incidents.
            context.setJobDescription("mqdiag: analyse incidents")
            context.parallelize(wave, len(wave)).foreachPartition(work)
        except BaseException as error:
            trouble.append(error)

    thread = threading.Thread(target=act, name="mqdiag-wave", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(status.LOOK_S)
        status.look()
    if trouble:
        raise trouble[0]


_spared = False


def _spare_the_collector() -> None:
    """Leave what the first task has loaded out of garbage collections.

    PySpark collects after every task, and goes through all of Arrow and its own modules each time, which takes longer
    than all else that it does for one incident.
    """
    global _spared
    if not _spared:
        gc.collect()
        gc.freeze()
        _spared = True

"""Has every node compile the kernels, and start its analysing processes, before the first incident comes."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable

from pyspark import SparkContext

from mqdiag.errors import UsageError
from mqdiag.fleet.options import Limits
from mqdiag.fleet.work import analyse
from mqdiag.fleet.work.scratch import remove_leftovers
from mqdiag.fleet.work.task import warm_child
from mqdiag.text import say

TASKS_PER_CORE = 2
NEEDED = ("mqdiag", "msgspec", "numpy", "pyarrow")
"""packages of executors"""


def warm_nodes(context: SparkContext, scratch: str | None, limits: Limits) -> None:
    """Run the warming on all executors at once; on a node they wait for each other, and one compiles.

    An executor that comes later warms its node when its first worker child starts.

    Args:
        context: of the session.
        scratch: where killed predecessors may have left something.
        limits: of the processes.

    Raises:
        UsageError: an executor lacks a package.
    """
    tasks = context.defaultParallelism * TASKS_PER_CORE
    _check_packages(context, tasks)

    def warm(_: Iterable[int]) -> None:
        remove_leftovers(scratch)
        analyse.warm()
        warm_child(limits).start()
        for module in ("mqdiag.fleet.work.plan", "mqdiag.fleet.tables.commit"):
            importlib.import_module(module)  # of the tasks that come, with all of Arrow

    context.setJobDescription("mqdiag: start workers")
    context.parallelize(range(tasks), tasks).foreachPartition(warm)


def _check_packages(context: SparkContext, tasks: int) -> None:
    """Ask before any task of mqdiag runs: where it is missing, each fails, and is tried again tens of times."""
    context.setJobDescription("mqdiag: look for packages")
    # Functions of Python's own library alone: one of mqdiag fails where it is not installed.
    found = context.parallelize(NEEDED * tasks, tasks).map(importlib.util.find_spec).map(bool).collect()
    names = dict.fromkeys(name for name, is_there in zip(NEEDED * tasks, found, strict=True) if not is_there)
    if names:
        raise UsageError(
            say(
                "the Python of executors lacks {names}: install mqdiag[spark] on all nodes, or send an environment with"
                " the job (docs/fleet.md, Operation)",
                names=tuple(names),
            )
        )

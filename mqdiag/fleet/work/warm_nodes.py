"""Has every node compile the kernels, and start its analysing processes, before the first incident comes."""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from pyspark import SparkContext

from mqdiag.fleet.options import Limits
from mqdiag.fleet.work import analyse
from mqdiag.fleet.work.scratch import remove_leftovers
from mqdiag.fleet.work.task import warm_child

TASKS_PER_CORE = 2


def warm_nodes(context: SparkContext, scratch: str | None, limits: Limits) -> None:
    """Run the warming on all executors at once; on a node they wait for each other, and one compiles.

    An executor that comes later warms its node when its first worker child starts.

    Args:
        context: of the session.
        scratch: where killed predecessors may have left something.
        limits: of the processes.
    """
    tasks = context.defaultParallelism * TASKS_PER_CORE

    def warm(_: Iterable[int]) -> None:
        remove_leftovers(scratch)
        analyse.warm()
        warm_child(limits).start()
        for module in ("mqdiag.fleet.work.plan", "mqdiag.fleet.tables.commit"):
            importlib.import_module(module)  # of the tasks that come, with all of Arrow

    context.setJobDescription("mqdiag: start workers")
    context.parallelize(range(tasks), tasks).foreachPartition(warm)

"""Has every node compile the kernels before the first incident comes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

from pyspark import SparkContext

from mqdiag.fleet.work.scratch import remove_leftovers
from mqdiag.kernel import folder

TASKS_PER_CORE = 2


def warm_nodes(context: SparkContext, scratch: str | None) -> None:
    """Run the warming on all executors at once; on a node they wait for each other, and one compiles.

    An executor that comes later warms its node when its first worker child starts.
    """
    tasks = context.defaultParallelism * TASKS_PER_CORE

    def warm(_: Iterable[int]) -> None:
        remove_leftovers(scratch)
        if folder.is_ready():
            return
        # A process of its own: the compiler's memory is not kept in Spark's worker.
        subprocess.run(
            [sys.executable, "-c", "from mqdiag.fleet.work.analyse import warm; warm()"],
            check=True,
            timeout=1800,
        )

    context.parallelize(range(tasks), tasks).foreachPartition(warm)

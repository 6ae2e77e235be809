"""Has every node compile the kernels, and start its analysing processes, before the first incident comes."""

from __future__ import annotations

import importlib
import importlib.util
import os
import socket
from collections.abc import Iterable, Iterator

from py4j.protocol import Py4JError
from pyspark import SparkContext

from mqdiag.errors import UsageError, first_line
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.options import Limits
from mqdiag.fleet.session import spark_cause
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.lock import NAME
from mqdiag.fleet.work import analyse
from mqdiag.fleet.work.scratch import remove_leftovers
from mqdiag.fleet.work.task import warm_child
from mqdiag.text import Text, say

TASKS_PER_CORE = 2
NO_PROGRAM = "Cannot run program"
"""what Java says of a program that is not there"""
NEEDED = ("mqdiag", "msgspec", "numpy", "pyarrow")
"""packages of executors"""


def warm_nodes(context: SparkContext, out: str, scratch: str | None, limits: Limits) -> None:
    """Run the warming on all executors at once; on a node they wait for each other, and one compiles.

    An executor that comes later warms its node when its first worker child starts.

    Args:
        context: of the session.
        out: URI of the output, which the driver holds.
        scratch: where killed predecessors may have left something.
        limits: of the processes.

    Raises:
        UsageError: an executor has no Python, lacks a package, or cannot write to the output.
    """
    tasks = context.defaultParallelism * TASKS_PER_CORE
    _check_packages(context, tasks)

    def warm(_: Iterable[int]) -> Iterator[Text]:
        if (trouble := output_trouble(out)) is not None:
            yield trouble
            return
        remove_leftovers(scratch)
        analyse.warm()
        warm_child(limits).start()
        for module in ("mqdiag.fleet.work.plan", "mqdiag.fleet.tables.commit"):
            importlib.import_module(module)  # of the tasks that come, with all of Arrow

    context.setJobDescription("mqdiag: start workers")
    for trouble in context.parallelize(range(tasks), tasks).mapPartitions(warm).collect():
        raise UsageError(trouble)


def output_trouble(out: str) -> Text | None:
    """Why this node cannot write results for the driver; None where it can.

    Args:
        out: URI of the output, which the driver holds.
    """
    layout = Layout(*storage(out))
    probe = f"{layout.staging}/probe-{socket.gethostname()}-{os.getpid()}"
    try:
        reason = "the folder of the driver is not there"
        if layout.store.entry(f"{layout.root}/{NAME}") is not None:
            layout.store.write(probe, b"", durable=False)
            layout.store.remove_file(probe)
            return None
    except OSError as error:
        reason = first_line(error)
    return say(
        "the executor on {host} cannot write to --out {root}: {reason}; name an output that all nodes share",
        host=socket.gethostname(),
        root=layout.root,
        reason=reason,
    )


def _check_packages(context: SparkContext, tasks: int) -> None:
    """Ask before any task of mqdiag runs: where it is missing, each fails, and is tried again tens of times."""
    context.setJobDescription("mqdiag: look for packages")
    # Functions of Python's own library alone: one of mqdiag fails where it is not installed.
    looked = context.parallelize(NEEDED * tasks, tasks).map(importlib.util.find_spec).map(bool)
    try:
        found = looked.collect()
    except Py4JError as error:
        if NO_PROGRAM not in (cause := spark_cause(error)):
            raise
        raise UsageError(
            say(
                "executors have no such Python; name one with --conf spark.pyspark.python: {cause}", cause=cause
            )
        ) from error
    names = dict.fromkeys(name for name, is_there in zip(NEEDED * tasks, found, strict=True) if not is_there)
    if names:
        raise UsageError(
            say(
                "the Python of executors lacks {names}: install mqdiag[spark] on all nodes, or send an environment with"
                " the job (docs/fleet.md, Operation)",
                names=tuple(names),
            )
        )

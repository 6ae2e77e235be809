"""Thread pools on the way to an accumulation point: the tasks that wait, and the names of the threads."""

from __future__ import annotations

import re
from collections import Counter

import msgspec
import numpy as np

from mqdiag.graph.collections import items
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.graph.holders.own_classes import is_jdk, named_class
from mqdiag.graph.paths import edge_name

_EXECUTORS = "java.util.concurrent.ThreadPoolExecutor"
_WRAPPERS = "java.util.concurrent.Executors$"
_MOST_WRAPPERS = 3


_FORK_JOIN = "java.util.concurrent.ForkJoinPool"
_FORK_JOIN_QUEUE = f"{_FORK_JOIN}$WorkQueue"
_COMMON_POOL = "ForkJoinPool.commonPool"
_TASK_FIELDS = ("fn", "runnable", "callable", "action")
"""fields of CompletableFuture's tasks and of ForkJoinTask's adapters: what the user gave"""


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """A ThreadPoolExecutor or a ForkJoinPool.

    `threads` is what the names of its threads have in common, None without threads. `label` is the field that holds the
    pool, or the name of the JDK's common pool.
    """

    executor: int
    queue_class: str
    tasks: int
    task_class: str | None
    threads: str | None
    label: str | None


def pool_on(heap: Heap, nodes: tuple[int, ...], point: int) -> Pool | None:
    """The pool that has the weight in its queue: one on the way, or one that refers to a queue on the way."""
    fork_join = _fork_join_pool(heap, (*nodes, point))
    if fork_join is not None:
        return fork_join
    rows = set(heap.classes.subclasses(heap.classes.indices_named(_EXECUTORS)).tolist())
    for node in (*nodes, point):
        if int(heap.index.rows[node]) in rows and node not in heap.class_of_node:
            return _pool(heap, node)
    return _owner_of_queue(heap, {*nodes, point}, sorted(rows))


def _owner_of_queue(heap: Heap, way: set[int], rows: list[int]) -> Pool | None:
    executors = heap.instances(rows, subclasses=False)
    queues = heap.refs(executors, "workQueue")
    for executor, queue in zip(executors.tolist(), queues.tolist(), strict=True):
        if queue >= 0 and queue in way:
            return _pool(heap, executor)
    return None


def _pool(heap: Heap, executor: int) -> Pool | None:
    queue = heap.ref(executor, "workQueue")
    tasks = items(heap, np.array([queue], np.int32))[1]
    if not tasks.size:
        return None
    inner = heap.refs(tasks, "callable")
    wrapped = heap.refs(inner, "task")
    inner = np.where(wrapped >= 0, wrapped, inner)
    workers = items(heap, np.array([heap.ref(executor, "workers")], np.int32))[1]
    return Pool(
        executor=executor,
        queue_class=heap.class_name(queue),
        tasks=tasks.size,
        task_class=_commonest_class(heap, np.where(inner >= 0, inner, tasks)),
        threads=_common_name(heap, heap.refs(workers, "thread")),
        label=field_of(heap, executor),
    )


def _fork_join_pool(heap: Heap, way: tuple[int, ...]) -> Pool | None:
    """The ForkJoinPool that has a queue on the way; a queue does not refer to its pool, its array of queues does."""
    rows = heap.classes.indices_named(_FORK_JOIN_QUEUE)
    queue = next((node for node in way if int(heap.index.rows[node]) in rows), None)
    if queue is None:
        return None
    pools = heap.instances(heap.classes.indices_named(_FORK_JOIN))
    for field in ("queues", "workQueues"):  # since JDK 17, and before
        owners, queues = heap.elements(heap.refs(pools, field))
        if queue in queues:
            break
    else:
        return None
    executor = int(pools[owners[queues == queue][0]])
    own_queues = queues[pools[owners] == executor]
    tasks = heap.elements(heap.refs(own_queues, "array"))[1]
    if not tasks.size:
        return None
    given = tasks.copy()
    for field in _TASK_FIELDS:
        inner = heap.refs(tasks, field)
        given = np.where((inner >= 0) & (given == tasks), inner, given)
    common = any(
        heap.classes.static_ref(row, "common") == executor for row in heap.classes.indices_named(_FORK_JOIN)
    )
    return Pool(
        executor=executor,
        queue_class=_FORK_JOIN_QUEUE,
        tasks=tasks.size,
        task_class=_commonest_class(heap, given),
        threads=_common_name(heap, heap.refs(own_queues, "owner")),
        label=_COMMON_POOL if common else field_of(heap, executor),
    )


def _commonest_class(heap: Heap, tasks: Nodes) -> str:
    return heap.classes.names[Counter(heap.index.rows[tasks].tolist()).most_common(1)[0][0]]


def _common_name(heap: Heap, threads: Nodes) -> str | None:
    names = [name for name in heap.strings(heap.refs(threads, "name")) if name]
    return re.sub(r"\d+$", "*", min(names)) if names else None


def field_of(heap: Heap, executor: int) -> str | None:
    """The field outside the JDK that refers to a pool, or to what the JDK wraps around it."""
    at = np.array([executor], np.int32)
    for _ in range(_MOST_WRAPPERS):
        positions, holders = heap.referrers(at)
        for position, holder in zip(positions.tolist(), holders.tolist(), strict=True):
            if not is_jdk(named_class(heap, holder)):
                return edge_name(heap, holder, int(at[position]))
        wrappers = [node for node in holders.tolist() if heap.class_name(node).startswith(_WRAPPERS)]
        if not wrappers:
            return None
        at = np.array(wrappers, np.int32)
    return None

"""Thread pools on the way to an accumulation point: the tasks that wait, and the names of the threads."""

from __future__ import annotations

import re
from collections import Counter

import msgspec
import numpy as np

from mqdiag.graph.collections import items
from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.own_classes import is_jdk, named_class
from mqdiag.graph.paths import edge_name

_EXECUTORS = "java.util.concurrent.ThreadPoolExecutor"
_WRAPPERS = "java.util.concurrent.Executors$"
_MOST_WRAPPERS = 3


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """A ThreadPoolExecutor. `threads` is what the names of its threads have in common, None without threads."""

    executor: int
    tasks: int
    task_class: str | None
    threads: str | None


def pool_on(heap: Heap, nodes: tuple[int, ...], point: int) -> Pool | None:
    """The pool that has the weight in its queue: one on the way, or one that refers to a queue on the way."""
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
    tasks = items(heap, np.array([heap.ref(executor, "workQueue")], np.int32))[1]
    if not tasks.size:
        return None
    inner = heap.refs(tasks, "callable")
    wrapped = heap.refs(inner, "task")
    inner = np.where(wrapped >= 0, wrapped, inner)
    own = np.where(inner >= 0, inner, tasks)
    commonest = Counter(heap.index.rows[own].tolist()).most_common(1)[0][0]
    workers = items(heap, np.array([heap.ref(executor, "workers")], np.int32))[1]
    names = [name for name in heap.strings(heap.refs(heap.refs(workers, "thread"), "name")) if name]
    return Pool(
        executor=executor,
        tasks=tasks.size,
        task_class=heap.classes.names[commonest],
        threads=re.sub(r"\d+$", "*", min(names)) if names else None,
    )


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

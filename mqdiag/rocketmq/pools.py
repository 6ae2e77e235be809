"""The thread pool that runs a consumer's listener."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mqdiag.graph.collections import items
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.consumers import Consumer


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A ThreadPoolExecutor. `tasks` int32: what waits in its queue; `workers` int32: its threads."""

    tasks: Nodes
    workers: Nodes
    active: int
    """workers that run a task: the Worker is a lock, held while a task runs"""


def consume_pool(heap: Heap, consumer: Consumer) -> Pool | None:
    """The pool of the service in use; None for lite pull and pull, and before start()."""
    service = "consumeMessagePopService" if consumer.kind == "pop" else "consumeMessageService"
    return _pool(heap, consumer, f"{service}.consumeExecutor")


def lite_pull_cache(heap: Heap, consumer: Consumer) -> Nodes:
    """Requests of a lite pull consumer that poll() has not taken yet."""
    if consumer.kind != "lite-pull" or consumer.implementation < 0:
        return np.empty(0, np.int32)
    queue = heap.ref(consumer.implementation, "consumeRequestCache")
    return items(heap, np.array([queue], np.int32))[1]


def _pool(heap: Heap, consumer: Consumer, path: str) -> Pool | None:
    executor = heap.ref(consumer.implementation, path) if consumer.implementation >= 0 else -1
    if executor < 0:
        return None
    _, tasks = items(heap, np.array([heap.ref(executor, "workQueue")], np.int32))
    _, workers = items(heap, np.array([heap.ref(executor, "workers")], np.int32))
    states = heap.numbers(workers, "state")
    return Pool(
        tasks=tasks,
        workers=heap.refs(workers, "thread"),
        active=int(((states > 0) & (states != heap.MISSING)).sum()),
    )


def requests_in(heap: Heap, tasks: Nodes) -> Nodes:
    """The ConsumeRequests inside FutureTasks: callable is a RunnableAdapter whose task it is."""
    inner = heap.refs(heap.refs(tasks, "callable"), "task")
    return np.where(inner >= 0, inner, tasks).astype(np.int32)

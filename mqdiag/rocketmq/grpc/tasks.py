"""The tasks of a gRPC push consumer: one message each, queued in its thread pool or run by a worker.

Guava wraps a ConsumeTask twice: the pool queues a TrustedListenableFutureTask around an InterruptibleTask, which is an
AtomicReference that holds the thread while it runs.
"""

from __future__ import annotations

import msgspec
import numpy as np

from mqdiag.graph.heap import Heap, Nodes
from mqdiag.read.hprof.distinct import distinct, is_in
from mqdiag.rocketmq import fields


class Tasks(msgspec.Struct, frozen=True, kw_only=True):
    """Wrapped ConsumeTasks; int32 columns of the same length, -1 where a reference is null.

    `futures` are what the pool queues, `wrappers` and `tasks` the objects inside. `messages`: the MessageViewImpl of
    each. `threads`: the thread that runs it.
    """

    futures: Nodes
    wrappers: Nodes
    tasks: Nodes
    messages: Nodes
    threads: Nodes


def find_tasks(heap: Heap, root: str) -> Tasks:
    """All reachable tasks of the client under a package root; its guava may be relocated or not."""
    tasks = fields.instances(heap, root, "ConsumeTask")
    found = [fields.instances(heap, guava, "GuavaTask") for guava in fields.package_roots(heap, "GuavaTask")]
    wrappers = distinct(np.concatenate([np.empty(0, np.int32), *found]))
    inner = fields.refs(heap, wrappers, "GuavaTask.callable")
    ours = is_in(inner, tasks)
    wrappers, inner = wrappers[ours], inner[ours]
    holders = fields.refs(heap, wrappers, "GuavaTask.runner")
    threads = heap.classes.subclasses(fields.class_rows(heap, "", "Thread"))
    running = (holders >= 0) & is_in(heap.class_index(holders), threads)
    return Tasks(
        futures=fields.refs(heap, wrappers, "GuavaTask.future"),
        wrappers=wrappers,
        tasks=inner,
        messages=fields.refs(heap, inner, "ConsumeTask.message"),
        threads=np.where(running, holders, -1).astype(np.int32),
    )

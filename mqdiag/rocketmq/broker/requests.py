"""The queues before the broker's request pools: how much waits, and since when."""

from __future__ import annotations

from mqdiag.facts.broker import RequestQueue
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq.broker.controllers import Controller, first_number, first_ref, one

_ENDING = "ThreadPoolQueue"
# FutureTaskExt.runnable is the RequestTask; a plain FutureTask has it in its adapter (Executors$RunnableAdapter.task).
_TASK = ("runnable", "callable.task")


def request_queues(broker: Controller) -> dict[str, RequestQueue]:
    """All `...ThreadPoolQueue` fields of the controller: sendThreadPoolQueue as "send"."""
    heap = broker.heap
    row = int(heap.index.rows[broker.node])
    found = {}
    for field in sorted(heap.classes.field_places(row)):
        queue = heap.ref(broker.node, field) if field.endswith(_ENDING) else -1
        if queue >= 0:
            found[field.removesuffix(_ENDING)] = _queue(heap, queue)
    return found


def _queue(heap: Heap, queue: int) -> RequestQueue:
    size = first_number(heap, queue, "count.value", "count")
    head = heap.ref(queue, "head.next.item")
    return RequestQueue(
        size=size,
        capacity=_capacity(heap, queue),
        head_wait_ms=0 if size == 0 else _waits(heap, head),
    )


def _capacity(heap: Heap, queue: int) -> int | None:
    capacity = heap.number(queue, "capacity")
    if capacity is not None:
        return capacity
    items = heap.ref(queue, "items")  # ArrayBlockingQueue
    return int(heap.array_lengths(one(items))[0]) if items >= 0 else None


def _waits(heap: Heap, head: int) -> int | None:
    """BrokerFastFailure's own measure: the time since RequestTask.createTimestamp, never negative."""
    created = first_number(heap, first_ref(heap, head, *_TASK), "createTimestamp")
    if not created or not heap.header.captured_at_ms:
        return None
    return max(heap.header.captured_at_ms - created, 0)

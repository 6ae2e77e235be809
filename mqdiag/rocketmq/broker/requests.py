"""Requests that wait in a broker: before its thread pools, and in long polling for new messages."""

from __future__ import annotations

import numpy as np

from mqdiag.facts.broker import HeldQueue, LongPolling, RequestQueue
from mqdiag.graph.collections import items
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.broker.controllers import Controller
from mqdiag.rocketmq.names import REQUEST_QUEUE_ENDING

_QUEUES_SHOWN = 10
_SEPARATOR = "@"


def request_queue_fields(broker: Controller) -> dict[str, int]:
    """The queues of the controller's request pools by their Java field: sendThreadPoolQueue."""
    heap = broker.heap
    names = heap.classes.field_places(int(heap.index.rows[broker.node]))
    found = {name: heap.ref(broker.node, name) for name in sorted(names) if name.endswith(REQUEST_QUEUE_ENDING)}
    return {name: queue for name, queue in found.items() if queue >= 0}


def request_queues(broker: Controller) -> dict[str, RequestQueue]:
    """How much waits before each pool, and since when: sendThreadPoolQueue as "send"."""
    return {
        name.removesuffix(REQUEST_QUEUE_ENDING): _queue(broker.heap, queue)
        for name, queue in request_queue_fields(broker).items()
    }


def _queue(heap: Heap, queue: int) -> RequestQueue:
    size = fields.number(heap, queue, "BlockingQueue.size")
    return RequestQueue(
        size=size,
        capacity=_capacity(heap, queue),
        head_wait_ms=0 if size == 0 else _head_wait_ms(heap, queue),
    )


def _capacity(heap: Heap, queue: int) -> int | None:
    capacity = fields.number(heap, queue, "BlockingQueue.capacity")
    if capacity is not None:
        return capacity
    array = fields.ref(heap, queue, "BlockingQueue.array")
    return int(heap.array_lengths(fields.one(array))[0]) if array >= 0 else None


def _head_wait_ms(heap: Heap, queue: int) -> int | None:
    """BrokerFastFailure's own measure: the time since RequestTask.createTimestamp, never negative."""
    head = fields.ref(heap, queue, "BlockingQueue.head", "Node.next", "Node.item")
    # a FutureTaskExt knows its RequestTask; a plain FutureTask has it in its adapter
    task = fields.ref(heap, head, "FutureTaskExt.task")
    if task < 0:
        task = fields.ref(heap, head, "FutureTask.callable", "RunnableAdapter.task")
    created = fields.number(heap, task, "RequestTask.created_ms")
    if not created or not heap.header.captured_at_ms:
        return None
    return max(heap.header.captured_at_ms - created, 0)


def long_polling(broker: Controller) -> LongPolling | None:
    """PullRequestHoldService.pullRequestTable: "topic@queueId" to ManyPullRequest."""
    heap = broker.heap
    service = fields.ref(heap, broker.node, "BrokerController.long_polling")
    table = fields.ref(heap, service, "PullRequestHoldService.requests")
    if table < 0:
        return None
    _, keys, many = fields.entries(heap, fields.one(table))
    owners, _ = items(heap, fields.refs(heap, many, "ManyPullRequest.requests"))
    counts = np.bincount(owners, minlength=many.size)
    largest = np.argsort(-counts, kind="stable")[:_QUEUES_SHOWN]
    largest = largest[counts[largest] > 0]
    return LongPolling(
        requests=int(counts.sum()),
        queues=int((counts > 0).sum()),
        largest=tuple(
            _held(name or "", count)
            for name, count in zip(fields.texts(heap, keys[largest]), counts[largest].tolist(), strict=True)
        ),
    )


def _held(key: str, requests: int) -> HeldQueue:
    topic, _, queue = key.rpartition(_SEPARATOR)
    return HeldQueue(topic=topic or key, queue_id=int(queue) if queue.isdecimal() else None, requests=requests)

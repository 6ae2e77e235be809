"""Requests to consume, the thread pool that runs them, and the message that each worker is processing."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.heap_threads import MessageInHand
from mqdiag.graph.collections import items
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import Client
from mqdiag.rocketmq.messages import (
    CONSUME_START_TIME,
    KEYS,
    decimal_property,
    message_ids,
    text_property,
)
from mqdiag.rocketmq.queue_names import queue_names


class Requests(msgspec.Struct, frozen=True, kw_only=True):
    """All reachable ConsumeRequests of a client: columns of the same length, and their messages flat.

    `nodes`, `queues` (ProcessQueue, or PopProcessQueue), `names` (MessageQueue), `services` (the enclosing
    service or implementation) int32[k]; `message_owners` int64[m] positions in `nodes`, `messages` int32[m].
    """

    nodes: Nodes
    queues: Nodes
    names: Nodes
    services: Nodes
    message_owners: NDArray[np.int64]
    messages: Nodes


def find_requests(client: Client) -> Requests:
    """Requests of the concurrent, orderly, pop and lite pull services.

    Orderly ones hold no messages: theirs are in the queue's in-flight map.
    """
    heap = client.heap
    nodes = client.objects("ConsumeRequest")
    owners, messages = _listed(heap, fields.refs(heap, nodes, "ConsumeRequest.messages"))
    return Requests(
        nodes=nodes,
        queues=fields.refs(heap, nodes, "ConsumeRequest.process_queue"),
        names=fields.refs(heap, nodes, "ConsumeRequest.queue"),
        services=fields.refs(heap, nodes, "ConsumeRequest.service"),
        message_owners=owners,
        messages=messages,
    )


def _listed(heap: Heap, lists: Nodes) -> tuple[NDArray[np.int64], Nodes]:
    """Items of many lists: all are small ArrayLists but for a few, and there may be one for each message."""
    arrays = fields.refs(heap, lists, "ArrayList.array")
    owners, messages = heap.elements(arrays)
    others, more = items(heap, np.where(arrays >= 0, -1, lists).astype(np.int32))
    return np.concatenate((owners, others)), np.concatenate((messages, more))


def requests_in(heap: Heap, tasks: Nodes) -> Nodes:
    """The ConsumeRequests inside FutureTasks: `callable` is a RunnableAdapter around the request."""
    inner = fields.refs(heap, tasks, "FutureTask.callable", "RunnableAdapter.task")
    return np.where(inner >= 0, inner, tasks).astype(np.int32)


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """A ThreadPoolExecutor. `tasks` int32: what waits in its queue; `workers` int32: its threads."""

    tasks: Nodes
    workers: Nodes
    active: int
    """workers that run a task"""


def read_pool(heap: Heap, executor: int) -> Pool | None:
    """The pool of a ThreadPoolExecutor; None where there is no executor."""
    if executor < 0:
        return None
    workers = fields.members(heap, executor, "ThreadPool.workers")
    return Pool(
        tasks=fields.members(heap, executor, "ThreadPool.queue"),
        workers=fields.refs(heap, workers, "Worker.thread"),
        active=busy_workers(heap, workers),
    )


def busy_workers(heap: Heap, workers: Nodes) -> int:
    """How many workers run a task: a Worker is a lock, held while a task runs."""
    states = fields.numbers(heap, workers, "Synchronizer.state")
    return int(((states > 0) & (states != heap.MISSING)).sum())


def messages_in_hand(client: Client, requests: Requests) -> dict[int, MessageInHand]:
    """The message of each worker, by thread node.

    A FutureTask that runs knows its thread; it may have a whole batch, whose first message counts.
    """
    heap = client.heap
    tasks = fields.instances(heap, "", "FutureTask")
    threads = fields.refs(heap, tasks, "FutureTask.runner")
    tasks, threads = tasks[threads >= 0], threads[threads >= 0]
    places = fields.place_of(requests.nodes, requests_in(heap, tasks))
    ours = places >= 0
    places, threads = places[ours], threads[ours]
    first = np.full(requests.nodes.size, -1, np.int32)
    first[requests.message_owners[::-1]] = requests.messages[::-1]
    messages = np.where(first[places] >= 0, first[places], _orderly(heap, requests.queues[places]))
    there = messages >= 0
    return _describe(heap, requests, threads[there], places[there], messages[there].astype(np.int32))


def _orderly(heap: Heap, queues: Nodes) -> Nodes:
    """The message with the lowest offset in the in-flight map of each queue, -1 where it is empty."""
    owners, keys, values = fields.entries(heap, queues, "ProcessQueue.in_flight")
    lowest = np.full(queues.size, -1, np.int32)
    order = np.argsort(fields.numbers(heap, keys, "Number.value"), kind="stable")[::-1]
    lowest[owners[order]] = values[order]
    return lowest


def _describe(
    heap: Heap, requests: Requests, threads: Nodes, places: Nodes, messages: Nodes
) -> dict[int, MessageInHand]:
    now = heap.header.captured_at_ms
    started = decimal_property(heap, messages, CONSUME_START_TIME)
    # The orderly service sets no such property; taking messages for the listener stamps their queue.
    batches = np.bincount(requests.message_owners, minlength=requests.nodes.size)[places]
    taken = fields.numbers(heap, requests.queues[places], "ProcessQueue.last_consume_ms")
    started = np.where((started == heap.MISSING) & (batches == 0), taken, started)
    columns = zip(
        threads.tolist(),
        fields.texts(heap, messages, "Message.topic"),
        fields.numbers(heap, messages, "MessageExt.queue_id").tolist(),
        fields.numbers(heap, messages, "MessageExt.queue_offset").tolist(),
        message_ids(heap, messages),
        text_property(heap, messages, KEYS),
        started.tolist(),
        fields.texts(heap, requests.services[places], "ConsumeService.group"),
        queue_names(heap, requests.names[places]),
        batches.tolist(),
        strict=True,
    )
    return {
        thread: MessageInHand(
            topic=topic,
            queue_id=None if queue_id == heap.MISSING else queue_id,
            offset=None if offset == heap.MISSING else offset,
            msg_id=msg_id,
            keys=keys,
            age_ms=None if start == heap.MISSING or start <= 0 or now <= 0 else now - start,
            group=group,
            broker=name.broker,
            queue_topic=name.topic,
            batch=batch or None,
        )
        for thread, topic, queue_id, offset, msg_id, keys, start, group, name, batch in columns
    }

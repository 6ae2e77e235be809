"""Which message each worker is working on: from the running FutureTask to its request."""

from __future__ import annotations

import numpy as np

from mqdiag.facts.heap import MessageInHand
from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Nodes
from mqdiag.rocketmq.bind import Client
from mqdiag.rocketmq.pools import requests_in
from mqdiag.rocketmq.properties import (
    CONSUME_START_TIME,
    KEYS,
    decimal_property,
    message_ids,
    text_property,
)
from mqdiag.rocketmq.queue_names import place_of, queue_names, texts
from mqdiag.rocketmq.requests import Requests


def messages_in_hand(client: Client, requests: Requests) -> dict[int, MessageInHand]:
    """By thread node. A FutureTask that runs knows its thread; it may have a whole batch, the first one counts."""
    heap = client.heap
    tasks = heap.instances(heap.classes.indices_named("java.util.concurrent.FutureTask"))
    threads = heap.refs(tasks, "runner")
    running = (threads >= 0) & heap.reachable(tasks)
    tasks, threads = tasks[running], threads[running]
    places = place_of(requests.nodes, requests_in(heap, tasks))
    ours = places >= 0
    places, threads = places[ours], threads[ours]
    first = np.full(requests.nodes.size, -1, np.int32)
    first[requests.message_owners[::-1]] = requests.messages[::-1]
    messages = np.where(first[places] >= 0, first[places], _orderly(client, requests.queues[places]))
    there = messages >= 0
    return _describe(client, requests, threads[there], places[there], messages[there].astype(np.int32))


def _orderly(client: Client, queues: Nodes) -> Nodes:
    """The message with the lowest offset in the in-flight map of each queue, -1 where it is empty."""
    heap = client.heap
    owners, keys, values = map_entries(heap, client.role(queues, "ProcessQueue.in_flight"))
    lowest = np.full(queues.size, -1, np.int32)
    order = np.argsort(heap.numbers(keys, "value"), kind="stable")[::-1]
    lowest[owners[order]] = values[order]
    return lowest


def _describe(
    client: Client, requests: Requests, threads: Nodes, places: Nodes, messages: Nodes
) -> dict[int, MessageInHand]:
    heap = client.heap
    now = heap.header.captured_at_ms
    started = decimal_property(heap, messages, CONSUME_START_TIME)
    # The orderly service sets no such property; taking messages for the listener stamps their queue.
    batches = np.bincount(requests.message_owners, minlength=requests.nodes.size)[places]
    taken = heap.numbers(requests.queues[places], "lastConsumeTimestamp")
    started = np.where((started == heap.MISSING) & (batches == 0), taken, started)
    columns = zip(
        threads.tolist(),
        texts(heap, heap.refs(messages, "topic")),
        heap.numbers(messages, "queueId").tolist(),
        heap.numbers(messages, "queueOffset").tolist(),
        message_ids(heap, messages),
        text_property(heap, messages, KEYS),
        started.tolist(),
        texts(heap, heap.refs(requests.services[places], "consumerGroup")),
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

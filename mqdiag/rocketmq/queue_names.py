"""MessageQueue objects as (topic, broker, queue id), and the offsets that a consumer stores for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields


class QueueName(NamedTuple):
    """Equal MessageQueue objects exist many times in a heap; this is what they are equal by."""

    topic: str | None
    broker: str | None
    queue_id: int | None


UNNAMED = QueueName(None, None, None)


def queue_names(heap: Heap, nodes: Nodes) -> list[QueueName]:
    """Names of MessageQueue nodes; UNNAMED for -1."""
    distinct, inverse = np.unique(nodes, return_inverse=True)
    topics = fields.texts(heap, distinct, "MessageQueue.topic")
    brokers = fields.texts(heap, distinct, "MessageQueue.broker")
    ids = fields.numbers(heap, distinct, "MessageQueue.queue_id").tolist()
    names = [
        QueueName(topic, broker, None if number == heap.MISSING else number)
        for topic, broker, number in zip(topics, brokers, ids, strict=True)
    ]
    return [names[at] for at in inverse.tolist()]


def stored_offsets(heap: Heap, store: int) -> dict[QueueName, int]:
    """Offsets of an offset store by queue: RemoteBrokerOffsetStore or LocalFileOffsetStore."""
    _, keys, values = fields.entries(heap, fields.one(store), "OffsetStore.offsets")
    offsets = fields.numbers(heap, values, "ControllableOffset.offset")
    return {
        name: offset
        for name, offset in zip(queue_names(heap, keys), offsets.tolist(), strict=True)
        if offset != heap.MISSING
    }

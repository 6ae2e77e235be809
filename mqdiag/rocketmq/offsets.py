"""Offsets that a consumer has committed to its offset store."""

from __future__ import annotations

import numpy as np

from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq.consumers import Consumer
from mqdiag.rocketmq.queue_names import QueueName, queue_names


def commit_offsets(heap: Heap, consumer: Consumer) -> dict[QueueName, int]:
    """Stored offsets by queue.

    Source: RemoteBrokerOffsetStore and LocalFileOffsetStore.offsetTable; values are AtomicLong up to 5.1.4,
    ControllableOffset with an AtomicLong since 5.2.0.
    """
    if consumer.implementation < 0:
        return {}
    store = heap.ref(consumer.implementation, "offsetStore")
    if store < 0:
        store = heap.ref(consumer.node, "offsetStore")
    table = np.array([heap.ref(store, "offsetTable") if store >= 0 else -1], np.int32)
    _, keys, values = map_entries(heap, table)
    inner = heap.refs(values, "value")
    numbers = heap.numbers(np.where(inner >= 0, inner, values).astype(np.int32), "value")
    return {
        name: number
        for name, number in zip(queue_names(heap, keys), numbers.tolist(), strict=True)
        if number != heap.MISSING
    }

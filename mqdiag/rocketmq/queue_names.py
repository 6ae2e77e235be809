"""MessageQueue objects as (topic, broker, queue id): equal ones exist many times in a heap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mqdiag.graph.heap import Heap, Nodes


class QueueName(NamedTuple):
    """Source: common.message.MessageQueue, the same fields in all versions."""

    topic: str | None
    broker: str | None
    queue_id: int | None


NOWHERE = QueueName(None, None, None)


def queue_names(heap: Heap, nodes: Nodes) -> list[QueueName]:
    """Names of MessageQueue nodes; NOWHERE for -1."""
    distinct, inverse = np.unique(nodes, return_inverse=True)
    topics = texts(heap, heap.refs(distinct, "topic"))
    brokers = texts(heap, heap.refs(distinct, "brokerName"))
    ids = heap.numbers(distinct, "queueId").tolist()
    names = [
        QueueName(topic, broker, None if number == heap.MISSING else number)
        for topic, broker, number in zip(topics, brokers, ids, strict=True)
    ]
    return [names[at] for at in inverse.tolist()]


def texts(heap: Heap, nodes: Nodes) -> list[str | None]:
    """Strings of many nodes, each distinct one decoded once."""
    distinct, inverse = np.unique(nodes, return_inverse=True)
    found = heap.strings(distinct)
    return [found[at] for at in inverse.tolist()]


def place_of(among: Nodes, wanted: Nodes) -> Nodes:
    """Position of each wanted node in an ascending array, int32; -1 where it is not there."""
    if not among.size:
        return np.full(wanted.size, -1, np.int32)
    at = np.minimum(np.searchsorted(among, wanted), among.size - 1)
    return np.where((among[at] == wanted) & (wanted >= 0), at, -1).astype(np.int32)

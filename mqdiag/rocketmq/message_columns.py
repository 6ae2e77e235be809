"""All reachable messages as columns, for tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.bind import Client, bind
from mqdiag.rocketmq.cached import read_cached
from mqdiag.rocketmq.properties import (
    CONSUME_START_TIME,
    KEYS,
    decimal_property,
    message_ids,
    text_property,
)
from mqdiag.rocketmq.queue_names import texts
from mqdiag.rocketmq.tell_tale import MESSAGE, PROCESS_QUEUE

TAGS = "TAGS"


def message_columns(heap: Heap) -> tuple[Nodes, dict[str, NDArray[Any]]]:
    """(messages int32, columns) over all clients of the heap.

    Numbers are int64 with Heap.MISSING for unknown, times epoch milliseconds, texts object arrays with None.
    `process_queue` uint64 is the id of the ProcessQueue whose map holds the message, 0 where none does.
    """
    clients = bind(heap)
    found = [client.objects(MESSAGE) for client in clients]
    nodes = np.unique(np.concatenate([np.empty(0, np.int32), *found]))
    bodies = heap.refs(nodes, "body")
    return nodes, {
        "topic": _objects(texts(heap, heap.refs(nodes, "topic"))),
        "queue_id": heap.numbers(nodes, "queueId"),
        "queue_offset": heap.numbers(nodes, "queueOffset"),
        "msg_id": _objects(message_ids(heap, nodes)),
        "keys": _objects(text_property(heap, nodes, KEYS)),
        "tags": _objects(text_property(heap, nodes, TAGS)),
        "body_bytes": np.maximum(heap.array_lengths(bodies), 0),
        "stored_bytes": heap.numbers(nodes, "storeSize"),
        "born_at": heap.numbers(nodes, "bornTimestamp"),
        "stored_at": heap.numbers(nodes, "storeTimestamp"),
        "started_at": decimal_property(heap, nodes, CONSUME_START_TIME),
        "reconsume_times": heap.numbers(nodes, "reconsumeTimes"),
        "process_queue": _holding_queues(heap, clients, nodes),
    }


def _objects(values: list[str | None]) -> NDArray[Any]:
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _holding_queues(heap: Heap, clients: list[Client], nodes: Nodes) -> NDArray[np.uint64]:
    """Ids of the ProcessQueues that hold the messages."""
    holding = np.zeros(nodes.size, np.uint64)
    for client in clients:
        queues = client.objects(PROCESS_QUEUE)
        cached = read_cached(client, queues)
        places = np.searchsorted(nodes, cached.nodes)
        known = (places < nodes.size) & (nodes[np.minimum(places, max(nodes.size - 1, 0))] == cached.nodes)
        holding[places[known]] = heap.object_ids(queues[cached.queues[known]])
    return holding

"""The messages in the maps of ProcessQueues, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.bind import Client
from mqdiag.rocketmq.properties import CONSUME_START_TIME, decimal_property


@dataclass(frozen=True, kw_only=True)
class Cached:
    """Messages by queue and offset; all columns have one row a message.

    `queues` int64: position of the ProcessQueue. `nodes` int32. `offsets` int64: keys of the map, Heap.MISSING if
    unreadable. `in_flight` bool: in the orderly in-flight map. `bodies` int32, `body_bytes` int64: 0 for a null
    body. `stored_bytes` int64: storeSize. `started_ms` int64: CONSUME_START_TIME, Heap.MISSING if not begun.
    `reconsumed` int64: reconsumeTimes.
    """

    queues: NDArray[np.int64]
    nodes: Nodes
    offsets: NDArray[np.int64]
    in_flight: NDArray[np.bool_]
    bodies: Nodes
    body_bytes: NDArray[np.int64]
    stored_bytes: NDArray[np.int64]
    started_ms: NDArray[np.int64]
    reconsumed: NDArray[np.int64]


def read_cached(client: Client, process_queues: Nodes) -> Cached:
    """All messages of a client's ProcessQueues."""
    heap = client.heap
    parts = []
    for role, in_flight in (("ProcessQueue.cached", False), ("ProcessQueue.in_flight", True)):
        owners, keys, values = map_entries(heap, client.role(process_queues, role))
        there = values >= 0
        offsets = heap.numbers(keys[there], "value")
        parts.append((owners[there], values[there], offsets, np.full(offsets.size, in_flight)))
    queues, nodes, offsets, flying = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((offsets, flying, queues))
    queues, nodes, offsets, flying = queues[order], nodes[order], offsets[order], flying[order]
    bodies = heap.refs(nodes, "body")
    return Cached(
        queues=queues,
        nodes=nodes,
        offsets=offsets,
        in_flight=flying,
        bodies=bodies,
        body_bytes=np.maximum(heap.array_lengths(bodies), 0),
        stored_bytes=_or_zero(heap, heap.numbers(nodes, "storeSize")),
        started_ms=decimal_property(heap, nodes, CONSUME_START_TIME),
        reconsumed=_or_zero(heap, heap.numbers(nodes, "reconsumeTimes")),
    )


def distinct_body_bytes(heap: Heap, bodies: Nodes) -> int:
    """Bytes of the distinct arrays: messages may share one."""
    distinct = np.unique(bodies[bodies >= 0])
    return int(np.maximum(heap.array_lengths(distinct), 0).sum())


def _or_zero(heap: Heap, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(numbers == heap.MISSING, 0, numbers)

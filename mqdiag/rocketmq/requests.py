"""Requests to consume: objects that carry messages from the pull to a worker of the pool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.collections import items
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.bind import Client

SERVICE_SUFFIX = "$ConsumeRequest"
PACKAGE = ".client.impl.consumer."


@dataclass(frozen=True, kw_only=True)
class Requests:
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
    """ConsumeRequest of the concurrent, orderly, pop and lite pull services.

    Orderly ones hold no messages: theirs are in the queue's in-flight map.
    """
    heap = client.heap
    rows = [
        row
        for row in heap.classes.indices_ending(SERVICE_SUFFIX)
        if heap.classes.names[row].startswith(client.root + PACKAGE)
    ]
    nodes = heap.instances(rows)
    nodes = nodes[heap.reachable(nodes)]
    lists = client.role(nodes, "ConsumeRequest.messages")
    lite = client.role(nodes, "LitePullRequest.messages")
    owners, messages = _listed(heap, np.where(lists >= 0, lists, lite).astype(np.int32))
    return Requests(
        nodes=nodes,
        queues=heap.refs(nodes, "processQueue"),
        names=heap.refs(nodes, "messageQueue"),
        services=heap.refs(nodes, "this$0"),
        message_owners=owners,
        messages=messages,
    )


def _listed(heap: Heap, lists: Nodes) -> tuple[NDArray[np.int64], Nodes]:
    """Items of many lists: all are small ArrayLists but for a few, and there may be one for each message."""
    arrays = heap.refs(lists, "elementData")
    owners, messages = heap.elements(arrays)
    others, more = items(heap, np.where(arrays >= 0, -1, lists).astype(np.int32))
    return np.concatenate((owners, others)), np.concatenate((messages, more))

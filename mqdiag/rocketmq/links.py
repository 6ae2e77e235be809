"""From a ProcessQueue to its MessageQueue, group and consumer.

A ProcessQueue refers to none of them; who refers to the queue tells, and the surest way comes first. A queue
that a rebalance took away is in no table, and only work that still holds it knows its name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.bind import Client
from mqdiag.rocketmq.consumers import CONSUMERS, Consumer
from mqdiag.rocketmq.queue_names import NOWHERE, QueueName, place_of, queue_names, texts
from mqdiag.rocketmq.requests import Requests

REBALANCE_TABLE, PULL_REQUEST, CONSUME_REQUEST, ASSIGNED = (
    "rebalance-table",
    "pull-request",
    "consume-request",
    "assigned",
)


@dataclass(kw_only=True)
class Links:
    """Columns over the ProcessQueues of a client, `nodes` int32[k] ascending."""

    nodes: Nodes
    names: list[QueueName]
    groups: list[str | None]
    found_by: list[str | None]
    consumers: NDArray[np.int32]
    """position in the client's consumers, -1 unknown"""
    assigned: NDArray[np.bool_]
    next_offsets: NDArray[np.int64]
    """PullRequest.nextOffset, Heap.MISSING where no reachable request refers to the queue"""


def link(client: Client, nodes: Nodes, consumers: list[Consumer], requests: Requests) -> Links:
    """Try all ways in order.

    Args:
        client: the client.
        nodes: its reachable ProcessQueues, ascending.
        consumers: its consumers.
        requests: its ConsumeRequests.
    """
    heap = client.heap
    found = Links(
        nodes=nodes,
        names=[NOWHERE] * nodes.size,
        groups=[None] * nodes.size,
        found_by=[None] * nodes.size,
        consumers=np.full(nodes.size, -1, np.int32),
        assigned=np.zeros(nodes.size, bool),
        next_offsets=np.full(nodes.size, heap.MISSING, np.int64),
    )
    whose = _Owners(heap, consumers)

    rebalances = client.objects(".client.impl.consumer.RebalanceImpl")
    owners, keys, values = map_entries(heap, heap.refs(rebalances, "processQueueTable"))
    groups = heap.refs(rebalances, "consumerGroup")[owners]
    _note(heap, found, REBALANCE_TABLE, values, keys, groups, whose.of(rebalances)[owners])
    inside = place_of(nodes, values)
    found.assigned[inside[inside >= 0]] = True

    pulls = client.objects(".client.impl.consumer.PullRequest")
    queues = heap.refs(pulls, "processQueue")
    groups = heap.refs(pulls, "consumerGroup")
    unknown = np.full(pulls.size, -1, np.int32)
    _note(heap, found, PULL_REQUEST, queues, heap.refs(pulls, "messageQueue"), groups, unknown)
    at = place_of(nodes, queues)
    found.next_offsets[at[at >= 0]] = heap.numbers(pulls, "nextOffset")[at >= 0]

    own = whose.of(requests.services)
    groups = heap.refs(requests.services, "consumerGroup")
    _note(heap, found, CONSUME_REQUEST, requests.queues, requests.names, groups, own)

    states = client.objects(".client.impl.consumer.AssignedMessageQueue$MessageQueueState")
    rebalances = heap.refs(heap.refs(states, "this$0"), "rebalanceImpl")
    groups = heap.refs(rebalances, "consumerGroup")
    queues, keys = heap.refs(states, "processQueue"), heap.refs(states, "messageQueue")
    _note(heap, found, ASSIGNED, queues, keys, groups, whose.of(rebalances))

    _complete(found, consumers)
    return found


class _Owners:
    """From objects around a consumer to the consumer."""

    def __init__(self, heap: Heap, consumers: list[Consumer]) -> None:
        self._heap = heap
        self._nodes = np.array([consumer.node for consumer in consumers], np.int32)
        self._rebalances = np.array([consumer.rebalance for consumer in consumers], np.int32)

    def of(self, nodes: Nodes) -> NDArray[np.int32]:
        """Position of the consumer of RebalanceImpls, services or implementations; -1 unknown."""
        found = self._at(self._rebalances, nodes)
        for suffix, _, implementation in CONSUMERS:
            simple = suffix.rpartition(".")[2]
            field = simple[0].lower() + simple[1:]
            for holders in (nodes, self._heap.refs(nodes, implementation)):
                missing = found < 0
                found[missing] = self._at(self._nodes, self._heap.refs(holders, field))[missing]
        return found

    @staticmethod
    def _at(among: Nodes, wanted: Nodes) -> NDArray[np.int32]:
        order = np.argsort(among, kind="stable")
        place = place_of(among[order], wanted)
        if not among.size:
            return place
        return np.where(place >= 0, order[place], -1).astype(np.int32)


def _note(
    heap: Heap, found: Links, way: str, queues: Nodes, keys: Nodes, groups: Nodes, consumers: NDArray[np.int32]
) -> None:
    """Keep what one way says about queues that no surer way has named."""
    places, rows = np.unique(place_of(found.nodes, queues), return_index=True)
    fresh = np.array([place >= 0 and found.found_by[place] is None for place in places.tolist()], bool)
    places, rows = places[fresh], rows[fresh]
    names = queue_names(heap, keys[rows])
    group_texts = texts(heap, groups[rows])
    for place, row, name, group in zip(places.tolist(), rows.tolist(), names, group_texts, strict=True):
        found.found_by[place] = way
        found.names[place] = name
        found.groups[place] = group
        found.consumers[place] = consumers[row]


def _complete(found: Links, consumers: list[Consumer]) -> None:
    """Group by consumer and consumer by group, where one follows from the other."""
    by_group: dict[str, list[int]] = {}
    for at, consumer in enumerate(consumers):
        by_group.setdefault(consumer.group, []).append(at)
    for place, group in enumerate(found.groups):
        consumer_at = int(found.consumers[place])
        if group is None and consumer_at >= 0:
            found.groups[place] = consumers[consumer_at].group
        elif group is not None and consumer_at < 0 and len(by_group.get(group, [])) == 1:
            found.consumers[place] = by_group[group][0]

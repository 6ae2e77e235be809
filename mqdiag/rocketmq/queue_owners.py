"""From a ProcessQueue to its MessageQueue, group and consumer.

A ProcessQueue refers to none of them, so the objects that refer to the queue are asked, the most reliable ones first.
A queue that a rebalance took away is in no table; only requests that still hold it know its name.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.vocabulary import QueueSource
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import Client
from mqdiag.rocketmq.fields import place_of
from mqdiag.rocketmq.queue_names import UNNAMED, QueueName, queue_names
from mqdiag.rocketmq.remoting_kind import Consumer, RemotingKind
from mqdiag.rocketmq.workers import Requests

REBALANCE_TABLE: QueueSource = "rebalance-table"
PULL_REQUEST: QueueSource = "pull-request"
CONSUME_REQUEST: QueueSource = "consume-request"
ASSIGNED: QueueSource = "assigned"


class QueueOwners(msgspec.Struct, kw_only=True):
    """Columns over the ProcessQueues of a client, `nodes` int32[k] ascending."""

    nodes: Nodes
    names: list[QueueName]
    groups: list[str | None]
    found_by: list[QueueSource | None]
    consumers: NDArray[np.int32]
    """position in the client's consumers, -1 unknown"""
    assigned: NDArray[np.bool_]
    next_offsets: NDArray[np.int64]
    """PullRequest.nextOffset, Heap.MISSING where no reachable request refers to the queue"""


def find_owners(
    client: Client,
    nodes: Nodes,
    consumers: list[Consumer],
    kinds: Sequence[RemotingKind],
    requests: Requests,
) -> QueueOwners:
    """Try all ways in order.

    Args:
        client: the client.
        nodes: its reachable ProcessQueues, ascending.
        consumers: its consumers.
        kinds: the kinds of consumers there are.
        requests: its ConsumeRequests.
    """
    heap = client.heap
    found = QueueOwners(
        nodes=nodes,
        names=[UNNAMED] * nodes.size,
        groups=[None] * nodes.size,
        found_by=[None] * nodes.size,
        consumers=np.full(nodes.size, -1, np.int32),
        assigned=np.zeros(nodes.size, bool),
        next_offsets=np.full(nodes.size, heap.MISSING, np.int64),
    )
    owners = _ConsumerFinder(heap, consumers, kinds)

    rebalances = client.objects("RebalanceImpl")
    places, keys, values = fields.entries(heap, rebalances, "RebalanceImpl.process_queues")
    groups = fields.refs(heap, rebalances, "RebalanceImpl.group")[places]
    _note(heap, found, REBALANCE_TABLE, values, keys, groups, owners.of(rebalances)[places])
    inside = place_of(nodes, values)
    found.assigned[inside[inside >= 0]] = True

    pulls = client.objects("PullRequest")
    queues = fields.refs(heap, pulls, "PullRequest.process_queue")
    groups = fields.refs(heap, pulls, "PullRequest.group")
    unknown = np.full(pulls.size, -1, np.int32)
    _note(heap, found, PULL_REQUEST, queues, fields.refs(heap, pulls, "PullRequest.queue"), groups, unknown)
    at = place_of(nodes, queues)
    found.next_offsets[at[at >= 0]] = fields.numbers(heap, pulls, "PullRequest.next_offset")[at >= 0]

    groups = fields.refs(heap, requests.services, "ConsumeService.group")
    own = owners.of(requests.services)
    _note(heap, found, CONSUME_REQUEST, requests.queues, requests.names, groups, own)

    states = client.objects("MessageQueueState")
    rebalances = fields.refs(
        heap, states, "MessageQueueState.assigned_queues", "AssignedMessageQueue.rebalance"
    )
    groups = fields.refs(heap, rebalances, "RebalanceImpl.group")
    queues = fields.refs(heap, states, "MessageQueueState.process_queue")
    keys = fields.refs(heap, states, "MessageQueueState.queue")
    _note(heap, found, ASSIGNED, queues, keys, groups, owners.of(rebalances))

    _complete(found, consumers)
    return found


class _ConsumerFinder:
    """From objects around a consumer to the consumer."""

    def __init__(self, heap: Heap, consumers: list[Consumer], kinds: Sequence[RemotingKind]) -> None:
        self._heap = heap
        self._ways = sorted({(kind.implementation, kind.implementation_consumer) for kind in kinds})
        self._nodes = np.array([consumer.node for consumer in consumers], np.int32)
        self._rebalances = np.array([consumer.rebalance for consumer in consumers], np.int32)

    def of(self, nodes: Nodes) -> NDArray[np.int32]:
        """Position of the consumer of RebalanceImpls, services or implementations; -1 unknown."""
        found = self._at(self._rebalances, nodes)
        for implementation, consumer in self._ways:
            # a service refers to the consumer or, like a RebalanceImpl, to its implementation
            for holders in (nodes, fields.refs(self._heap, nodes, implementation)):
                missing = found < 0
                found[missing] = self._at(self._nodes, fields.refs(self._heap, holders, consumer))[missing]
        return found

    @staticmethod
    def _at(among: Nodes, wanted: Nodes) -> NDArray[np.int32]:
        order = np.argsort(among, kind="stable")
        place = place_of(among[order], wanted)
        if not among.size:
            return place
        return np.where(place >= 0, order[place], -1).astype(np.int32)


def _note(
    heap: Heap,
    found: QueueOwners,
    way: QueueSource,
    queues: Nodes,
    keys: Nodes,
    groups: Nodes,
    consumers: NDArray[np.int32],
) -> None:
    """Keep what one way says about queues that no earlier way has named."""
    places, rows = np.unique(place_of(found.nodes, queues), return_index=True)
    fresh = np.array([place >= 0 and found.found_by[place] is None for place in places.tolist()], bool)
    places, rows = places[fresh], rows[fresh]
    names = queue_names(heap, keys[rows])
    group_texts = fields.texts(heap, groups[rows])
    for place, row, name, group in zip(places.tolist(), rows.tolist(), names, group_texts, strict=True):
        found.found_by[place] = way
        found.names[place] = name
        found.groups[place] = group
        found.consumers[place] = consumers[row]


def _complete(found: QueueOwners, consumers: list[Consumer]) -> None:
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

"""Consumer objects of a remoting client, with what belongs to each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import Client
from mqdiag.rocketmq.queue_names import QueueName, stored_offsets
from mqdiag.rocketmq.remoting_kind import Consumer, RemotingKind


def find_consumers(client: Client, kinds: Sequence[RemotingKind]) -> list[Consumer]:
    """All reachable consumer objects of a client, subclasses by wrappers included, in address order."""
    found: list[Consumer] = []
    for role in sorted({kind.consumer_class for kind in kinds}):
        nodes = client.objects(role)
        if nodes.size:
            found += _describe(client, nodes, [kind for kind in kinds if kind.consumer_class == role])
    return sorted(found, key=lambda consumer: consumer.node)


def _describe(client: Client, nodes: Nodes, kinds: list[RemotingKind]) -> list[Consumer]:
    heap = client.heap
    implementations = fields.refs(heap, nodes, kinds[0].implementation)
    rebalances = fields.refs(heap, implementations, "ConsumerImpl.rebalance")
    instances = fields.refs(heap, implementations, "ConsumerImpl.instance")
    # a namespace is put before the group at start(): the consumer object and RebalanceImpl then agree
    groups = fields.texts(heap, rebalances, "RebalanceImpl.group")
    named = fields.texts(heap, nodes, "Consumer.group")
    owners, _, pops = fields.entries(heap, rebalances, "RebalanceImpl.pop_queues")
    pop_counts = np.bincount(owners[pops >= 0], minlength=nodes.size).tolist()
    return [
        Consumer(
            client=client,
            node=int(nodes[at]),
            kind=next(kind for kind in kinds if kind.claims(pop_counts[at])),
            group=groups[at] or named[at] or "",
            implementation=int(implementations[at]),
            rebalance=int(rebalances[at]),
            instance=int(instances[at]),
            pop_queues=pop_counts[at],
        )
        for at in range(nodes.size)
    ]


def client_id(heap: Heap, consumer: Consumer) -> str | None:
    """MQClientInstance.clientId: the address, the instance name, and for lite pull "@STREAM"."""
    return fields.text(heap, consumer.instance, "MQClientInstance.client_id")


def commit_offsets(consumer: Consumer) -> dict[QueueName, int]:
    """Offsets that the consumer has stored, by queue; empty for one that is not started."""
    heap = consumer.client.heap
    if consumer.implementation < 0:
        return {}
    store = fields.ref(heap, consumer.implementation, "ConsumerImpl.offset_store")
    if store < 0:
        store = fields.ref(heap, consumer.node, "Consumer.offset_store")
    return stored_offsets(heap, store)


def is_orderly(consumer: Consumer) -> bool | None:
    """Whether the listener is an orderly one; None for kinds without a listener."""
    return fields.flag(consumer.client.heap, consumer.implementation, "DefaultMQPushConsumerImpl.orderly")

"""Consumer objects with what belongs to each: implementation, rebalance, factory, executors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.bind import Client
from mqdiag.rocketmq.queue_names import texts

CONSUMERS = (
    (".client.consumer.DefaultMQPushConsumer", "push", "defaultMQPushConsumerImpl"),
    (".client.consumer.DefaultLitePullConsumer", "lite-pull", "defaultLitePullConsumerImpl"),
    (".client.consumer.DefaultMQPullConsumer", "pull", "defaultMQPullConsumerImpl"),
)
"""class, kind, field of the implementation object; the same names in all versions"""


@dataclass(kw_only=True)
class Consumer:
    """One consumer object; nodes are -1 where a reference is null."""

    client: Client
    node: int
    kind: str
    group: str
    implementation: int
    rebalance: int
    factory: int
    """MQClientInstance; -1 before start()"""
    pop_queues: int = 0


def find_consumers(client: Client) -> list[Consumer]:
    """All reachable consumer objects of a client, subclasses by wrappers included, in address order."""
    found: list[Consumer] = []
    for suffix, kind, field in CONSUMERS:
        nodes = client.objects(suffix)
        if nodes.size:
            found += _describe(client, nodes, kind, field)
    return sorted(found, key=lambda consumer: consumer.node)


def _describe(client: Client, nodes: Nodes, kind: str, field: str) -> list[Consumer]:
    heap = client.heap
    implementations = heap.refs(nodes, field)
    rebalances = heap.refs(implementations, "rebalanceImpl")
    factories = heap.refs(implementations, "mQClientFactory")
    # a namespace is put before the group at start(): the consumer object and RebalanceImpl then agree
    groups = texts(heap, heap.refs(rebalances, "consumerGroup"))
    named = texts(heap, heap.refs(nodes, "consumerGroup"))
    owners, _, pops = map_entries(heap, client.role(rebalances, "RebalanceImpl.pop_table"))
    pop_counts = np.bincount(owners[pops >= 0], minlength=nodes.size)
    return [
        Consumer(
            client=client,
            node=int(nodes[at]),
            kind="pop" if kind == "push" and pop_counts[at] else kind,
            group=groups[at] or named[at] or "",
            implementation=int(implementations[at]),
            rebalance=int(rebalances[at]),
            factory=int(factories[at]),
            pop_queues=int(pop_counts[at]),
        )
        for at in range(nodes.size)
    ]


def client_id(heap: Heap, consumer: Consumer) -> str | None:
    """MQClientInstance.clientId: the address, the instance name, and for lite pull "@STREAM"."""
    return heap.string(heap.ref(consumer.factory, "clientId")) if consumer.factory >= 0 else None

"""Producers of a heap, and the messages that were made to be sent."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mqdiag.facts.producers import ProducerFacts, SendingFacts
from mqdiag.graph.collections import sizes
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.graph.plain import enum_name
from mqdiag.rocketmq.bind import Client
from mqdiag.rocketmq.cached import distinct_body_bytes
from mqdiag.rocketmq.remoting import remoting_clients, request_futures
from mqdiag.rocketmq.settings import plain_fields
from mqdiag.rocketmq.tell_tale import MESSAGE
from mqdiag.rocketmq.version import client_version

PRODUCER = ".client.producer.DefaultMQProducer"
_SENT = ".common.message.Message"


def sending(heap: Heap, clients: Iterable[Client], broker_roots: Iterable[str]) -> SendingFacts:
    """Read the sending side of all clients.

    Args:
        heap: the graph.
        clients: package roots that have client classes.
        broker_roots: package roots of brokers, whose connections are listed too.
    """
    clients = tuple(clients)
    roots = dict.fromkeys([*(client.root for client in clients), *broker_roots])
    futures = [found for root in roots if (found := request_futures(heap, root)) is not None]
    messages = _unsent(heap, clients)
    return SendingFacts(
        producers=tuple(one for client in clients for one in _producers(client)),
        remoting=tuple(one for root in roots for one in remoting_clients(heap, root)),
        request_futures=max(futures, key=lambda found: found.pending, default=None),
        messages=int(messages.size),
        body_bytes=distinct_body_bytes(heap, heap.refs(messages, "body")),
    )


def _producers(client: Client) -> list[ProducerFacts]:
    heap = client.heap
    nodes = client.objects(PRODUCER)
    version = client_version(client) if nodes.size else None
    return [_facts(heap, node, version) for node in nodes.tolist()]


def _facts(heap: Heap, node: int, version: str | None) -> ProducerFacts:
    implementation = heap.ref(node, "defaultMQProducerImpl")
    queue = heap.ref(implementation, "asyncSenderThreadPoolQueue") if implementation >= 0 else -1
    factory = heap.ref(implementation, "mQClientFactory") if implementation >= 0 else -1
    return ProducerFacts(
        group=heap.string(heap.ref(node, "producerGroup")) or "",
        object_id=f"0x{heap.object_id(node):x}",
        client_id=heap.string(heap.ref(factory, "clientId")) if factory >= 0 else None,
        client_version=version,
        service_state=_state(heap, implementation),
        config=plain_fields(heap, node),
        async_queue=int(sizes(heap, np.array([queue], np.int32))[0]) if queue >= 0 else None,
        async_queue_capacity=heap.number(queue, "capacity") if queue >= 0 else None,
        backpressure_permits=_permits(heap, implementation, "semaphoreAsyncSendNum"),
        backpressure_bytes=_permits(heap, implementation, "semaphoreAsyncSendSize"),
    )


def _state(heap: Heap, implementation: int) -> str | None:
    state = heap.ref(implementation, "serviceState") if implementation >= 0 else -1
    return enum_name(heap, state) if state >= 0 else None


def _permits(heap: Heap, implementation: int, semaphore: str) -> int | None:
    return heap.number(implementation, f"{semaphore}.sync.state") if implementation >= 0 else None


def _unsent(heap: Heap, clients: Iterable[Client]) -> Nodes:
    """Message objects that came from the application: what was received is a MessageExt."""
    found = [np.empty(0, np.int32)]
    for client in clients:
        made = heap.instances(client.rows(_SENT))
        received = heap.instances(client.rows(MESSAGE))
        made = np.setdiff1d(made, received, assume_unique=True)
        found.append(made[heap.reachable(made)])
    return np.concatenate(found).astype(np.int32)

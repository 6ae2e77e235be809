"""The sending side of a heap: producers, messages to be sent, connections and requests without an answer."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.producers import ProducerFacts, RemotingFacts, RequestFutures, SendingFacts
from mqdiag.graph.collections import sizes
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import Client, version_under
from mqdiag.rocketmq.grpc.kind import grpc_roots
from mqdiag.rocketmq.messages import distinct_body_bytes

_ADDRESSES_SHOWN = 5


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
    grpc_producers, grpc_bodies = _of_grpc(heap)
    return SendingFacts(
        producers=(
            *(one for client in clients for one in _producers(client)),
            *grpc_producers,
        ),
        remoting=tuple(one for root in roots for one in remoting_clients(heap, root)),
        request_futures=max(futures, key=lambda found: found.pending, default=None),
        messages=int(messages.size + grpc_bodies.size),
        body_bytes=distinct_body_bytes(
            heap, np.concatenate((fields.refs(heap, messages, "Message.body"), grpc_bodies))
        ),
    )


def _of_grpc(heap: Heap) -> tuple[list[ProducerFacts], Nodes]:
    """(producers, distinct bodies of unsent messages) of the gRPC client; most heaps have none."""
    roots = grpc_roots(heap)
    if not roots:
        return [], np.empty(0, np.int32)
    from mqdiag.rocketmq.grpc.producers import grpc_producers, unsent_bodies

    producers = [one for root in roots for one in grpc_producers(heap, root)]
    return producers, np.concatenate([unsent_bodies(heap, root) for root in roots])


def _producers(client: Client) -> list[ProducerFacts]:
    heap = client.heap
    nodes = client.objects("DefaultMQProducer")
    version = version_under(heap, client.root) if nodes.size else None
    return [_producer(heap, node, version) for node in nodes.tolist()]


def _producer(heap: Heap, node: int, version: str | None) -> ProducerFacts:
    implementation = fields.ref(heap, node, "DefaultMQProducer.implementation")
    queue = fields.ref(heap, implementation, "DefaultMQProducerImpl.async_queue")
    return ProducerFacts(
        group=fields.text(heap, node, "DefaultMQProducer.group") or "",
        object_id=f"0x{heap.object_id(node):x}",
        client_id=fields.text(
            heap, implementation, "DefaultMQProducerImpl.instance", "MQClientInstance.client_id"
        ),
        client_version=version,
        service_state=fields.constant(heap, implementation, "DefaultMQProducerImpl.state"),
        config=fields.plain_fields(heap, node),
        async_queue=int(sizes(heap, fields.one(queue))[0]) if queue >= 0 else None,
        async_queue_capacity=fields.number(heap, queue, "BlockingQueue.capacity"),
        backpressure_permits=_permits(heap, implementation, "DefaultMQProducerImpl.async_permits"),
        backpressure_bytes=_permits(heap, implementation, "DefaultMQProducerImpl.async_bytes"),
    )


def _permits(heap: Heap, node: int, semaphore: str) -> int | None:
    return fields.number(heap, node, semaphore, "Lock.sync", "Synchronizer.state")


def _unsent(heap: Heap, clients: Iterable[Client]) -> Nodes:
    """Message objects that came from the application: what was received is a MessageExt."""
    found = [np.empty(0, np.int32)]
    for client in clients:
        made, received = client.objects("Message"), client.objects("MessageExt")
        found.append(np.setdiff1d(made, received, assume_unique=True))
    return np.concatenate(found).astype(np.int32)


# Connections


def remoting_clients(heap: Heap, root: str) -> list[RemotingFacts]:
    """All reachable NettyRemotingClients under a package root, in address order."""
    nodes = fields.instances(heap, root, "NettyRemotingClient")
    instances = fields.instances(heap, root, "MQClientInstance")
    used = fields.refs(heap, instances, "MQClientInstance.api", "MQClientAPIImpl.remoting")
    ids = fields.texts(heap, instances, "MQClientInstance.client_id")
    names = dict(zip(used.tolist(), ids, strict=True))
    return [_connections(heap, node, names.get(node)) for node in nodes.tolist()]


def _connections(heap: Heap, node: int, client_id: str | None) -> RemotingFacts:
    responses = fields.ref(heap, node, "NettyRemotingClient.responses")
    ages, left = _ages(heap, fields.entries(heap, fields.one(responses))[2])
    _, addresses, wrappers = fields.entries(heap, fields.one(node), "NettyRemotingClient.channels")
    closed = _closed(heap, wrappers)
    dead = np.flatnonzero(closed)
    name_servers = fields.members(heap, node, "NettyRemotingClient.name_servers", "AtomicReference.value")
    config = fields.ref(heap, node, "NettyRemotingClient.config")
    return RemotingFacts(
        object_id=f"0x{heap.object_id(node):x}",
        client_id=client_id,
        in_flight=int(ages.size),
        overdue=int((left < 0).sum()),
        oldest_in_flight_ms=int(ages.max()) if ages.size else None,
        async_permits=_permits(heap, node, "NettyRemotingClient.async_permits"),
        async_permits_max=fields.number(heap, config, "NettyClientConfig.async_permits"),
        oneway_permits=_permits(heap, node, "NettyRemotingClient.oneway_permits"),
        oneway_permits_max=fields.number(heap, config, "NettyClientConfig.oneway_permits"),
        channels=int(wrappers.size),
        broker_channels=_to_brokers(heap, addresses[~closed], name_servers),
        dead_channels=int(dead.size),
        dead_addresses=tuple(name or "?" for name in fields.texts(heap, addresses[dead[:_ADDRESSES_SHOWN]])),
        retained_bytes=int(heap.retained_sizes(fields.one(node))[0]),
    )


def _to_brokers(heap: Heap, addresses: Nodes, name_servers: Nodes) -> int | None:
    """Addresses that are no name server's; None where no name server is known."""
    known = set(fields.texts(heap, name_servers))
    return sum(name not in known for name in fields.texts(heap, addresses)) if known else None


def _ages(heap: Heap, futures: Nodes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(age, time left until the timeout) in ms of requests without an answer, int64."""
    began = fields.numbers(heap, futures, "ResponseFuture.began_ms")
    timeout = fields.numbers(heap, futures, "ResponseFuture.timeout_ms")
    known = (began > 0) & (timeout != heap.MISSING)
    at = heap.header.captured_at_ms
    if not at:
        return np.zeros(int(known.sum()), np.int64), np.zeros(int(known.sum()), np.int64)
    ages = np.maximum(at - began[known], 0)
    return ages, timeout[known] - ages


def _closed(heap: Heap, wrappers: Nodes) -> NDArray[np.bool_]:
    """Which ChannelWrappers are about a channel whose close future is done (AbstractChannel.closeFuture)."""
    channels = fields.refs(heap, wrappers, "ChannelWrapper.future", "ChannelFuture.channel")
    return fields.refs(heap, channels, "Channel.close_future", "Promise.result") >= 0


def request_futures(heap: Heap, root: str) -> RequestFutures | None:
    """Calls of request() that have no reply yet; None where the class that keeps them is not loaded."""
    holders = fields.instances(heap, root, "RequestFutureHolder")
    tables = fields.refs(heap, holders, "RequestFutureHolder.futures").tolist()
    rows = fields.class_rows(heap, root, "RequestFutureTable")
    tables += fields.static_refs(heap, rows, "RequestFutureTable.futures")
    tables = [table for table in tables if table >= 0]
    if not tables:
        return None
    chosen = np.array(tables, np.int32)
    ages, left = _ages(heap, fields.entries(heap, chosen)[2])
    return RequestFutures(
        pending=int(ages.size),
        overdue=int((left < 0).sum()),
        oldest_ms=int(ages.max()) if ages.size else None,
        longest_overdue_ms=int(-left.min()) if (left < 0).any() else None,
        retained_bytes=int(heap.retained_sizes(chosen).sum()),
    )

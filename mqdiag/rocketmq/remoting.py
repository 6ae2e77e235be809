"""Connections of the clients: requests without an answer, permits left, channels that are closed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.producers import RemotingFacts, RequestFutures
from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.queue_names import texts

_REMOTING = ".remoting.netty.NettyRemotingClient"
_INSTANCE = ".client.impl.factory.MQClientInstance"
_HOLDER = ".client.producer.RequestFutureHolder"
_TABLE = ".client.producer.RequestFutureTable"
_ADDRESSES_SHOWN = 5


def remoting_clients(heap: Heap, root: str) -> list[RemotingFacts]:
    """All reachable NettyRemotingClients under a package root, in address order."""
    nodes = _reachable(heap, root + _REMOTING)
    instances = _reachable(heap, root + _INSTANCE)
    used = heap.refs(heap.refs(instances, "mQClientAPIImpl"), "remotingClient")
    names = dict(zip(used.tolist(), texts(heap, heap.refs(instances, "clientId")), strict=True))
    return [_facts(heap, node, names.get(node)) for node in nodes.tolist()]


def _reachable(heap: Heap, name: str) -> Nodes:
    nodes = heap.instances(heap.classes.indices_named(name))
    return nodes[heap.reachable(nodes)]


def _facts(heap: Heap, node: int, client_id: str | None) -> RemotingFacts:
    ages, left = _ages(heap, _values(heap, heap.ref(node, "responseTable")))
    _, addresses, wrappers = map_entries(heap, np.array([heap.ref(node, "channelTables")], np.int32))
    dead = np.flatnonzero(_closed(heap, wrappers))
    by_channel = heap.ref(node, "channelWrapperTables")
    return RemotingFacts(
        object_id=f"0x{heap.object_id(node):x}",
        client_id=client_id,
        in_flight=int(ages.size),
        overdue=int((left < 0).sum()),
        oldest_in_flight_ms=int(ages.max()) if ages.size else None,
        async_permits=heap.number(node, "semaphoreAsync.sync.state"),
        async_permits_max=heap.number(node, "nettyClientConfig.clientAsyncSemaphoreValue"),
        oneway_permits=heap.number(node, "semaphoreOneway.sync.state"),
        oneway_permits_max=heap.number(node, "nettyClientConfig.clientOnewaySemaphoreValue"),
        channels=int(wrappers.size),
        dead_channels=int(dead.size),
        dead_addresses=tuple(name or "?" for name in texts(heap, addresses[dead[:_ADDRESSES_SHOWN]])),
        channel_wrappers=int(_values(heap, by_channel).size) if by_channel >= 0 else None,
        retained_bytes=int(heap.retained_sizes(np.array([node], np.int32))[0]),
    )


def _values(heap: Heap, table: int) -> Nodes:
    return map_entries(heap, np.array([table], np.int32))[2]


def _ages(heap: Heap, futures: Nodes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(age, time left until the timeout) in ms of futures with beginTimestamp and timeoutMillis, int64."""
    began, timeout = heap.numbers(futures, "beginTimestamp"), heap.numbers(futures, "timeoutMillis")
    known = (began > 0) & (timeout != heap.MISSING)
    at = heap.header.captured_at_ms
    if not at:
        return np.zeros(int(known.sum()), np.int64), np.zeros(int(known.sum()), np.int64)
    ages = np.maximum(at - began[known], 0)
    return ages, timeout[known] - ages


def _closed(heap: Heap, wrappers: Nodes) -> NDArray[np.bool_]:
    """Which ChannelWrappers are about a channel whose close future is done (AbstractChannel.closeFuture)."""
    channels = heap.refs(heap.refs(wrappers, "channelFuture"), "channel")
    return heap.refs(heap.refs(channels, "closeFuture"), "result") >= 0


def request_futures(heap: Heap, root: str) -> RequestFutures | None:
    """RequestFutureHolder since 4.9.3, the static map of RequestFutureTable before; None where neither is loaded."""
    holders = _reachable(heap, root + _HOLDER)
    tables = heap.refs(holders, "requestFutureTable").tolist()
    for row in heap.classes.indices_named(root + _TABLE):
        tables.append(heap.classes.static_ref(row, "requestFutureTable"))
    tables = [table for table in tables if table >= 0]
    if not tables:
        return None
    chosen = np.array(tables, np.int32)
    ages, left = _ages(heap, map_entries(heap, chosen)[2])
    return RequestFutures(
        pending=int(ages.size),
        overdue=int((left < 0).sum()),
        oldest_ms=int(ages.max()) if ages.size else None,
        longest_overdue_ms=int(-left.min()) if (left < 0).any() else None,
        retained_bytes=int(heap.retained_sizes(chosen).sum()),
    )

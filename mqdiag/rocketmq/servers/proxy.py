"""The proxy of RocketMQ 5: its gRPC clients, the receipt handles that it renews for them, what it relays to them.

Source: DefaultMessagingProcessor, GrpcChannelManager, DefaultReceiptHandleManager, ReceiptHandleGroup, 5.0.0 to 5.5.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.servers import ClientProcess, HandleOwner, ProxyFacts, ProxyPool
from mqdiag.facts.vocabulary import ProxyMode
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.broker.broker_facts import shown_settings
from mqdiag.rocketmq.client import version_under
from mqdiag.rocketmq.servers.netty import netty_memory
from mqdiag.rocketmq.workers import Pool, read_pool

_ROWS = 10
_PROCESS_PARTS = 2
"""the id of a gRPC client is host@pid@number@text"""
_GRPC_POOLS = (
    "GrpcRequests.routes",
    "GrpcRequests.sends",
    "GrpcRequests.receives",
    "GrpcRequests.clients",
    "GrpcRequests.transactions",
)
_PROCESSOR_POOLS = ("Proxy.sends", "Proxy.receives")
_FRAMES = 3
_IDLE = "ThreadPoolExecutor.getTask("
_WAITS = ("jdk.internal.misc.Unsafe.park(", "sun.misc.Unsafe.park(", "java.lang.Object.wait")
_NUMBER = "-_0123456789"
"""at the end of the name of a thread"""


def proxy_facts(heap: Heap) -> ProxyFacts | None:
    """The proxy of the process; None where there is none."""
    for root in sorted(fields.package_roots(heap, "Proxy")):
        nodes = fields.instances(heap, root, "Proxy")
        if nodes.size:
            return _facts(heap, root, int(nodes[0]))
    return None


def _facts(heap: Heap, root: str, node: int) -> ProxyFacts:
    config = _config(heap, root)
    name = config.get("proxyName")
    channels = fields.instances(heap, root, "GrpcChannels")
    clients = _clients(heap, channels)
    relayed, oldest = _relayed(heap, channels)
    handles = _Handles(heap, fields.instances(heap, root, "ReceiptHandles"))
    return ProxyFacts(
        object_id=f"0x{heap.object_id(node):x}",
        version=version_under(heap, root),
        mode=_mode(heap, root, node),
        name=name if isinstance(name, str) else None,
        config=config,
        clients=None if clients is None else len(clients),
        client_processes=_processes(clients or []),
        grpc_connections=_count(heap, "GrpcServerConnection"),
        grpc_streams=_count(heap, "GrpcServerStream"),
        handles=handles.count,
        handles_retained_bytes=handles.retained_bytes,
        handle_owners=handles.owners(),
        relayed=relayed,
        oldest_relayed_ms=oldest,
        pools=tuple(_pools(heap, root, node)),
        netty=netty_memory(heap),
    )


def _config(heap: Heap, root: str) -> dict[str, int | float | bool | str | None]:
    # a file that was read again leaves the older object behind for a while
    nodes = fields.instances(heap, root, "ProxyConfig")
    return shown_settings(heap, int(nodes[-1])) if nodes.size else {}


def _mode(heap: Heap, root: str, node: int) -> ProxyMode | None:
    services = fields.ref(heap, node, "Proxy.services")
    if services < 0:
        return None
    row = int(heap.index.rows[services])
    if row in fields.class_rows(heap, root, "LocalServices"):
        return "local"
    return "cluster" if row in fields.class_rows(heap, root, "ClusterServices") else None


def _clients(heap: Heap, channels: Nodes) -> list[str] | None:
    """Ids of all connected gRPC clients; None in 5.0.x, which keeps them by group."""
    tables = fields.refs(heap, channels, "GrpcChannels.clients")
    tables = tables[tables >= 0]
    if not tables.size:
        return None
    return [text or "" for text in fields.texts(heap, fields.entries(heap, tables)[1])]


def _processes(clients: list[str]) -> tuple[ClientProcess, ...]:
    counted = Counter("@".join(client.split("@")[:_PROCESS_PARTS]) for client in clients)
    most = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:_ROWS]
    return tuple(ClientProcess(process=process, clients=count) for process, count in most)


def _relayed(heap: Heap, channels: Nodes) -> tuple[int | None, int | None]:
    """(requests that clients have not answered, age of the oldest in ms)."""
    tables = fields.refs(heap, channels, "GrpcChannels.relayed")
    tables = tables[tables >= 0]
    if not tables.size:
        return None, None
    _, _, requests = fields.entries(heap, tables)
    return int(requests.size), _oldest_ms(heap, fields.numbers(heap, requests, "RelayedRequest.created_ms"))


def _oldest_ms(heap: Heap, times: NDArray[np.int64]) -> int | None:
    times = times[times > 0]
    now = heap.header.captured_at_ms
    return max(now - int(times.min()), 0) if times.size and now else None


def _pools(heap: Heap, root: str, node: int) -> Iterator[ProxyPool]:
    """The pools that run requests, each that has threads."""
    owners = [(owner, _GRPC_POOLS) for owner in fields.instances(heap, root, "GrpcRequests").tolist()]
    for owner, roles in (*owners, (node, _PROCESSOR_POOLS)):
        for role in roles:
            pool = read_pool(heap, fields.ref(heap, owner, role))
            if pool is not None and pool.workers.size:
                yield _pool(heap, root, pool)


def _pool(heap: Heap, root: str, pool: Pool) -> ProxyPool:
    workers = set(pool.workers.tolist())
    threads = [thread for thread in heap.threads if thread.node in workers]
    places = Counter(_place(thread.frames, root) for thread in threads)
    places.pop(None, None)
    return ProxyPool(
        name=(threads[0].name.rstrip(_NUMBER) or None) if threads else None,
        threads=len(workers),
        active=pool.active,
        in_wait=sum(_waits(thread.frames) for thread in threads if _place(thread.frames, root) is not None),
        waiting=int(pool.tasks.size),
        frames=tuple(frame for frame, _ in places.most_common(_FRAMES) if frame is not None),
    )


def _place(frames: tuple[str, ...], root: str) -> str | None:
    """RocketMQ's frame nearest to the top; None of a thread without a task."""
    if any(_IDLE in frame for frame in frames):
        return None
    return next((frame for frame in frames if frame.startswith(f"{root}.")), None)


def _waits(frames: tuple[str, ...]) -> bool:
    """Whether the top frame is a wait of the JDK."""
    return bool(frames) and frames[0].startswith(_WAITS)


def _count(heap: Heap, role: str) -> int:
    return sum(int(fields.instances(heap, root, role).size) for root in fields.package_roots(heap, role))


class _Handles:
    """All receipt handles: (channel, group) -> message id -> receipt handle as received -> its present state."""

    def __init__(self, heap: Heap, managers: Nodes) -> None:
        self.heap = heap
        self.tables = fields.refs(heap, managers, "ReceiptHandles.groups")
        self.tables = self.tables[self.tables >= 0]
        _, self.keys, groups = fields.entries(heap, self.tables)
        owners, _, of_message = fields.entries(heap, groups, "ReceiptHandleGroup.messages")
        places, _, states = fields.entries(heap, of_message)
        self.owner = owners[places]
        """place in `keys` of each handle"""
        self.handles = fields.refs(heap, states, "HandleData.handle")

    @property
    def count(self) -> int | None:
        """None where no manager could be read."""
        return int(self.owner.size) if self.tables.size else None

    @property
    def retained_bytes(self) -> int | None:
        return int(self.heap.retained_sizes(self.tables).sum()) if self.tables.size else None

    def owners(self) -> tuple[HandleOwner, ...]:
        """The clients with the most."""
        counts = np.bincount(self.owner, minlength=self.keys.size)
        most = [place for place in np.argsort(-counts, kind="stable")[:_ROWS].tolist() if counts[place]]
        heap, keys = self.heap, self.keys[most]
        ids = fields.texts(heap, keys, "HandlesKey.channel", "ProxyClient.id")
        # 5.0.0 has the id in the key
        own = fields.texts(heap, keys, "ProxyClient.id")
        return tuple(
            self._owner(place, group, client or other)
            for place, group, client, other in zip(
                most, fields.texts(heap, keys, "HandlesKey.group"), ids, own, strict=True
            )
        )

    def _owner(self, place: int, group: str | None, client: str | None) -> HandleOwner:
        heap = self.heap
        handles = self.handles[self.owner == place]
        times = fields.numbers(heap, handles, "ReceiptHandle.received_ms")
        renewals = fields.numbers(heap, handles, "ReceiptHandle.renewals")
        timed = np.where(times > 0, times, np.iinfo(np.int64).max)
        oldest = handles[[int(timed.argmin())]]
        return HandleOwner(
            group=group,
            client_id=client,
            topic=fields.texts(heap, oldest, "ReceiptHandle.topic")[0],
            handles=int(handles.size),
            oldest_ms=_oldest_ms(heap, times),
            renewals=int(renewals.max()) if (renewals != heap.MISSING).any() else None,
        )

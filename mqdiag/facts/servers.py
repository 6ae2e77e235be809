"""What a heap dump says about a proxy, about the members of Raft groups, and about POP consumption at a broker."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Address, ClientId, Name, Public, Setting
from mqdiag.facts.vocabulary import ProxyMode, RaftLibrary, RaftRole, ServiceThreadState
from mqdiag.lazy_pattern import lazy_pattern

ConfigValue = int | float | bool | Setting | None


_PID = lazy_pattern(r"[^@]+@(\d{1,9})(?:@|\Z)")


def process_id(client_id: str | None) -> int | None:
    """The process of a gRPC client by its id, host@pid@number@random, or by the first two parts of that."""
    found = None if client_id is None else _PID.match(client_id)
    return None if found is None else int(found[1])


class HandleOwner(msgspec.Struct, frozen=True, kw_only=True):
    """Messages that one client of a group received through the proxy and has not acknowledged."""

    group: Public | None
    client_id: ClientId | None = None
    topic: Public | None = None
    """topic of the oldest one"""
    handles: int
    """receipt handles, one for each message"""
    oldest_ms: int | None = None
    """since the proxy handed out the oldest one; None where the version or the dump tells no time"""
    renewals: int | None = None
    """most times that the proxy extended the invisible time of one message; None before 5.2.0"""

    @property
    def process_id(self) -> int | None:
        """The client's process on its host."""
        return process_id(self.client_id)


class ClientProcess(msgspec.Struct, frozen=True, kw_only=True):
    """gRPC clients that one process has opened."""

    process: ClientId
    """host and process id, the first two parts of the id that each client of it has"""
    clients: int

    @property
    def process_id(self) -> int | None:
        """The process on its host."""
        return process_id(self.process)


class UnsentOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What could not be sent yet over one connection."""

    peer: Address | None = None
    """the other end; None for IPv6"""
    unsent_bytes: int


class NettyMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What Netty holds for all connections of a process."""

    chunks: int
    """pieces of memory, direct or of the heap, that the arenas took from the JVM"""
    chunk_bytes: int | None
    """None where a version of Netty has no such field; so too the next three"""
    used_bytes: int | None
    """bytes among them that are in buffers; the rest is kept for later ones"""
    unsent_bytes: int | None
    """bytes of answers: the client takes no more at the moment"""
    unsent_streams: int | None
    """streams of HTTP/2 with such bytes"""
    unsent: tuple[UnsentOutput, ...] = ()
    """connections with the most"""


class ProxyPool(msgspec.Struct, frozen=True, kw_only=True):
    """One pool of threads of a proxy that run requests of clients."""

    name: Public | None = None
    """name of its threads, without the number; GrpcProducerThreadPool; None where the dump names none of them"""
    threads: int
    active: int
    """threads among them that run a request"""
    in_wait: int = 0
    """threads among them that are in a wait for a lock or an event"""
    waiting: int
    """requests in the queue of the pool"""
    frames: tuple[Public, ...] = ()
    """where active threads are: of each the frame of RocketMQ that is nearest to the top, the commonest first"""


class ProxyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One proxy: DefaultMessagingProcessor and what belongs to it."""

    object_id: Public = ""
    version: Public | None = None
    mode: ProxyMode | None = None
    name: Name | None = None
    config: dict[str, ConfigValue] = {}
    """ProxyConfig"""
    clients: int | None = None
    """gRPC clients that opened a telemetry stream and are not unregistered: GrpcChannelManager.clientIdChannelMap"""
    client_processes: tuple[ClientProcess, ...] = ()
    """processes with the most clients"""
    grpc_connections: int = 0
    """HTTP/2 connections of gRPC clients"""
    grpc_streams: int = 0
    """calls in progress on them: telemetry streams, and requests such as ReceiveMessage that wait"""
    handles: int | None = None
    """receipt handles that the proxy renews, one for each message that is not acknowledged"""
    handles_retained_bytes: int | None = None
    handle_owners: tuple[HandleOwner, ...] = ()
    """clients with the most handles"""
    relayed: int | None = None
    """requests of brokers or operators that a client has not answered yet"""
    oldest_relayed_ms: int | None = None
    pools: tuple[ProxyPool, ...] = ()
    """pools with threads; most have none until the first request"""
    netty: NettyMemory | None = None


class RaftMember(msgspec.Struct, frozen=True, kw_only=True):
    """This process as a member of a Raft group: of controllers, or of brokers with a DLedger commit log."""

    library: RaftLibrary
    group: Public | None = None
    self_id: Address | None = None
    """n0, or host:port"""
    role: RaftRole | None = None
    leader_id: Address | None = None
    """None while the member knows no leader"""
    term: int | None = None
    peers: int | None = None
    """members of the group by its configuration"""
    without_leader_ms: int | None = None
    """since it last heard of a leader, or a majority last answered it; None where it never had one, or knows one"""


class ReviveQueue(msgspec.Struct, frozen=True, kw_only=True):
    """PopReviveService of one queue of the broker's revive topic."""

    queue_id: int | None
    running: bool | None = None
    """False on a slave, which revives nothing"""
    behind_ms: int | None = None
    """since the check point that it works on was due, or since it last found none; None where it did neither"""
    unfinished: int | None = None
    """check points of which messages are being given back"""
    thread: ServiceThreadState | None = None


class PopFacts(msgspec.Struct, frozen=True, kw_only=True):
    """POP consumption at a broker."""

    check_points: int | None = None
    """batches that consumers got and that still wait in PopBufferMergeService.buffer for acknowledgements"""
    offset_queues: int | None = None
    """queues of groups for which that service keeps offsets to commit"""
    buffer_thread: ServiceThreadState | None = None
    revive_queues: tuple[ReviveQueue, ...] = ()

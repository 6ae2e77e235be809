"""What mqadmin printed: backlogs by queue, brokers' counters, the state of consumers."""

from __future__ import annotations

import msgspec


class QueueProgress(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `consumerProgress -g`."""

    topic: str
    broker: str
    queue_id: int
    broker_offset: int
    """one behind the last message"""
    consumer_offset: int
    diff: int
    client: str | None = None
    """who has the queue; None where the column is not there or says N/A"""
    inflight: int | None = None
    """delivered and not yet acknowledged, 5.x"""
    last_time: str | None = None
    """when the message at the consumer's offset was stored, on the clock of the machine that ran mqadmin"""


class GroupProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The backlog of a group."""

    group: str | None
    """None where neither its retry topic nor the file's name tells"""
    source: str
    """the file"""
    queues: tuple[QueueProgress, ...] = ()
    diff_total: int | None = None
    consume_tps: float | None = None
    clients_shown: bool = False
    """the column of clients is filled for at least one queue"""


class GroupOverview(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `consumerProgress` over all groups."""

    group: str
    source: str
    count: int | None = None
    """clients that are connected"""
    version: str | None = None
    type: str | None = None
    model: str | None = None
    tps: float | None = None
    diff_total: int | None = None


class BrokerStatus(msgspec.Struct, frozen=True, kw_only=True):
    """`brokerStatus`; one for each broker of a cluster."""

    source: str
    address: str | None = None
    """of a cluster's listing; None where one broker was asked"""
    version: str | None = None
    asked_at: str | None = None
    """when the broker answered, by its start and its run time, to the second; UTC"""
    put_buckets: dict[str, int] = {}
    """puts of one minute by how long they took, by the broker's own bucket names: up to 4.x the minute that runs,
    later the one before; empty where none has passed yet"""
    disk_ratio: float | None = None
    """share of the disk of the commit log that is in use; of several disks the emptiest"""
    values: dict[str, str] = {}
    """all of it, as printed"""


class BrokerListed(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `clusterList`."""

    source: str
    cluster: str
    broker: str
    broker_id: int
    address: str
    version: str


class BlockedQueue(msgspec.Struct, frozen=True, kw_only=True):
    """A queue of which a consumer says that nothing is consumed for a while."""

    client: str
    topic: str
    broker: str
    queue_id: int
    blocked_ms: int


class ConsumerState(msgspec.Struct, frozen=True, kw_only=True):
    """`consumerStatus`."""

    source: str
    group: str | None = None
    clients: tuple[str, ...] = ()
    same_subscription: bool | None = None
    rebalance_ok: bool | None = None
    blocked: tuple[BlockedQueue, ...] = ()


class ClientSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The file that `consumerStatus` writes for a client: its settings."""

    source: str
    group: str | None = None
    settings: dict[str, str] = {}


class TopicQueue(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `topicStatus`."""

    source: str
    topic: str | None = None
    """None where neither the command nor the file's name tells"""
    broker: str
    queue_id: int
    min_offset: int
    max_offset: int
    last_updated: str | None = None


class AdminFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All mqadmin output that was given."""

    groups: tuple[GroupProgress, ...] = ()
    overview: tuple[GroupOverview, ...] = ()
    broker_statuses: tuple[BrokerStatus, ...] = ()
    brokers: tuple[BrokerListed, ...] = ()
    consumers: tuple[ConsumerState, ...] = ()
    clients: tuple[ClientSettings, ...] = ()
    topic_queues: tuple[TopicQueue, ...] = ()

"""What mqadmin printed: backlogs by queue, brokers' counters, the state of consumers."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Address, ClientId, Name, Public, Setting


class QueueProgress(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `consumerProgress -g`."""

    topic: Public
    broker: Name
    queue_id: int
    broker_offset: int
    """one behind the last message"""
    consumer_offset: int
    diff: int
    client: ClientId | None = None
    """who has the queue; None where the column is not there or says N/A"""
    inflight: int | None = None
    """delivered and not yet acknowledged, 5.x"""
    last_time: Public | None = None
    """when the message at the consumer's offset was stored, on the clock of the machine that ran mqadmin"""


class GroupProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The backlog of a group."""

    group: Public | None
    """None where neither its retry topic nor the file's name tells"""
    source: Public
    """the file"""
    queues: tuple[QueueProgress, ...] = ()
    diff_total: int | None = None
    """as mqadmin printed it; greater than the sum of the queues where the output was cut"""
    consume_tps: float | None = None
    clients_shown: bool = False
    """the column of clients is filled for at least one queue"""


class GroupOverview(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `consumerProgress` over all groups."""

    group: Public
    source: Public
    count: int | None = None
    """clients that are connected"""
    version: Public | None = None
    type: Public | None = None
    model: Public | None = None
    tps: float | None = None
    diff_total: int | None = None


class BrokerStatus(msgspec.Struct, frozen=True, kw_only=True):
    """`brokerStatus`; one for each broker of a cluster."""

    source: Public
    address: Address | None = None
    """address from a cluster's listing; None where one broker was asked"""
    version: Public | None = None
    asked_at: Public | None = None
    """when the broker answered, by its start and its run time, to the second; UTC"""
    put_buckets: dict[str, int] = {}
    """puts of one minute by how long they took, by the broker's own bucket names: up to 4.x the minute that runs,
    later the one before; empty where none has passed yet"""
    disk_ratio: float | None = None
    """share of the disk of the commit log that is in use; of several disks the emptiest"""
    values: dict[str, Name] = {}
    """all of it, as printed"""


class BrokerListed(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `clusterList`."""

    source: Public
    cluster: Public | None = None
    """None in the lists of consoles, which have one table for each broker name"""
    broker: Name | None = None
    broker_id: int
    address: Address
    version: Public | None = None
    """None of a broker that does not answer"""
    in_tps: float | None = None
    out_tps: float | None = None
    send_queue: int | None = None
    """requests that wait in the send queue"""
    send_wait_ms: int | None = None
    """age of the oldest of them"""
    pull_queue: int | None = None
    pull_wait_ms: int | None = None
    page_cache_wait_ms: int | None = None
    """how long the put lock has been held"""
    oldest_hours: float | None = None
    """age of the oldest message"""
    disk_ratio: float | None = None
    """share of the disk of the commit log that is in use"""
    activated: bool | None = None
    """5.x: whether it accepts clients"""


class BrokerTotals(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `clusterList -m`: messages by day."""

    source: Public
    cluster: Public | None = None
    broker: Name
    in_yesterday: int
    out_yesterday: int
    in_today: int
    out_today: int


class BlockedQueue(msgspec.Struct, frozen=True, kw_only=True):
    """A queue that a consumer reports as blocked: nothing was consumed for a while."""

    client: ClientId
    topic: Public
    broker: Name
    queue_id: int
    blocked_ms: int


class UnlockedQueue(msgspec.Struct, frozen=True, kw_only=True):
    """A queue that an orderly consumer could not lock for a while."""

    client: ClientId
    topic: Public
    broker: Name
    queue_id: int
    unlocked_ms: int


class ConsumerState(msgspec.Struct, frozen=True, kw_only=True):
    """`consumerStatus`."""

    source: Public
    group: Public | None = None
    clients: tuple[ClientId, ...] = ()
    same_subscription: bool | None = None
    rebalance_ok: bool | None = None
    blocked: tuple[BlockedQueue, ...] = ()
    unlocked: tuple[UnlockedQueue, ...] = ()


class Subscription(msgspec.Struct, frozen=True, kw_only=True):
    """What a group, or one of its clients, subscribes to."""

    topic: Public
    expression: Public
    """tags or SQL; "*" for all messages"""


class ConnectedClient(msgspec.Struct, frozen=True, kw_only=True):
    """A connection of a client to the broker that was asked."""

    client_id: ClientId
    address: Address
    """the connection's remote end, host:port"""
    language: Public | None = None
    version: Public | None = None


class ConsumerConnection(msgspec.Struct, frozen=True, kw_only=True):
    """`consumerConnection`: who is connected for a group. Two rows of one client id are two processes."""

    source: Public
    group: Public | None = None
    clients: tuple[ConnectedClient, ...] = ()
    subscriptions: tuple[Subscription, ...] = ()
    consume_type: Public | None = None
    """CONSUME_PASSIVELY (push), CONSUME_ACTIVELY (pull) or CONSUME_POP"""
    message_model: Public | None = None
    consume_from_where: Public | None = None


class ProducerConnection(msgspec.Struct, frozen=True, kw_only=True):
    """`producerConnection`."""

    source: Public
    group: Public | None = None
    clients: tuple[ConnectedClient, ...] = ()


class ProcessQueueListed(msgspec.Struct, frozen=True, kw_only=True):
    """One line of "#Consumer MQ Detail#": a queue in a client's cache."""

    topic: Public
    broker: Name
    queue_id: int
    commit_offset: int
    min_offset: int
    """lowest offset of the cached messages; 0 where none is cached"""
    max_offset: int
    messages: int
    size_mib: int | None = None
    """None of clients before 4.2.0"""
    locked: bool | None = None
    dropped: bool | None = None
    last_lock: Public | None = None
    """times on the clock of the machine that ran mqadmin, as YYYYMMDDhhmmssSSS"""
    last_pull: Public | None = None
    last_consume: Public | None = None


class ConsumeRates(msgspec.Struct, frozen=True, kw_only=True):
    """One line of "#Consumer RT&TPS#"."""

    topic: Public
    pull_ms: float
    pull_tps: float
    consume_ms: float
    consume_ok_tps: float
    consume_failed_tps: float
    failed_in_hour: int


class ClientSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The file that `consumerStatus` writes for a client: its settings, its queues and its rates."""

    source: Public
    group: Public | None = None
    settings: dict[str, Setting] = {}
    subscriptions: tuple[Subscription, ...] = ()
    queues: tuple[ProcessQueueListed, ...] = ()
    rates: tuple[ConsumeRates, ...] = ()


class TopicQueue(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `topicStatus`."""

    source: Public
    name_server: Address | None = None
    """name servers that were asked, as the command names them; None where it stands in no file"""
    topic: Public | None = None
    """None where neither the command nor the file's name tells"""
    broker: Name
    queue_id: int
    min_offset: int
    max_offset: int
    last_updated: Public | None = None


class TopicRoute(msgspec.Struct, frozen=True, kw_only=True):
    """What `topicRoute` says of one broker."""

    source: Public
    topic: Public | None = None
    """None where neither the command nor the file's name tells"""
    cluster: Public | None = None
    broker: Name
    addresses: tuple[Address, ...] = ()
    """host:port, the master's first"""
    read_queues: int | None = None
    write_queues: int | None = None
    permission: int | None = None
    """2 write, 4 read, 6 both"""


class TopicRates(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `statsAll`: a topic and one of its groups."""

    source: Public
    topic: Public
    group: Public | None = None
    """None of a topic that no group subscribes to"""
    accumulation: int | None = None
    """messages behind; None before 3.5"""
    in_tps: float | None = None
    out_tps: float | None = None
    in_24_hours: int | None = None
    out_24_hours: int | None = None


class BrokerConfig(msgspec.Struct, frozen=True, kw_only=True):
    """`getBrokerConfig`: the settings in force of one broker."""

    source: Public
    address: Address | None = None
    """None of a console's page"""
    settings: dict[str, Setting] = {}


class ReplicaListed(msgspec.Struct, frozen=True, kw_only=True):
    """A slave in the master's answer to `haStatus`."""

    address: Address
    ack_offset: int
    diff_bytes: int
    kib_per_s: float | None = None
    in_sync: bool | None = None


class ReplicationStatus(msgspec.Struct, frozen=True, kw_only=True):
    """`haStatus`, 5.x: a master's answer, which lists its slaves, or a slave's own."""

    source: Public
    master: Address | None = None
    max_offset: int | None = None
    """highest offset of the commit log of the broker that answered"""
    slaves: int | None = None
    """None in a slave's answer"""
    in_sync_slaves: int | None = None
    replicas: tuple[ReplicaListed, ...] = ()
    master_flush_offset: int | None = None
    """as the slave knows it"""
    last_read: Public | None = None
    last_write: Public | None = None


class AdminFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All mqadmin output that was given, and copies of the console's pages."""

    groups: tuple[GroupProgress, ...] = ()
    overview: tuple[GroupOverview, ...] = ()
    broker_statuses: tuple[BrokerStatus, ...] = ()
    broker_configs: tuple[BrokerConfig, ...] = ()
    brokers: tuple[BrokerListed, ...] = ()
    without_brokers: tuple[Public, ...] = ()
    """files in which clusterList lists no broker: the name server that was asked knows none"""
    broker_totals: tuple[BrokerTotals, ...] = ()
    consumers: tuple[ConsumerState, ...] = ()
    consumer_connections: tuple[ConsumerConnection, ...] = ()
    producer_connections: tuple[ProducerConnection, ...] = ()
    clients: tuple[ClientSettings, ...] = ()
    topic_queues: tuple[TopicQueue, ...] = ()
    routes: tuple[TopicRoute, ...] = ()
    topic_rates: tuple[TopicRates, ...] = ()
    replication: tuple[ReplicationStatus, ...] = ()
    unread_commands: tuple[Public, ...] = ()
    """commands whose answers stand in the files, and which nothing reads"""

"""What has been read of a file of mqadmin output so far: finished facts, and the answer that is still open."""

from __future__ import annotations

import re

import msgspec

from mqdiag.facts.admin import (
    AdminFacts,
    BlockedQueue,
    BrokerConfig,
    BrokerListed,
    BrokerTotals,
    ClientSettings,
    ConnectedClient,
    ConsumeRates,
    ConsumerConnection,
    ConsumerState,
    GroupOverview,
    GroupProgress,
    ProcessQueueListed,
    ProducerConnection,
    QueueProgress,
    ReplicaListed,
    ReplicationStatus,
    Subscription,
    TopicQueue,
    TopicRates,
    TopicRoute,
    UnlockedQueue,
)
from mqdiag.read.admin.cells import is_number
from mqdiag.read.admin.counters import broker_status

MOST_SETTINGS = 1000
_RETRY = "%RETRY%"


class Answer(msgspec.Struct):
    """The rows and lines of one command's answer, as long as it goes on."""

    queues: list[QueueProgress] = msgspec.field(default_factory=list)
    total: int | None = None
    tps: float | None = None
    client_ids: list[str] = msgspec.field(default_factory=list)
    blocked: list[BlockedQueue] = msgspec.field(default_factory=list)
    unlocked: list[UnlockedQueue] = msgspec.field(default_factory=list)
    same: bool | None = None
    rebalance: bool | None = None
    connected: list[ConnectedClient] = msgspec.field(default_factory=list)
    producers: list[ConnectedClient] = msgspec.field(default_factory=list)
    subscriptions: list[Subscription] = msgspec.field(default_factory=list)
    kinds: dict[str, str] = msgspec.field(default_factory=dict)
    """ConsumeType, MessageModel and ConsumeFromWhere of a group"""
    properties: dict[str, str] = msgspec.field(default_factory=dict)
    process_queues: list[ProcessQueueListed] = msgspec.field(default_factory=list)
    rates: list[ConsumeRates] = msgspec.field(default_factory=list)
    config_of: str | None = None
    config: dict[str, str] = msgspec.field(default_factory=dict)
    pairs: dict[str, str] = msgspec.field(default_factory=dict)
    """lines of a console's page of keys and values"""
    replication: dict[str, str] = msgspec.field(default_factory=dict)
    replicas: list[ReplicaListed] = msgspec.field(default_factory=list)

    def lacks_its_end(self, *, from_mqadmin: bool) -> bool:
        """Whether consumerProgress lacks its total or digits of it, or consumerStatus what it says of all clients.

        Args:
            from_mqadmin: whether the command printed it, and no console.
        """
        behind = sum(row.diff for row in self.queues)
        without_total = bool(self.queues) and from_mqadmin and (self.total is None or self.total < behind)
        return without_total or (bool(self.client_ids) and self.same is None and self.rebalance is None)


class Output(msgspec.Struct):
    """Facts of all answers of a file."""

    source: str
    named: str | None
    """the group or topic that was asked for"""
    name_server: str | None = None
    """name servers of the command"""
    title: str | None = None
    """the last line that was one word: consoles and 3.x print a name above its table"""
    groups: list[GroupProgress] = msgspec.field(default_factory=list)
    overview: list[GroupOverview] = msgspec.field(default_factory=list)
    statuses: list[tuple[str | None, dict[str, str]]] = msgspec.field(default_factory=list)
    open_statuses: dict[str | None, dict[str, str]] = msgspec.field(default_factory=dict)
    """the last of `statuses` of each address, to which its next counter belongs"""
    configs: list[BrokerConfig] = msgspec.field(default_factory=list)
    brokers: list[BrokerListed] = msgspec.field(default_factory=list)
    asked_for_brokers: bool = False
    """the head of their list was printed"""
    rows_apart: bool = False
    """a row of their list stands without its head: a list without rows is not empty"""
    totals: list[BrokerTotals] = msgspec.field(default_factory=list)
    consumers: list[ConsumerState] = msgspec.field(default_factory=list)
    consumer_connections: list[ConsumerConnection] = msgspec.field(default_factory=list)
    producer_connections: list[ProducerConnection] = msgspec.field(default_factory=list)
    clients: list[ClientSettings] = msgspec.field(default_factory=list)
    topic_queues: list[TopicQueue] = msgspec.field(default_factory=list)
    routes: list[TopicRoute] = msgspec.field(default_factory=list)
    topic_rates: list[TopicRates] = msgspec.field(default_factory=list)
    replication: list[ReplicationStatus] = msgspec.field(default_factory=list)
    unread_commands: dict[str, None] = msgspec.field(default_factory=dict)
    """those whose answers nothing reads"""
    answer: Answer = msgspec.field(default_factory=Answer)

    def end_answer(self) -> None:
        """Put what the open answer gave where it belongs, and begin the next one."""
        answer, self.answer = self.answer, Answer()
        if answer.queues or answer.total is not None:
            self.groups.append(self._progress(answer))
        if (
            answer.client_ids
            or answer.blocked
            or answer.unlocked
            or (answer.same, answer.rebalance) != (None, None)
        ):
            self.consumers.append(
                ConsumerState(
                    source=self.source,
                    group=self.named,
                    clients=tuple(answer.client_ids),
                    same_subscription=answer.same,
                    rebalance_ok=answer.rebalance,
                    blocked=tuple(answer.blocked),
                    unlocked=tuple(answer.unlocked),
                )
            )
        if answer.properties or answer.process_queues or answer.rates:
            self.clients.append(self._client(answer))
        elif answer.connected or answer.subscriptions or answer.kinds:
            self.consumer_connections.append(self._connection(answer))
        if answer.producers:
            self.producer_connections.append(
                ProducerConnection(source=self.source, group=self.named, clients=tuple(answer.producers))
            )
        if answer.config_of is not None or "brokerClusterName" in answer.config:
            self.configs.append(
                BrokerConfig(source=self.source, address=answer.config_of, settings=answer.config)
            )
        if answer.replication or answer.replicas:
            self.replication.append(self._replication(answer))
        self._sort_pairs(answer.pairs)

    @property
    def _lists_no_broker(self) -> bool:
        return self.asked_for_brokers and not self.rows_apart and not self.brokers

    def facts(self) -> AdminFacts:
        """All that was read."""
        self.end_answer()
        return AdminFacts(
            groups=tuple(self.groups),
            overview=tuple(self.overview),
            broker_statuses=tuple(
                broker_status(self.source, address, values)
                for address, values in self.statuses
                if "brokerVersionDesc" in values
            ),
            broker_configs=tuple(self.configs),
            brokers=tuple(self.brokers),
            without_brokers=(self.source,) if self._lists_no_broker else (),
            broker_totals=tuple(self.totals),
            consumers=tuple(self.consumers),
            consumer_connections=tuple(self.consumer_connections),
            producer_connections=tuple(self.producer_connections),
            clients=tuple(self.clients),
            topic_queues=tuple(self.topic_queues),
            routes=tuple(self.routes),
            topic_rates=tuple(self.topic_rates),
            replication=tuple(self.replication),
            unread_commands=tuple(self.unread_commands),
        )

    def _progress(self, answer: Answer) -> GroupProgress:
        retry = next((row.topic for row in answer.queues if row.topic.startswith(_RETRY)), None)
        return GroupProgress(
            group=retry.removeprefix(_RETRY) if retry else self.named,
            source=self.source,
            queues=tuple(answer.queues),
            diff_total=answer.total,
            consume_tps=answer.tps,
            clients_shown=any(row.client is not None for row in answer.queues),
        )

    def _client(self, answer: Answer) -> ClientSettings:
        return ClientSettings(
            source=self.source,
            group=answer.properties.get("consumerGroup"),
            settings=answer.properties,
            subscriptions=tuple(answer.subscriptions),
            queues=tuple(answer.process_queues),
            rates=tuple(answer.rates),
        )

    def _connection(self, answer: Answer) -> ConsumerConnection:
        retry = next((one.topic for one in answer.subscriptions if one.topic.startswith(_RETRY)), None)
        return ConsumerConnection(
            source=self.source,
            group=retry.removeprefix(_RETRY) if retry else self.named,
            clients=tuple(answer.connected),
            subscriptions=tuple(answer.subscriptions),
            consume_type=answer.kinds.get("ConsumeType"),
            message_model=answer.kinds.get("MessageModel"),
            consume_from_where=answer.kinds.get("ConsumeFromWhere"),
        )

    def _replication(self, answer: Answer) -> ReplicationStatus:
        given = answer.replication

        def whole(name: str) -> int | None:
            value = given.get(name, "")
            return int(value) if is_number(value) else None

        master = "MasterCommitLogMaxOffset" in given
        return ReplicationStatus(
            source=self.source,
            master=given.get("MasterAddr"),
            max_offset=whole("MasterCommitLogMaxOffset" if master else "CommitLogMaxOffset"),
            slaves=whole("SlaveNum"),
            in_sync_slaves=whole("InSyncSlaveNum"),
            replicas=tuple(answer.replicas),
            master_flush_offset=whole("MasterFlushOffset"),
            last_read=given.get("LastReadTime"),
            last_write=given.get("LastWriteTime"),
        )

    def _sort_pairs(self, pairs: dict[str, str]) -> None:
        """A console's page of keys and values is a broker's counters or its settings."""
        if "brokerVersionDesc" in pairs:
            self.open_statuses[None] = pairs
            self.statuses.append((None, pairs))
        elif "brokerClusterName" in pairs or "brokerRole" in pairs:
            self.configs.append(BrokerConfig(source=self.source, settings=pairs))


def of_file_name(name: str) -> str | None:
    """The group or topic in the name of a file that was named after its command."""
    found = _FILE_NAME.search(name)
    return found[1] if found else None


_FILE_NAME = re.compile(
    r"(?:consumerProgress|consumerStatus|topicStatus|topicRoute|consumerConnection|producerConnection)"
    r"[-_.]([%\w-]+?)(?:-s)?\.\w+$"
)

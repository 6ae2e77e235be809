"""What one heap dump says: sizes, holders, and the RocketMQ view.

Names and meanings follow the report's contract; sizes are shallow or retained bytes of the JVM, bodies are
`byte[]` lengths. Sources of the RocketMQ fields: class and field names in the docstrings.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.heap_classes import ClassRow, CountedObjects, DominatorBox, EqualNumber, KindTraits, Suspect
from mqdiag.facts.heap_threads import HeapThread, VirtualThreads
from mqdiag.facts.producers import SendingFacts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.redaction import (
    ClientId,
    MessageId,
    MessageKeys,
    Name,
    Node,
    Public,
    Setting,
)
from mqdiag.facts.servers import ProxyFacts, RaftMember
from mqdiag.facts.vocabulary import (
    ClientKind,
    HeapBytesSource,
    Library,
    QueueSource,
    ServerKind,
    ServiceThreadState,
    ShallowSizeSource,
)
from mqdiag.facts.waste import Waste
from mqdiag.text import Text

ConfigValue = int | float | bool | Setting | None

SIZES_OFF_SHARE = 0.02
"""how much the bytes of all live objects may be off where sizes were computed"""
_LEAST_SHARE = 0.1
"""share of the heap below which a holder matters to nobody"""
_LEAST_BYTES = 1 << 20
"""below it a holder is the JVM's own, whatever share of an almost empty heap it has"""
LITTLE_USED = 0.5
"""share of the largest heap that the JVM may have"""
LARGE_OBJECT_BYTES = 512 * 1024
"""half of G1's smallest region (1 MiB): smaller objects are never humongous"""
TIME = "time of the dump"
"""key of `HeapFacts.unknown` where ages cannot be counted"""
CLOCKS = "clocks of the hosts"
"""key of `HeapFacts.unknown` where the broker's clock is another than the client's"""
_UNSURE_LIMITS = ("option", "container")
"""a limit that somebody gave, or that was computed from the memory of a container, may be larger than the real one"""


class TopicRate(msgspec.Struct, frozen=True, kw_only=True):
    """How fast a group works on one topic, from the client's own ConsumerStatsManager over the last minute."""

    topic: Public
    window_ms: int
    """from the oldest sample of the last minute, or the start of a younger consumer, to the dump"""
    consumed_per_second: float | None = None
    failed_per_second: float | None = None
    pulled_per_second: float | None = None
    consume_ms: float | None = None
    """mean time of a listener call that ended in the window; None when none did"""
    lag: int | None = None
    """over this JVM's queues of the topic"""
    drain_seconds: float | None = None
    """until the lag is gone at this rate if nothing is produced meanwhile; None when nothing is consumed"""


class ConsumerOwner(msgspec.Struct, frozen=True, kw_only=True):
    """The object or class of the application that holds a consumer."""

    label: Node
    """its field that leads to the consumer"""
    object_id: Public
    equal_numbers: tuple[EqualNumber, ...] = ()
    """numbers in it, in its class and in the objects that it refers to, by setting; the likeliest names first"""


class ConsumerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One consumer object (a group may have several in one JVM)."""

    group: Public
    kind: ClientKind
    traits: KindTraits = KindTraits()
    """what the kind does and which settings limit it"""
    object_id: Public = ""
    client_id: ClientId | None = None
    client_version: Public | None = None
    layout: Public | None = None
    """version family by which its classes and fields were read"""
    message_model: Public | None = None
    """CLUSTERING or BROADCASTING"""
    orderly: bool | None = None
    config: dict[str, ConfigValue] = {}
    """every setting of the consumer object under its Java field name"""
    state: dict[str, ConfigValue] = {}
    """live counters and flags of the implementation object (serviceState, pause, flow-control counters)"""
    queues: int = 0
    messages: int = 0
    body_bytes: int = 0
    retained_bytes: int | None = None
    """exact for the set of its ProcessQueues, messages and queued requests"""
    bound_bytes: int | None = None
    """what its thresholds allow over its assigned queues, as article 000 computes it"""
    bound_max_bytes: int | None = None
    """the same with the largest body, one batch of overshoot and the overhead of each message"""
    bounded_queues: int | None = None
    """queues in that sum: assigned, not dropped, without empty `%RETRY%` ones"""
    average_body_bytes: float | None = None
    largest_body_bytes: int | None = None
    measured_messages: int = 0
    """messages behind the average; fewer than 32 leave the bounds unknown"""
    pool_threads: int | None = None
    pool_active: int | None = None
    queued_requests: int | None = None
    instance_id: Public | None = None
    """object id of its MQClientInstance; None before start() and after shutdown()"""
    registered: bool | None = None
    """in the consumerTable of that instance: heartbeats and rebalancing go by it"""
    cleaner_tasks: int | None = None
    """periodic tasks that wait or run in the expiry cleaner; None where there is none, or it is shut down"""
    resubmits: int | None = None
    """requests that wait in the scheduled executor to be tried again, as their messages could not be sent back"""
    topic_queues: dict[str, int] = {}
    """queues of each subscribed topic, over all brokers, as the consumer knows them from the route"""
    rates: tuple[TopicRate, ...] = ()
    owner: ConsumerOwner | None = None
    """None where no field of the application leads to the consumer"""
    unknown: dict[str, Text] = {}
    """what could not be read, with the reason"""


class QueueFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One ProcessQueue."""

    group: Public | None
    topic: Public | None
    broker: Name | None
    queue_id: int | None
    object_id: Public = ""
    messages: int = 0
    """in msgTreeMap and in the orderly in-flight map"""
    in_flight: int = 0
    """messages among them in the orderly in-flight map"""
    msg_count: int | None = None
    msg_size: int | None = None
    """None before 4.2.0: the field is not there"""
    body_bytes: int = 0
    largest_body_bytes: int | None = None
    largest_body_offset: int | None = None
    largest_body_msg_id: MessageId | None = None
    min_offset: int | None = None
    max_offset: int | None = None
    span: int | None = None
    commit_offset: int | None = None
    next_offset: int | None = None
    lag: int | None = None
    started: int | None = None
    """messages with CONSUME_START_TIME: handed to a listener"""
    longest_consume_age_ms: int | None = None
    """greatest age since a listener began, over all messages of the queue"""
    redelivered: int | None = None
    """messages with reconsumeTimes > 0"""
    most_redelivered: int | None = None
    """greatest reconsumeTimes"""
    oldest_consume_age_ms: int | None = None
    """age of the message with the lowest offset since its listener began"""
    head_msg_id: MessageId | None = None
    head_keys: MessageKeys | None = None
    finished_beyond_head: int | None = None
    """offsets above the head that are no longer in the map: delivered again after a restart now"""
    held_offsets: tuple[tuple[int, int], ...] = ()
    """offsets in the map as runs, first and last of each; beyond 64 runs the narrowest gaps are closed"""
    assigned: bool | None = None
    """in the processQueueTable of its consumer's RebalanceImpl"""
    dropped: bool | None = None
    locked: bool | None = None
    last_lock_age_ms: int | None = None
    """since the broker last confirmed the lock of an orderly queue"""
    last_pull_age_ms: int | None = None
    last_consume_age_ms: int | None = None
    being_changed: bool | None = None
    """a thread was inside the queue's write lock: counters and map may differ by one batch"""
    incomplete: bool = False
    """the file lacks messages that the queue's maps count, or bodies of them, or no map of a known kind was found"""
    found_by: QueueSource | None = None


class MessageHolder(msgspec.Struct, frozen=True, kw_only=True):
    """Who keeps messages that are held neither by queues nor executors nor frames."""

    holder_class: Public
    holder_field: Public
    object_id: Public
    messages: int
    retained_bytes: int | None = None
    path: tuple[Node, ...] = ()


class MessageTotals(msgspec.Struct, frozen=True, kw_only=True):
    """Messages and their bytes by what holds them; one message counts under the first that applies."""

    in_queues: int = 0
    in_queues_body_bytes: int = 0
    """lengths of their distinct bodies"""
    in_executors: int = 0
    in_frames: int = 0
    elsewhere: int = 0
    elsewhere_bytes: int | None = None
    """what dies if the messages that only others hold go"""


class ClientInstance(msgspec.Struct, frozen=True, kw_only=True):
    """One MQClientInstance, which consumers and producers share, or one client of the gRPC client library.

    It has connections and service threads of its own.
    """

    object_id: Public
    client_id: ClientId | None = None
    service_state: Public | None = None
    client_version: Public | None = None
    consumer_groups: tuple[Public, ...] = ()
    producer_groups: tuple[Public, ...] = ()
    library: Library = "remoting"
    """the client library; a producer of the gRPC client has no group"""
    pull_thread: ServiceThreadState | None = None
    """state of PullMessageService"""
    pull_stopped: bool | None = None
    """shutdown() was called on PullMessageService"""


class RocketMQFacts(msgspec.Struct, frozen=True, kw_only=True):
    """RocketMQ's objects in one dump; no number is known without the graph."""

    consumers: tuple[ConsumerFacts, ...] = ()
    queues: tuple[QueueFacts, ...] = ()
    instances: tuple[ClientInstance, ...] = ()
    process_queues: int | None = None
    messages: int | None = None
    messages_unreachable: int | None = None
    messages_in_queues: int | None = None
    body_bytes: int | None = None
    """lengths of the distinct bodies of all reachable messages; those in queues: `message_totals`"""
    message_totals: MessageTotals | None = None
    message_holders: tuple[MessageHolder, ...] = ()
    grpc_client: bool = False
    """classes of the gRPC client (org.apache.rocketmq.client.java) are loaded"""
    sending: SendingFacts | None = None
    """producers, connections, requests on the way"""
    broker: BrokerFacts | None = None
    """None when the dump is not a broker's"""
    further_brokers: tuple[BrokerFacts, ...] = ()
    """the others of a BrokerContainer"""
    servers: tuple[ServerKind, ...] = ()
    """which servers run in the process; empty for a client"""
    proxy: ProxyFacts | None = None
    raft_members: tuple[RaftMember, ...] = ()


class HeapFacts(RocketMQFacts, frozen=True, kw_only=True):
    """One dump."""

    objects: int | None
    """reachable ones; None without the graph"""
    shallow_bytes: int | None
    unreachable_objects: int | None
    unreachable_bytes: int | None
    file_objects: int = 0
    """all objects of the file"""
    file_shallow_bytes: int = 0
    heap_bytes: int | None = None
    heap_bytes_source: HeapBytesSource | None = None
    """None when the heap's size is unknown"""
    contradicting_heap_bytes: int | None = None
    """the limit by the dump itself, where a given limit cannot be right beside it"""
    contradicting_heap_bytes_source: HeapBytesSource | None = None
    id_size: int = 8
    captured_at: Public | None = None
    jvm: Public | None = None
    shallow_size_source: ShallowSizeSource = "gaps"
    classes: tuple[ClassRow, ...] = ()
    counted: CountedObjects | None = None
    """None where the graph was read, which tells more"""
    suspects: tuple[Suspect, ...] = ()
    dominators: tuple[DominatorBox, ...] = ()
    """the upper dominator tree: objects from 1 % of the reachable bytes, three levels deep"""
    out_of_memory: bool = False
    """an OutOfMemoryError thread is in the dump"""
    large_objects: int | None = None
    """all objects of 512 KiB or more, garbage too, which are arrays; counted where the JVM ran out of memory"""
    large_object_bytes: int | None = None
    threads: tuple[HeapThread, ...] = ()
    virtual_threads: VirtualThreads | None = None
    """None when none is alive"""
    dangling_references: int = 0
    """references to objects that the file does not hold"""
    waste: Waste | None = None
    """general leak suspects: repeated strings, empty collections, and the like; None without the graph"""
    unknown: dict[str, Text] = {}
    """what could not be read or decided, with the reason"""

    @property
    def limit(self) -> tuple[int, HeapBytesSource | None] | None:
        """(bytes, source) of the limit to judge by; None where it is unknown.

        Where a given limit and the dump contradict each other, the smaller one counts, so that a mistaken
        --heap-limit hides no fault. A limit below the live objects is no limit.
        """
        places = (
            (self.heap_bytes, self.heap_bytes_source),
            (self.contradicting_heap_bytes, self.contradicting_heap_bytes_source),
        )
        live_bytes = self.shallow_bytes or 0
        fitting = [
            (limit, source)
            for limit, source in places
            if limit is not None and live_bytes <= limit * (1 + SIZES_OFF_SHARE)
        ]
        return min(fitting, key=lambda place: place[0], default=None)

    @property
    def limit_bytes(self) -> int | None:
        """Bytes of `limit`."""
        return None if self.limit is None else self.limit[0]

    @property
    def in_use_bytes(self) -> int:
        """All objects of the dump, garbage too."""
        return (self.shallow_bytes or 0) + (self.unreachable_bytes or 0)

    @property
    def in_use_share(self) -> float | None:
        """The same as a share of the largest heap; None where that is unknown."""
        return ratio(self.in_use_bytes, self.limit_bytes)

    @property
    def only_grpc(self) -> bool:
        """Whether the consumers are of the gRPC client, all of them."""
        return bool(self.consumers) and all(one.traits.library == "grpc" for one in self.consumers)

    def had_room(self, *, whole: bool) -> bool:
        """Whether surely much of the heap was free at the OutOfMemoryError.

        Then another memory ran out, or one request was too large. Free memory in pieces is no room: G1 gives an array
        of half a region or more whole regions side by side, which wastes up to its own size again.

        Args:
            whole: the dump was read whole; else its sums are lower bounds.
        """
        used = self.in_use_share
        if not self.out_of_memory or not whole or used is None or self.limit is None:
            return False
        taken = used + (ratio(self.large_object_bytes or 0, self.limit_bytes) or 0.0)
        return taken < LITTLE_USED and self.limit[1] not in _UNSURE_LIMITS

    def worth_a_look(self) -> Iterator[Suspect]:
        """What holds so much of the heap that it may matter to somebody, the largest first."""
        for suspect in self.suspects:
            if suspect.share >= _LEAST_SHARE and suspect.retained_bytes >= _LEAST_BYTES:
                yield suspect

    @property
    def name_server(self) -> str | None:
        """The name servers as a consumer has them, `host:port;host:port`; None where no consumer tells."""
        for consumer in self.consumers:
            address = consumer.config.get("namesrvAddr")
            if isinstance(address, str) and address and address.isprintable():
                return address
        return None

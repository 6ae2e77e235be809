"""What one heap dump says: sizes, holders, and the RocketMQ view.

Names and meanings follow the report's contract; sizes are shallow or retained bytes of the JVM, bodies are
`byte[]` lengths. Sources of the RocketMQ fields: class and field names in the docstrings.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.producers import SendingFacts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.redaction import (
    Address,
    ClientId,
    MessageId,
    MessageKeys,
    Name,
    Node,
    Public,
    Setting,
    ThreadName,
)
from mqdiag.facts.servers import ProxyFacts, RaftMember
from mqdiag.facts.vocabulary import (
    ClientKind,
    Doing,
    HeapBytesSource,
    HolderKind,
    HolderOwner,
    KeyFault,
    QueueSource,
    Role,
    ServerKind,
    ServiceThreadState,
    ShallowSizeSource,
    StandstillCause,
)
from mqdiag.facts.waste import Waste
from mqdiag.text import Text

ConfigValue = int | float | bool | Setting | None
LimitScope = Literal["queue", "consumer"]
Library = Literal["remoting", "grpc"]
"""rocketmq-client, or rocketmq-client-java"""

SIZES_OFF_SHARE = 0.02
"""how much the bytes of all live objects may be off where sizes were computed"""
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


class ClassRow(msgspec.Struct, frozen=True, kw_only=True):
    """One class name of the histogram; all objects of the file, reachable or not, as the JVM's own counts."""

    name: Public
    loaders: int
    """number of classes of this name, each from another loader"""
    instances: int
    shallow_bytes: int
    retained_bytes: int | None = None
    """sum over the instances that no other instance of the class dominates; None without the graph"""


class CountedObjects(msgspec.Struct, frozen=True, kw_only=True):
    """What the counts of classes say of RocketMQ, reachable objects and others."""

    messages: int
    """MessageExt and MessageClientExt; MessageViewImpl of the gRPC client"""
    process_queues: int
    client_instances: int
    byte_array_bytes: int
    """bytes of all byte[], whoever holds them"""


class BrokenKeys(msgspec.Struct, frozen=True, kw_only=True):
    """Keys of a map that should be one entry and are many."""

    key_class: Public
    method: KeyFault
    looked_at: int
    """keys that were compared"""
    equal_keys: int
    """keys among them that have an equal one, or with "constant-hash" the same hash"""


class Suspect(msgspec.Struct, frozen=True, kw_only=True, rename={"class_name": "class"}):
    """An accumulation point: the object in which retained weight really sits."""

    class_name: Public
    object_id: Public
    """hexadecimal id, as `mqdiag show` takes it"""
    retained_bytes: int
    share: float
    """share of the reachable bytes"""
    path: tuple[Node, ...]
    """shortest path from a GC root to the object, one "Class.field" step each"""
    owner: HolderOwner = "application"
    holds: tuple[Public, ...] = ()
    """what is mostly inside, "class: 150,000,000 bytes in 1,500" for each class (objects), largest first"""
    own_inside: tuple[Public, ...] = ()
    """classes that the application wrote, "class: count" of the objects inside, those that take most first"""
    label: Node = ""
    """the field, method of a frame, or class that a person would name"""
    kind: HolderKind = "field"
    thread: ThreadName | None = None
    """the thread that holds it, or the threads of a pool with a `*` for their number"""
    threads: int = 0
    """threads that hold such a value each; 0 where no thread does"""
    frame: Public | None = None
    """the frame of that thread, as a thread dump prints it"""
    entries: int | None = None
    """entries of the collection, tasks of the queue, or large parts of the object; None where it has none"""
    entry_classes: tuple[Public, ...] = ()
    """"class: count" of the entries"""
    largest_entry_share: float | None = None
    """share of what the container retains"""
    even: bool = False
    """the entries are beans, such as the services of an application, and none of them stands out"""
    broken_keys: BrokenKeys | None = None
    also_held_by: tuple[Node, ...] = ()
    """further fields that hold the same objects"""
    known_as: Text | None = None
    """what it is to its users: a cache, a registry of meters"""
    remedy: tuple[Text, ...] = ()
    """what limits it, where that is known"""
    web_application: Public | None = None
    """name of the web application that the holder's class belongs to"""


class DominatorBox(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An object of the upper dominator tree, or all small ones of a class, and what goes with it."""

    parent: int | None
    """place in the list of the box around it; None at the top"""
    name: Public
    """its class, or "class NAME" of a class object"""
    object_id: Public | None
    """None for objects summed by class"""
    objects: int
    """1, or how many were summed"""
    retained_bytes: int


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


class KindTraits(msgspec.Struct, frozen=True, kw_only=True):
    """What all consumers of one kind have in common; the defaults are those of a push consumer.

    Each module of `mqdiag/rocketmq/clients` states the traits of its kind, so that nothing else compares kinds.
    """

    library: Library = "remoting"
    """the client library"""
    caches_messages: bool = True
    """keeps pulled messages in the heap until the application has consumed them"""
    count_setting: Public | None = "pullThresholdForQueue"
    """the setting that limits the number of cached messages; None where no setting does"""
    size_setting: Public | None = "pullThresholdSizeForQueue"
    """the setting that limits the size of cached bodies; None where no setting does"""
    size_in_bytes: bool = False
    """that setting is a number of bytes, and not of MiB"""
    limit_scope: LimitScope = "queue"
    """what the two settings limit: each queue, or the consumer as a whole"""
    messages_in_queues: bool = True
    """cached messages are in the map of their ProcessQueue; false: only the requests in the executor hold them"""
    pull_loop: bool = True
    """one PullRequest for each assigned queue goes round in the background"""
    sends_back: bool = True
    """messages that failed or expired go back to the broker"""
    application_holds: bool = False
    """the application receives messages and keeps them itself until it acknowledges them"""
    polled: bool = False
    """the application takes messages from the cache with poll()"""
    spring_lifecycle: bool = True
    """rocketmq-spring passes the consumer to a RocketMQPushConsumerLifecycleListener before it starts"""
    main_settings: tuple[Public, ...] = (
        "pullThresholdForQueue",
        "pullThresholdSizeForQueue",
        "pullThresholdForTopic",
        "pullThresholdSizeForTopic",
        "pullBatchSize",
        "consumeConcurrentlyMaxSpan",
        "consumeThreadMin",
        "consumeThreadMax",
        "consumeMessageBatchMaxSize",
        "consumeTimeout",
        "maxReconsumeTimes",
    )
    """the settings that decide how much is cached and how fast it is consumed, the most important first"""


class EqualNumber(msgspec.Struct, frozen=True, kw_only=True):
    """A number of the application that equals a setting in force: a hint who set it."""

    field: Public
    """the field or constant with its class, "com.acme.BaseConsumer.defaultThreshold" """
    setting: Public
    value: int


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
    """the file lacks messages that the queue's maps count, or bodies of its messages"""
    found_by: QueueSource | None = None


class MessageHolder(msgspec.Struct, frozen=True, kw_only=True):
    """Who keeps messages that are held neither by queues nor executors nor frames."""

    holder_class: Public
    holder_field: Public
    object_id: Public
    messages: int
    retained_bytes: int | None = None
    path: tuple[Node, ...] = ()


class MessageInHand(msgspec.Struct, frozen=True, kw_only=True):
    """The message that a worker is working on."""

    topic: Public | None = None
    queue_id: int | None = None
    offset: int | None = None
    msg_id: MessageId | None = None
    age_ms: int | None = None
    """since the listener got it: CONSUME_START_TIME; for an orderly one since its queue's messages were taken

    The gRPC client does not note that time. Where its full cache proves that no message was finished for a while, it
    is that while, which is a lower bound.
    """
    received_age_ms: int | None = None
    """since the gRPC client received it: an upper bound of the age; None for the remoting client"""
    group: Public | None = None
    broker: Name | None = None
    queue_topic: Public | None = None
    """topic of the queue that it came through: `%RETRY%group` for one that failed before, whose own topic is the first
    one"""
    keys: MessageKeys | None = None
    batch: int | None = None
    """messages that the same call of the listener got"""


class ListenerCall(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker does for its message, by its frames."""

    listener: Public
    """the frame of the listener, wrappers of frameworks passed over"""
    frame: Public | None = None
    """the application's own frame nearest to the wait"""
    doing: Doing
    cause: StandstillCause
    """what the frames show; one dump alone cannot tell a thread that is stuck from a slow call"""
    library: Public | None = None
    remedy: tuple[Text, ...] = ()


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """The other side of the call in which a thread waits, as the objects that its frames hold tell."""

    url: Address
    """a URL, a JDBC URL or a target; host and port where nothing tells more"""
    host: Address | None = None
    port: int | None = None
    method: Public | None = None
    """the method of an HTTP request"""
    timeout_ms: int | None = None
    """limit of the wait for an answer, in force for this call; 0 is none"""
    source: Public
    """the class of the object that told the address"""


class HeapThread(msgspec.Struct, frozen=True, kw_only=True):
    """A thread of the dump with its stack."""

    name: ThreadName
    object_id: Public = ""
    role: Role | None = None
    state: Public | None = None
    message: MessageInHand | None = None
    frames: tuple[Public, ...] = ()
    call: ListenerCall | None = None
    """None when no listener is on its stack, or the dump holds no stack"""
    awaits: ThreadName | None = None
    """the virtual thread, or its carrier, that makes `call` while this one waits for it"""
    hit_out_of_memory: bool = False
    """its first frame is the OutOfMemoryError that made the JVM write the dump"""
    peer: Peer | None = None
    """None where it does not wait for another process, or no object tells which"""
    tid: Public | None = None
    """address of the JVM's own thread, Thread.eetop: a thread dump of the same process prints it as tid"""
    java_id: int | None = None
    """Thread.getId, "#37" in a thread dump"""


class VirtualThreads(msgspec.Struct, frozen=True, kw_only=True):
    """Virtual threads of the dump; those that have not started or have ended do not count."""

    alive: int
    without_stack: int
    """the dump has the thread and not its stack: JDK 21 writes no stack of a virtual thread that waits"""
    waiting_for_carrier: int
    """could run, and no carrier runs them"""
    pinned: int
    """wait and cannot leave their carrier: in a synchronized block before JDK 24, or below a native frame"""
    carriers: int
    """platform threads that run virtual threads"""


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


class HeapFacts(msgspec.Struct, frozen=True, kw_only=True):
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
    out_of_memory: bool = False
    """an OutOfMemoryError thread is in the dump"""
    large_objects: int | None = None
    """all objects of 512 KiB or more, garbage too, which are arrays; counted where the JVM ran out of memory"""
    large_object_bytes: int | None = None
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

    @property
    def name_server(self) -> str | None:
        """The name servers as a consumer has them, `host:port;host:port`; None where no consumer tells."""
        for consumer in self.consumers:
            address = consumer.config.get("namesrvAddr")
            if isinstance(address, str) and address and address.isprintable():
                return address
        return None

"""Objects of a heap by class, and what retains them."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import (
    Node,
    Public,
    ThreadName,
)
from mqdiag.facts.vocabulary import (
    HolderKind,
    HolderOwner,
    KeyFault,
    Library,
    LimitScope,
)
from mqdiag.text import Text


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

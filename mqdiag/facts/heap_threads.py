"""Threads of a heap dump: what each is doing, for which message, and with whom."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import (
    Address,
    MessageId,
    MessageKeys,
    Name,
    Public,
    ThreadName,
)
from mqdiag.facts.vocabulary import (
    Doing,
    Role,
    StandstillCause,
)
from mqdiag.text import Text


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

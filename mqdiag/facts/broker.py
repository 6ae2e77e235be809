"""What a heap dump says about a broker: settings in force, the write path, request queues, replication, tables."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Address, Name, Public, Setting, ThreadName
from mqdiag.facts.servers import PopFacts

ConfigValue = int | float | bool | Setting | None


class TransientStorePoolFacts(msgspec.Struct, frozen=True, kw_only=True):
    """TransientStorePool: off-heap buffers that messages are written to before the page cache."""

    enabled: bool
    """the setting transientStorePoolEnable"""
    pool_size: int | None = None
    """buffers that the pool has when it is filled; the object exists where the pool is off, too"""
    available_buffers: int | None = None
    in_force: bool | None = None
    """enabled, no slave, and up to 4.9.8 ASYNC_FLUSH: the broker asks the pool only then"""
    buffers_in_use: int | None = None
    """distinct off-heap buffers that mapped files write to"""


class RequestQueue(msgspec.Struct, frozen=True, kw_only=True):
    """The queue before a request pool of the broker."""

    size: int | None
    capacity: int | None
    head_wait_ms: int | None = None
    """since the oldest waiting request came in, 0 for an empty queue; None where requests carry no time, as in 3.2.6"""


class CommitLogFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The commit log as the broker's mapped files stand."""

    files: int
    file_bytes: int | None = None
    """size that a new file gets"""
    first_offset: int | None = None
    wrote_offset: int | None = None
    """physical offset behind the last byte written, to the buffer of the pool where that is in force"""
    uncommitted_bytes: int | None = None
    """only in off-heap buffers: gone if the JVM dies"""
    unflushed_bytes: int | None = None
    """not yet on disk: gone if the machine dies"""


class PutLock(msgspec.Struct, frozen=True, kw_only=True):
    """The lock under which messages are appended to the commit log."""

    held: bool | None = None
    holder: ThreadName | None = None
    """thread that holds it; of a spin lock, which names none, the only one in the part of a put that it guards"""
    holder_frames: tuple[Public, ...] = ()
    """top of its stack"""
    writers: tuple[ThreadName, ...] = ()
    """threads inside a put that wait neither for the lock nor, after it, for the flush or a slave"""


class HeldQueue(msgspec.Struct, frozen=True, kw_only=True):
    """Pull requests that PullRequestHoldService keeps until a message comes."""

    topic: Public
    queue_id: int | None
    requests: int


class LongPolling(msgspec.Struct, frozen=True, kw_only=True):
    """PullRequestHoldService."""

    requests: int
    queues: int
    largest: tuple[HeldQueue, ...] = ()


class SlaveLink(msgspec.Struct, frozen=True, kw_only=True):
    """A connected slave: HAConnection of the master."""

    address: Address | None = None
    acknowledged_offset: int | None = None
    behind_bytes: int | None = None
    """distance to the master's last byte; negative: the slave is ahead"""


class Replication(msgspec.Struct, frozen=True, kw_only=True):
    """HAService."""

    slaves: tuple[SlaveLink, ...] = ()
    fall_behind_max_bytes: int | None = None
    """haSlaveFallbehindMax, haMaxGapNotInSync since 5.0.0: beyond it a slave does not count"""


class BrokerTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table or queue that has grown without bound in some version."""

    name: Public
    """"class.field\""""
    entries: int
    retained_bytes: int
    issues: tuple[Public, ...] = ()


class BrokerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One BrokerController."""

    name: Name | None
    version: Public | None = None
    object_id: Public = ""
    cluster: Public | None = None
    broker_id: int | None = None
    role: Public | None = None
    """ASYNC_MASTER, SYNC_MASTER or SLAVE"""
    flush: Public | None = None
    """ASYNC_FLUSH or SYNC_FLUSH"""
    config: dict[str, ConfigValue] = {}
    """BrokerConfig, under its Java field names"""
    store_config: dict[str, ConfigValue] = {}
    """MessageStoreConfig"""
    transient_store_pool: TransientStorePoolFacts | None = None
    """None before 4.0.0: there is none"""
    page_cache_lock_ms: int | None = None
    """since a message began to be appended, as brokerStatus shows it: 0 when none is; None before 3.4.6"""
    put_lock: PutLock | None = None
    send_queue: RequestQueue | None = None
    request_queues: dict[str, RequestQueue] = {}
    """all of them by the name of BrokerController's field, without "ThreadPoolQueue": send, pull, heartbeat, …"""
    commit_log: CommitLogFacts | None = None
    consume_queue_topics: int | None = None
    consume_queues: int | None = None
    long_polling: LongPolling | None = None
    replication: Replication | None = None
    store_flags: tuple[Public, ...] = ()
    """what RunningFlags forbids: not-readable, not-writeable, logic-queue-error, index-file-error, disk-full, …"""
    pop: PopFacts | None = None
    """None before 5.0.0: there is no POP"""
    tables: tuple[BrokerTable, ...] = ()
    """by retained size"""

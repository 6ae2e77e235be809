"""Pools of threads: workers of consumers and brokers, users of connections, and carriers of virtual threads."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public, ThreadName
from mqdiag.facts.vocabulary import (
    Doing,
    Role,
    StandstillCause,
    StandstillKind,
)
from mqdiag.text import Text


class CommonPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A pool or kind of threads of which half or more are in one place, and not at rest."""

    role: Role
    pool: ThreadName
    group: Public | None = None
    pool_size: int
    threads: tuple[ThreadName, ...]
    """those that are there in every sample"""
    at_place: tuple[int, ...]
    """how many are there, by sample"""
    frame: Public
    """the user's own frame; without one, the first one that is not the JDK's"""
    top: Public | None = None
    doing: Doing
    library: Public | None = None
    kind: StandstillKind
    cause: StandstillCause
    """what would be the cause if they hang"""
    remedy: tuple[Text, ...] = ()
    in_tasks: bool = False
    """they run tasks of a pool, so none of its threads is free"""
    needs_others: bool = False
    """their own code waits for an answer of a client, for room in a queue, or for other threads at a barrier"""
    held_up: int = 0
    """those of `threads` that hold a lock that others wait for"""
    standing: int = 0
    """those of `threads` that are known to make no progress"""
    moving: int = 0
    """those of `threads` that are known to move"""


class PutWaits(msgspec.Struct, frozen=True, kw_only=True):
    """How many of a broker's send threads wait for one thing."""

    cause: StandstillCause
    """slow-disk, slow-slave or page-cache-busy"""
    threads: tuple[int, ...]
    """by sample"""
    still: tuple[int, ...] = ()
    """by sample: those of them that did no work since the sample before; 0 for the first one"""
    remedy: tuple[Text, ...] = ()


class WorkerPool(msgspec.Struct, frozen=True, kw_only=True):
    """The threads of one pool and what they did."""

    role: Role
    pool: ThreadName
    group: Public | None = None
    threads: tuple[ThreadName, ...]
    stuck: int = 0
    blocked: int = 0
    progressing: int = 0
    idle: int = 0
    unknown: int = 0
    busy: tuple[int, ...] = ()
    """threads at work, by sample"""
    shared_frame: Public | None = None
    """the frame that most busy threads were found in, over all samples"""
    shared_doing: Doing | None = None
    shared_share: float = 0.0
    shared_pause: Public | None = None
    """the library of rate limits or retries that makes the threads wait there"""
    container: Public | None = None
    """what calls the listener in place of the plain client: "rocketmq-spring" """
    put_waits: tuple[PutWaits, ...] = ()
    """waits of a broker's send threads: what they wait for, whether or not their sends end"""


class PinnedCarriers(msgspec.Struct, frozen=True, kw_only=True):
    """All carriers of virtual threads wait together with the threads that they carry."""

    carriers: int
    threads: tuple[ThreadName, ...]
    """the virtual threads that do not leave their carriers"""
    frame: Public | None = None
    """the application's own frame of the first"""
    waiting: int
    """virtual threads that have not begun; the least of all samples"""
    samples: int
    """those that show virtual threads; in each of them the same threads hold all carriers"""
    in_one_place: bool = False
    """they stand at one line: before a monitor that another thread has, or in a loop"""


class PoolQueue(msgspec.Struct, frozen=True, kw_only=True):
    """Threads that wait for a connection of one pool in every sample; who waits may change."""

    library: Public
    """the connection pool"""
    waiting: tuple[int, ...]
    """threads, by sample"""
    threads: tuple[ThreadName, ...]
    """those of the last sample"""
    frame: Public
    """the application's own frame that asks most often there"""


class ConnectionWaits(msgspec.Struct, frozen=True, kw_only=True):
    """Consume threads that wait for a pooled connection in almost every sample, and move only because they give up."""

    library: Public
    """the connection pool"""
    cause: StandstillCause
    """what the users of the connections wait for; pool-too-small where no user was seen"""
    pool: ThreadName
    """the pool of consume threads"""
    group: Public | None = None
    threads: tuple[ThreadName, ...]
    """those that wait"""
    pool_size: int
    """consume threads of the pool, with those that do not wait for a connection"""
    waiting: tuple[int, ...]
    """by sample"""
    frame: Public
    """the application's own frame that asks for the connection"""
    user: ThreadName | None = None
    """a thread that makes no progress in a client that uses such connections"""
    user_frame: Public | None = None
    """its own frame"""
    user_sure: bool | None = None
    """whether its connection is known to be one of this pool; None where no thread uses one"""
    remedy: tuple[Text, ...] = ()

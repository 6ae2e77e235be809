"""Locks that threads hold and want, and the deadlocks among them."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public, ThreadName
from mqdiag.facts.vocabulary import (
    DeadlockSource,
    Doing,
    LockKind,
    LockLeft,
)


class LockFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A lock that threads of the last sample wait for."""

    object_id: Public
    """address or identity hash; of a class, its name"""
    class_name: Public
    kind: LockKind
    owner: ThreadName | None
    """None when the dump does not name it (a java.util.concurrent lock without -l)"""
    owner_frame: Public | None = None
    """what the owner does: its own frame nearest to its wait"""
    owner_doing: Doing | None = None
    owner_waits_for: Public | None = None
    """object id of the lock that the owner waits for itself: the chain goes on there"""
    inferred: bool = False
    """the owner was found by its frames, not by a lock line"""
    moving: bool = False
    """the owner changes over the samples"""
    waiters: tuple[ThreadName, ...] = ()
    waiting: tuple[int, ...] = ()
    """threads that wait for it, by sample"""
    owners: tuple[ThreadName | None, ...] = ()
    """who has it, by sample; None where nobody is named"""
    share: float = 0.0
    """share of the threads that wait for it among those that are not idle in the last sample"""
    taken_at: Public | None = None
    """the owner's frame that took it, where the dump tells; its line is where the frame is now"""
    left: LockLeft | None = None
    """why no thread that the last sample shows can give it back; None where one may"""


class DeadlockMember(msgspec.Struct, frozen=True, kw_only=True):
    """One thread of a deadlock."""

    thread: ThreadName
    frame: Public | None = None
    """its own line of code"""
    wants_class: Public
    wants_id: Public
    """address or identity hash of the lock that it waits for"""
    holds_class: Public
    holds_id: Public
    taken_at: Public | None = None
    """the frame that took the lock that it holds, with the line where it is now; None where the dump does not tell"""


class HiddenDeadlock(msgspec.Struct, frozen=True, kw_only=True):
    """A thread that holds a lock and waits for work of others, all of which want that lock."""

    holder: ThreadName
    holder_frame: Public | None = None
    holder_waits: Doing
    """for what: a future, a queue, a connection of a pool"""
    lock_class: Public
    lock_id: Public
    taken_at: Public | None = None
    """the holder's frame that took the lock"""
    pool: ThreadName
    """the pool of threads, or the connection pool, that it waits for; or the thread that empties a queue"""
    for_room: bool = False
    """it waits for room in the queue which that thread empties"""
    for_class: bool = False
    """the lock is a class whose static initializer it runs, and which that thread needs"""
    for_pipe: bool = False
    """it waits for the other end of a pipe, where that thread is"""
    for_all: bool = False
    """no thread is left in the process but those before the lock"""
    workers: tuple[ThreadName, ...]
    """all of that pool, before the lock"""
    worker_frame: Public | None = None
    group: Public | None = None
    samples: int = 1


class Deadlock(msgspec.Struct, frozen=True, kw_only=True):
    """A cycle of threads, each waiting for what the next one holds."""

    threads: tuple[ThreadName, ...]
    locks: tuple[Public, ...] = ()
    """what each waits for, "class at frame" """
    kinds: tuple[LockKind, ...] = ()
    """the kind of each lock"""
    members: tuple[DeadlockMember, ...] = ()
    """the same by thread, with the lock that each holds; empty where the dump does not show what each waits for"""
    source: DeadlockSource = "locks"
    """"jvm" when the dump has its own deadlock section, "locks" when only the lock lines show it"""
    group: Public | None = None
    samples: int = 1

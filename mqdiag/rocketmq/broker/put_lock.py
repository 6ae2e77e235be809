"""The lock of the commit log: its owner, and how long it has been held."""

from __future__ import annotations

from mqdiag.facts.broker import PutLock
from mqdiag.graph.heap import Heap
from mqdiag.graph.threads import ThreadRecord
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.broker.controllers import Controller

_FRAMES_SHOWN = 8
_COMMIT_LOGS = (".store.CommitLog.", ".store.dledger.DLedgerCommitLog.")
_PUTS = ("putMessage", "putMessages", "asyncPutMessage", "asyncPutMessages", "doPut", "asyncPut")
_NOT_IN_LOCK = (
    ".PutMessageSpinLock.lock(",
    ".PutMessageReentrantLock.lock(",
    ".PutMessageSpinLock.unlock(",
    ".PutMessageReentrantLock.unlock(",
    ".TopicQueueLock.lock(",
    ".handleDiskFlush(",
    ".handleHA(",
    ".handleDiskFlushAndHA(",
)
"""frames of a put outside the lock: before it is taken, and after it is given back (flush, slave)"""


def lock_age_ms(broker: Controller) -> int | None:
    """CommitLog.lockTimeMills at the dump: 0 while nothing is appended; None before 3.4.6, which notes no time."""
    began = fields.number(broker.heap, broker.commit_log, "CommitLog.lock_began_ms")
    if began is None:
        return None
    if began <= 0:
        return 0
    at = broker.heap.header.captured_at_ms
    return max(at - began, 0) if at else None


def put_lock(broker: Controller) -> PutLock | None:
    """The lock of CommitLog.putMessage; None before 4.1.0, where it is the monitor of the commit log or a flag."""
    heap = broker.heap
    lock = fields.ref(heap, broker.commit_log, "CommitLog.lock")
    if lock < 0:
        return None
    records = heap.threads
    writing = [record for record in records if _writes(broker, record)]
    writers = tuple(record.name for record in writing)
    spin = fields.number(heap, lock, "PutMessageLock.spin_flag")
    if spin is not None:
        # The flag means "free": compareAndSet(true, false) takes it. It names no thread, but lets in only one.
        only = writing[0] if spin == 0 and len(writing) == 1 else None
        return PutLock(
            held=spin == 0,
            holder=only.name if only else None,
            holder_frames=_top(only),
            writers=writers,
        )
    sync = fields.ref(heap, lock, "PutMessageLock.reentrant", "Lock.sync")
    if sync < 0:
        return PutLock(writers=writers)
    owner = fields.ref(heap, sync, "Synchronizer.owner")
    record = next((one for one in records if one.node == owner), None)
    return PutLock(
        held=owner >= 0,
        holder=_name(heap, owner, record),
        holder_frames=_top(record),
        writers=writers,
    )


def _top(record: ThreadRecord | None) -> tuple[str, ...]:
    return tuple(record.frames[:_FRAMES_SHOWN]) if record else ()


def _name(heap: Heap, owner: int, record: ThreadRecord | None) -> str | None:
    if owner < 0:
        return None
    return record.name if record else fields.text(heap, owner, "Thread.name")


def _writes(broker: Controller, record: ThreadRecord) -> bool:
    """True for a thread inside the part of a put that the lock guards."""
    if any(step in frame for frame in record.frames for step in _NOT_IN_LOCK):
        return False
    starts = tuple(f"{broker.root}{log}{put}(" for log in _COMMIT_LOGS for put in _PUTS)
    return any(frame.startswith(starts) for frame in record.frames)

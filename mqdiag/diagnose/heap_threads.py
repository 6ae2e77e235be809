"""The threads of a dump as facts: state, role, and the message that each has in hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mqdiag.facts.heap import HeapThread, MessageInHand
from mqdiag.graph import Heap
from mqdiag.threads.cause_of_wait import listener_call
from mqdiag.threads.roles import role_of_name

OUT_OF_MEMORY = "java.lang.OutOfMemoryError.<init>"

# Bits of Thread.threadStatus (JVMTI thread state), in the order in which jdk.internal.misc.VM.toThreadState looks.
_STATES = (
    (0x0004, "RUNNABLE"),
    (0x0400, "BLOCKED"),
    (0x0010, "WAITING"),
    (0x0020, "TIMED_WAITING"),
    (0x0002, "TERMINATED"),
)
_ALIVE = 0x0001
_ADDRESS = (1 << 64) - 1


def heap_threads(heap: Heap, in_hand: Mapping[int, MessageInHand]) -> tuple[HeapThread, ...]:
    """All threads that have an object in the dump.

    Args:
        heap: the graph.
        in_hand: messages that workers work on, by thread node.
    """
    records = heap.threads
    nodes = np.array([record.node for record in records], np.int32)
    status = heap.numbers(nodes, "threadStatus")
    # JDK 19 and later: Thread.holder.threadStatus
    held = heap.numbers(heap.refs(nodes, "holder"), "threadStatus")
    status = np.where(status == heap.MISSING, held, status)
    addresses = heap.numbers(nodes, "eetop").tolist()
    ids = heap.numbers(nodes, "tid").tolist()
    states = [None if bits == heap.MISSING else thread_state(bits) for bits in status.tolist()]
    return tuple(
        HeapThread(
            name=record.name,
            object_id=f"0x{heap.object_id(record.node):x}",
            role=role_of_name(record.name).role,
            state=state,
            message=in_hand.get(record.node),
            frames=record.frames,
            call=listener_call(record.frames, state) if record.node in in_hand else None,
            hit_out_of_memory=bool(record.frames) and record.frames[0].startswith(OUT_OF_MEMORY),
            tid=None if address in (heap.MISSING, 0) else f"0x{address & _ADDRESS:x}",
            java_id=None if java_id == heap.MISSING else java_id,
        )
        for record, state, address, java_id in zip(records, states, addresses, ids, strict=True)
    )


def thread_state(status: int) -> str:
    """Thread.State of a threadStatus."""
    for bit, state in _STATES:
        if status & bit:
            return state
    return "RUNNABLE" if status & _ALIVE else "NEW"

"""The threads of a dump as facts: state, role, and the message that each has in hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from mqdiag.diagnose.peers import PeerReader
from mqdiag.facts.heap_threads import HeapThread, ListenerCall, MessageInHand
from mqdiag.graph import Heap
from mqdiag.graph.threads import ThreadRecord, stacks_without_thread
from mqdiag.graph.virtual_threads import VIRTUAL_CLASS, Awaited, own_frames, state_of
from mqdiag.threads.cause_of_wait import awaited_call, listener_call
from mqdiag.threads.roles import VIRTUAL, role_of_name, virtual_name

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
    object_ids = heap.object_ids(nodes).tolist()
    peers = PeerReader(heap)
    calls = _Calls(heap, dict(zip(nodes.tolist(), states, strict=True)))
    found = []
    for record, object_id, state, address, java_id in zip(
        records, object_ids, states, addresses, ids, strict=True
    ):
        virtual = heap.class_name(record.node) == VIRTUAL_CLASS
        java_id = None if java_id == heap.MISSING else java_id
        call, awaits = calls.of(record) if record.node in in_hand else (None, None)
        found.append(
            HeapThread(
                name=record.name or (virtual_name(java_id) if virtual else ""),
                object_id=f"0x{object_id:x}",
                role=VIRTUAL if virtual else role_of_name(record.name).role,
                state=state_of(heap, record) if virtual else state,
                message=in_hand.get(record.node),
                frames=own_frames(record.frames) if virtual else record.frames,
                call=call,
                awaits=awaits,
                hit_out_of_memory=bool(record.frames) and record.frames[0].startswith(OUT_OF_MEMORY),
                peer=peers.of(record, state),
                tid=None if address in (heap.MISSING, 0) else f"0x{address & _ADDRESS:x}",
                java_id=java_id,
            )
        )
    return tuple(found)


def threads_without_object(heap: Heap) -> tuple[HeapThread, ...]:
    """Threads of an incomplete dump that threw an OutOfMemoryError and whose objects are in the missing part."""
    if heap.problem is None:
        return ()
    return tuple(
        HeapThread(name="", frames=frames, hit_out_of_memory=True)
        for frames in stacks_without_thread(heap, OUT_OF_MEMORY)
    )


class _Calls:
    """What listeners do, in their own thread or in a virtual thread for which they wait."""

    def __init__(self, heap: Heap, states: Mapping[int, str | None]) -> None:
        self._heap = heap
        self._states = states

    @cached_property
    def _awaited(self) -> Awaited:
        return Awaited(self._heap)

    def of(self, record: ThreadRecord) -> tuple[ListenerCall | None, str | None]:
        """(call, name of the virtual thread that makes it); the name is None where the thread itself does."""
        state = self._states[record.node]
        own = listener_call(record.frames, state)
        runner = None if own is None else self._awaited.last_of(record)
        if own is None or runner is None:
            return own, None
        # On a carrier the virtual thread's number is not the record's own.
        named = runner.name or virtual_name(self._heap.number(runner.node, "tid"))
        runs = state_of(self._heap, runner) or self._states[runner.node]
        return awaited_call(own, own_frames(runner.frames), runs), named


def thread_state(status: int) -> str:
    """Thread.State of a threadStatus."""
    for bit, state in _STATES:
        if status & bit:
            return state
    return "RUNNABLE" if status & _ALIVE else "NEW"

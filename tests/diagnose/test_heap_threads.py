"""Threads of a dump as facts: the state bits of old and new JDKs, the OutOfMemoryError, the message in hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from mqdiag.diagnose.heap_threads import heap_threads, thread_state
from mqdiag.facts.heap_threads import MessageInHand
from mqdiag.graph import Heap, open_heap
from mqdiag.graph.threads import ThreadRecord
from tests.folded import folded

DUMP = Path(__file__).parents[2] / "fixtures" / "heap" / "oversized-oom-4.3.2" / "dump.hprof.gz"


@folded(
    "status, state",
    [
        # as HotSpot sets them: javaThreadStatus.hpp
        (0, "NEW"),
        (0x5, "RUNNABLE"),
        (0x401, "BLOCKED"),
        (0x191, "WAITING"),
        (0x1A1, "TIMED_WAITING"),
        (0x291, "WAITING"),
        (0x2A1, "TIMED_WAITING"),
        (0xE1, "TIMED_WAITING"),
        (0x2, "TERMINATED"),
    ],
)
def test_states(status: int, state: str) -> None:
    assert thread_state(status) == state


def test_threads_of_a_real_dump() -> None:
    heap = open_heap(str(DUMP))
    node = next(record.node for record in heap.threads if record.name == "main")
    in_hand = MessageInHand(topic="t", offset=7)
    threads = {thread.name: thread for thread in heap_threads(heap, {node: in_hand})}
    assert threads["main"].message == in_hand
    assert threads["main"].state == "RUNNABLE"
    assert threads["main"].object_id == f"0x{heap.object_id(node):x}"
    assert threads["PullMessageService"].role == "pull-service"
    assert threads["PullMessageService"].state in ("WAITING", "RUNNABLE")
    assert threads["ConsumeMessageThread_1"].role == "consume-worker"
    (guilty,) = [thread for thread in threads.values() if thread.hit_out_of_memory]
    assert guilty.frames[0].startswith("java.lang.OutOfMemoryError.<init>")


class NewerJdk:
    """The part of a heap that is read, laid out as JDK 19 and later do: the status stands in Thread.holder."""

    MISSING: ClassVar[int] = Heap.MISSING
    threads: ClassVar = [ThreadRecord(0, 1, "waits", ["a.B.c(B.java:1)"]), ThreadRecord(1, 2, "unknown", [])]
    holders: ClassVar = {0: 5, 1: -1}

    def refs(self, nodes: Any, field: str) -> Any:
        assert field == "holder"
        return np.array([self.holders[node] for node in nodes.tolist()], np.int32)

    def numbers(self, nodes: Any, field: str) -> Any:
        if field in ("eetop", "tid"):
            known = {"eetop": -0x8000, "tid": 37}[field]
            return np.array([known if node == 0 else self.MISSING for node in nodes.tolist()], np.int64)
        assert field == "threadStatus"
        return np.array([0x191 if node == 5 else self.MISSING for node in nodes.tolist()], np.int64)

    def object_ids(self, nodes: Any) -> Any:
        return 0x1000 + nodes

    def class_name(self, node: int) -> str:
        return "java.lang.Thread"


def test_states_of_newer_jdks_and_unknown_ones() -> None:
    waits, unknown = heap_threads(NewerJdk(), {})  # type: ignore[arg-type]
    assert waits.state == "WAITING"
    assert unknown.state is None
    assert (waits.tid, waits.java_id) == ("0xffffffffffff8000", 37)
    assert (unknown.tid, unknown.java_id) == (None, None)
    assert not unknown.hit_out_of_memory

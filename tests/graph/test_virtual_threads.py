"""Virtual threads of heap dumps, written as JDK 21 and JDK 25 write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts.heap_threads import VirtualThreads
from mqdiag.graph.virtual_threads import Awaited, own_frames, state_of, virtual_threads
from tests.graph.opening import heap_of
from tests.writers.hprof_records import INT, OBJECT, STICKY_CLASS, UNKNOWN_ROOT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

STATES = {"NEW": 0, "STARTED": 1, "RUNNABLE": 2, "PARKED": 4, "PINNED": 5, "TIMED_PARKED": 7, "TERMINATED": 99}
WAIT = (("jdk/internal/misc/Unsafe", "park"), ("java/util/concurrent/FutureTask", "get"))
LISTENER = ("com/acme/Listener", "consumeMessage")
READ = (
    ("jdk/internal/vm/Continuation", "yield0"),
    ("java/lang/VirtualThread", "park"),
    ("com/acme/Client", "call"),
    ("java/util/concurrent/FutureTask", "run"),
    ("java/lang/VirtualThread", "run"),
    ("jdk/internal/vm/Continuation", "enter"),
)
CARRIED = (*READ[1:5], ("java/lang/VirtualThread", "runContinuation"))


class Jvm:
    """Threads, virtual threads and futures."""

    def __init__(self) -> None:
        self.dump = DumpWriter()
        self.java = JavaObjects(self.dump)
        self.virtual = self.dump.java_class(
            "java/lang/VirtualThread",
            fields={"state": INT, "carrierThread": OBJECT, "name": OBJECT},
            statics={name: (INT, value) for name, value in STATES.items()},
            superclass=self.dump.known("java/lang/Object"),
        )
        self.dump.root(STICKY_CLASS, self.virtual.id)
        self.future_class = self.dump.known("java/util/concurrent/FutureTask", runner=OBJECT)
        self.serials = 0

    def future(self) -> int:
        return self.dump.instance(self.future_class)

    def thread(self, node: int, stack: tuple[tuple[str, str], ...], **held: int) -> None:
        """`held`: what the frame of a method holds."""
        self.serials += 1
        frames = [self.dump.frame(self.dump.known(owner), method) for owner, method in stack]
        self.dump.thread(node, self.serials, frames)
        for at, (_, method) in enumerate(stack):
            if method in held:
                self.dump.local(held[method], self.serials, at)

    def virtual_thread(self, state: str, carrier: int = 0, name: int = 0) -> int:
        made = self.dump.instance(self.virtual, state=STATES[state], carrierThread=carrier, name=name)
        self.dump.root(UNKNOWN_ROOT, made)
        return made

    def carrier(self) -> int:
        return self.dump.instance(
            self.dump.known("jdk/internal/misc/CarrierThread", name=OBJECT), name=self.java.string("worker-1")
        )


@pytest.fixture
def jvm() -> Jvm:
    return Jvm()


def awaited(jvm: Jvm, folder: Path) -> tuple[str, ...] | None:
    """Frames of the thread for which the first thread waits."""
    heap = heap_of(jvm.dump, folder)
    runner = Awaited(heap).last_of(next(thread for thread in heap.threads if thread.name == "worker"))
    return None if runner is None else tuple(frame.partition("(")[0] for frame in own_frames(runner.frames))


CALL = (
    "java.lang.VirtualThread.park",
    "com.acme.Client.call",
    "java.util.concurrent.FutureTask.run",
    "java.lang.VirtualThread.run",
)


def test_the_thread_that_runs_the_future(jvm: Jvm, tmp_path: Path) -> None:
    future = jvm.future()
    jvm.thread(jvm.java.thread("worker"), (*WAIT, LISTENER), get=future)
    jvm.thread(jvm.virtual_thread("PARKED"), READ, run=jvm.future())
    jvm.thread(jvm.virtual_thread("PARKED"), READ, run=future)
    assert awaited(jvm, tmp_path) == CALL


def test_the_carrier_has_the_frames_of_the_thread_that_it_carries(jvm: Jvm, tmp_path: Path) -> None:
    future, carrier = jvm.future(), jvm.carrier()
    jvm.thread(jvm.java.thread("worker"), (*WAIT, LISTENER), get=future)
    jvm.virtual_thread("PINNED", carrier)
    jvm.thread(carrier, CARRIED, run=future)
    assert awaited(jvm, tmp_path) == CALL


def test_a_chain_of_threads_is_followed_to_its_end(jvm: Jvm, tmp_path: Path) -> None:
    first, second = jvm.future(), jvm.future()
    jvm.thread(jvm.java.thread("worker"), (*WAIT, LISTENER), get=first)
    jvm.thread(jvm.virtual_thread("PARKED"), (*WAIT, *READ[2:]), get=second, run=first)
    jvm.thread(jvm.virtual_thread("PARKED"), READ, run=second)
    assert awaited(jvm, tmp_path) == CALL


def test_threads_that_wait_for_each_other_end_the_search(jvm: Jvm, tmp_path: Path) -> None:
    first, second = jvm.future(), jvm.future()
    jvm.thread(jvm.java.thread("worker"), (*WAIT, LISTENER), get=first)
    jvm.thread(jvm.virtual_thread("PARKED"), (*WAIT, *READ[2:]), get=second, run=first)
    jvm.thread(jvm.virtual_thread("PARKED"), (*WAIT, *READ[2:]), get=first, run=second)
    assert awaited(jvm, tmp_path) is not None


def test_a_future_that_another_thread_only_waits_for_is_not_its_work(jvm: Jvm, tmp_path: Path) -> None:
    future = jvm.future()
    jvm.thread(jvm.java.thread("worker"), (*WAIT, LISTENER), get=future)
    jvm.thread(jvm.virtual_thread("PARKED"), (*WAIT, *READ[2:]), get=future, run=jvm.future())
    assert awaited(jvm, tmp_path) is None


def test_a_future_in_the_listeners_own_frames_is_not_what_it_waits_for(jvm: Jvm, tmp_path: Path) -> None:
    future = jvm.future()
    jvm.thread(jvm.java.thread("worker"), (*WAIT, LISTENER), get=jvm.future(), consumeMessage=future)
    jvm.thread(jvm.virtual_thread("PARKED"), READ, run=future)
    assert awaited(jvm, tmp_path) is None


def test_numbers_of_jdk_21_without_stacks(jvm: Jvm, tmp_path: Path) -> None:
    carrier = jvm.carrier()
    for state in ("NEW", "TERMINATED", "STARTED", "RUNNABLE", "PARKED"):
        jvm.virtual_thread(state)
    jvm.virtual_thread("PINNED", carrier)
    jvm.thread(carrier, CARRIED)
    assert virtual_threads(heap_of(jvm.dump, tmp_path)) == VirtualThreads(
        alive=4, without_stack=1, waiting_for_carrier=2, pinned=1, carriers=1
    )


def test_states_by_the_constants_of_the_class(jvm: Jvm, tmp_path: Path) -> None:
    for state in ("PARKED", "TIMED_PARKED"):
        jvm.thread(jvm.virtual_thread(state), READ)
    heap = heap_of(jvm.dump, tmp_path)
    assert [state_of(heap, thread) for thread in heap.threads] == ["WAITING", "TIMED_WAITING"]
    found = virtual_threads(heap)
    assert found is not None
    assert found.without_stack == 0


def test_a_jvm_without_virtual_threads(tmp_path: Path) -> None:
    jvm = Jvm()
    jvm.thread(jvm.java.thread("worker"), (*WAIT, LISTENER), get=jvm.future())
    assert virtual_threads(heap_of(jvm.dump, tmp_path)) is None
    assert awaited(jvm, tmp_path) is None

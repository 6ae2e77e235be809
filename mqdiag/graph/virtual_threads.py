"""Virtual threads of a dump: how many have a stack there, which are pinned, and which thread works for which future.

JDK 22 and later write virtual threads that are on no carrier as threads with stacks; JDK 21 writes the objects only. A
virtual thread on a carrier has its frames in the carrier's stack.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mqdiag.facts.heap_threads import VirtualThreads
from mqdiag.graph.heap import Heap
from mqdiag.graph.threads import ThreadRecord

VIRTUAL_CLASS = "java.lang.VirtualThread"
_CARRIER_CLASS = "jdk.internal.misc.CarrierThread"
_FUTURES = ("java.util.concurrent.FutureTask", "java.util.concurrent.CompletableFuture")
_FLOCK_CLASS = "jdk.internal.misc.ThreadFlock"
_JDK = ("java.", "jdk.", "sun.")
_MOST_STEPS = 200
"""completions of a future that are followed to the futures that depend on it"""
_MOST_HANDS = 8
"""threads of which each waits for the next"""

# States of VirtualThread, by the names of its constants.
_OVER = ("NEW", "TERMINATED")
_PINNED = ("PINNED", "TIMED_PINNED")
_READY = ("STARTED", "RUNNABLE", "UNPARKED", "YIELDED", "UNBLOCKED")
"""wait for a carrier; RUNNABLE is the one state of JDK 21 for what later JDKs call UNPARKED and YIELDED"""
_OF_THREAD = {
    "WAITING": ("PARKING", "PARKED", "PINNED", "WAITING", "WAIT"),
    "TIMED_WAITING": ("TIMED_PARKING", "TIMED_PARKED", "TIMED_PINNED", "TIMED_WAITING", "TIMED_WAIT"),
    "BLOCKED": ("BLOCKING", "BLOCKED"),
    "RUNNABLE": ("RUNNING", "YIELDING", *_READY),
}
"""Thread.State of each, as VirtualThread.threadState has it"""


def virtual_threads(heap: Heap) -> VirtualThreads | None:
    """Their numbers; None when the dump has no virtual thread that is alive."""
    names = _state_names(heap)
    nodes = heap.instances(heap.classes.indices_named(VIRTUAL_CLASS))
    nodes = nodes[heap.reachable(nodes)]
    states = [names.get(state, "") for state in heap.numbers(nodes, "state").tolist()]
    carried = heap.refs(nodes, "carrierThread") >= 0
    alive = np.array([state not in _OVER for state in states], bool)
    if not alive.any():
        return None
    ready = np.array([state in _READY for state in states], bool) & ~carried
    with_stack = {thread.node for thread in heap.threads if thread.frames}
    has_stack = np.array([node in with_stack for node in nodes.tolist()], bool) | carried
    return VirtualThreads(
        alive=int(alive.sum()),
        without_stack=int((alive & ~has_stack & ~ready).sum()),
        waiting_for_carrier=int(ready.sum()),
        pinned=sum(state in _PINNED for state in states),
        carriers=sum(heap.class_name(thread.node) == _CARRIER_CLASS for thread in heap.threads),
    )


def state_of(heap: Heap, thread: ThreadRecord) -> str | None:
    """Thread.State of a virtual thread; None for others, and where its number has no name."""
    name = _state_names(heap).get(heap.number(thread.node, "state") or 0)
    return next((state for state, names in _OF_THREAD.items() if name in names), None)


def own_frames(frames: tuple[str, ...]) -> tuple[str, ...]:
    """The frames of a virtual thread as a thread dump has them, without what its continuation and carrier add."""
    first = next(
        (at for at, frame in enumerate(frames) if not frame.startswith("jdk.internal.vm.Continuation.")), 0
    )
    last = next((at for at, frame in enumerate(frames) if frame.startswith(f"{VIRTUAL_CLASS}.run(")), None)
    return frames[first:] if last is None else frames[first : last + 1]


class Awaited:
    """Which virtual threads the threads of a dump wait for."""

    def __init__(self, heap: Heap) -> None:
        self._heap = heap
        self._futures = _rows(heap, *_FUTURES)
        self._flocks = _rows(heap, _FLOCK_CLASS)
        self._runners: dict[int, ThreadRecord] = {}
        for thread in heap.threads:
            if heap.class_name(thread.node) in (VIRTUAL_CLASS, _CARRIER_CLASS):
                for node in self._worked_for(thread):
                    self._runners.setdefault(node, thread)

    def last_of(self, thread: ThreadRecord) -> ThreadRecord | None:
        """The virtual thread at the end of the chain of waits, with a stack; None when the thread waits for none."""
        seen = [thread.node]
        found = None
        for _ in range(_MOST_HANDS):
            runner = next(
                (self._runners[node] for node in self._waited_for(thread) if node in self._runners), None
            )
            if runner is None or runner.node in seen:
                break
            seen.append(runner.node)
            found = thread = runner
        return found

    def _waited_for(self, thread: ThreadRecord) -> Iterator[int]:
        """Futures, virtual threads and scopes that the JDK's frames on top of the stack hold."""
        virtual = self._heap.classes.indices_named(VIRTUAL_CLASS)
        for at, frame in enumerate(thread.frames):
            if not frame.startswith(_JDK):
                return
            nodes = thread.locals.get(at, np.empty(0, np.int32))
            rows = self._heap.class_index(nodes)
            for node, row in zip(nodes.tolist(), rows.tolist(), strict=True):
                if node != thread.node and (row in self._futures or row in virtual or row in self._flocks):
                    yield node

    def _worked_for(self, thread: ThreadRecord) -> Iterator[int]:
        """What ends with this virtual thread: itself, its scope, its future, and futures that depend on that."""
        held = [
            node
            for at, frame in enumerate(thread.frames)
            if ".run(" in frame
            for node in thread.locals.get(at, np.empty(0, np.int32)).tolist()
        ]
        virtual = self._heap.classes.indices_named(VIRTUAL_CLASS)
        nodes = np.array([thread.node, *held], np.int32)
        for node, row in zip(nodes.tolist(), self._heap.class_index(nodes).tolist(), strict=True):
            if row in virtual:
                yield node
                flock = self._heap.ref(node, "container.flock")
                if flock >= 0:
                    yield flock
            elif row in self._futures:
                yield node
                yield from self._dependents(node)

    def _dependents(self, future: int) -> Iterator[int]:
        """Futures that a CompletableFuture completes: the `dep` of each Completion on its stack, and so on."""
        open_nodes = [self._heap.ref(future, "stack")]
        seen: set[int] = set()
        while open_nodes and len(seen) < _MOST_STEPS:
            completion = open_nodes.pop()
            if completion < 0 or completion in seen:
                continue
            seen.add(completion)
            dependent = self._heap.ref(completion, "dep")
            if dependent >= 0:
                yield dependent
                open_nodes.append(self._heap.ref(dependent, "stack"))
            open_nodes.append(self._heap.ref(completion, "next"))


def _rows(heap: Heap, *names: str) -> frozenset[int]:
    found = [row for name in names for row in heap.classes.indices_named(name)]
    return frozenset(heap.classes.subclasses(found).tolist()) if found else frozenset()


def _state_names(heap: Heap) -> dict[int, str]:
    """The numbers differ between JDKs, so the class's own constants tell."""
    wanted = {*_OVER, *(name for names in _OF_THREAD.values() for name in names)}
    return {
        value: name
        for row in heap.classes.indices_named(VIRTUAL_CLASS)
        for name in wanted
        if isinstance(value := heap.classes.static_value(row, name), int)
    }

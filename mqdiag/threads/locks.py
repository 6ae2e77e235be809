"""Waits and lock owners of each sample, and the cycles among them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import msgspec

from mqdiag.facts.vocabulary import LockKind
from mqdiag.read.stacks.records import (
    CLASS_INIT,
    LOCKED,
    PARKING,
    RELOCKING,
    SYNCHRONIZER,
    WAITING_ON,
    WAITING_TO_LOCK,
    Stack,
    ThreadRecord,
)
from mqdiag.threads.doing import MAX_TOP
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

_LOCK_CLASSES = ("Lock", "Semaphore", "$Sync", "fairSync", "FairSync")
_NO_LOCKS = ("ConditionObject", "CountDownLatch", "FutureTask$")
_READ_LOCK = "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock."
_MOST_INITIALIZERS = 3
"""the waiting thread itself, and two others"""


class Wait(msgspec.Struct):
    """What a thread waits for in one sample."""

    object_id: str
    class_name: str
    kind: LockKind
    owner: Track | None = None
    owner_name: str | None = None
    """as the waiting thread's own header has it; the owner itself may be missing in a paste"""
    inferred: bool = False
    """the owner was found by its frames, not by a line of the dump"""


class LockGraph(msgspec.Struct):
    """The waits of one sample, by thread."""

    waits: dict[Track, Wait] = msgspec.field(default_factory=dict)

    def cycles(self) -> list[tuple[Track, ...]]:
        """Threads that wait for each other; each cycle once, from its first thread on."""
        found: list[tuple[Track, ...]] = []
        done: set[Track] = set()
        for start in self.waits:
            path: list[Track] = []
            place: dict[Track, int] = {}
            here: Track | None = start
            while here is not None and here not in done and here not in place:
                place[here] = len(path)
                path.append(here)
                wait = self.waits.get(here)
                # an owner that was inferred from its frames proves no deadlock
                here = wait.owner if wait is not None and not wait.inferred else None
            if here is not None and here in place:
                found.append(tuple(path[place[here] :]))
            done.update(path)
        return found


class Initializers:
    """The threads that run static initializers, found by JVM and class.

    A thread waits for a class only while one other thread initializes it. So of more than two others none is known to
    be the one, and no more are kept.
    """

    def __init__(self) -> None:
        self._running: dict[tuple[int, str], list[Track]] = defaultdict(list)
        """under an empty name those of any class"""

    def add(self, track: Track, classes: Iterable[str]) -> None:
        """Take a thread that initializes these classes, perhaps none."""
        distinct = dict.fromkeys(classes)
        for class_name in ("", *distinct) if distinct else ():
            known = self._running[track.jvm, class_name]
            if len(known) < _MOST_INITIALIZERS:
                known.append(track)

    def only_other(self, track: Track, class_name: str) -> Track | None:
        """The one thread beside a waiting one that initializes a class, any class where its name is empty."""
        known = self._running.get((track.jvm, class_name), ())
        others = [other for other in known if other is not track]
        return others[0] if len(others) == 1 else None

    def any_other(self, track: Track, class_name: str) -> bool:
        """Whether a thread beside a waiting one initializes a class, any class where its name is empty."""
        return any(other is not track for other in self._running.get((track.jvm, class_name), ()))


def cycle_of(pairs: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """The cycle in the JVM's deadlock section, which begins with threads that only wait behind it."""
    holders = dict(pairs)
    seen: dict[str, int] = {}
    here: str | None = pairs[0][0] if pairs else None
    while here is not None and here not in seen:
        seen[here] = len(seen)
        here = holders.get(here)
    return tuple(seen)[seen[here] :] if here is not None else ()


def lock_graphs(tracks: list[Track], series: Series) -> list[LockGraph]:
    """A graph for every sample."""
    shapes = _Shapes()
    by_id = {(track.jvm, track.last.java_id): track for track in tracks if track.last.java_id is not None}
    graphs = []
    for index in range(len(series.moments)):
        graph = LockGraph()
        for track in tracks:
            record = track.records[index]
            if record is None or not (shapes.of(record.stack).may_wait or record.in_object_wait):
                continue
            wait = _wait_of(record, shapes)
            if wait is not None:
                wait.owner_name = record.owner_name
                if record.parked_owner is not None:
                    wait.owner = by_id.get((track.jvm, record.parked_owner))
                graph.waits[track] = wait
        _find_owners(graph, tracks, index, shapes)
        graphs.append(graph)
    return graphs


class _Shapes:
    """What each distinct stack owns and waits for, worked out once."""

    def __init__(self) -> None:
        # the shape keeps the stack alive, so no other stack can get its id
        self._known: dict[int, _Shape] = {}

    def of(self, stack: Stack) -> _Shape:
        known = self._known.get(id(stack))
        if known is None:
            known = self._known[id(stack)] = _Shape(stack)
        return known


class _Shape:
    """Slots of the addresses that a stack owns, gives back, and waits for."""

    __slots__ = ("given_back", "lock", "may_wait", "owned", "parked", "stack", "wanted_class")

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.owned = tuple(
            lock.slot for lock in stack.locks if lock.kind in (LOCKED, SYNCHRONIZER) and lock.slot >= 0
        )
        # Object.wait gives its monitor back, though the dump still lists it as locked below
        self.given_back = tuple(
            lock.slot
            for lock in stack.locks
            if lock.kind in (WAITING_TO_LOCK, RELOCKING, PARKING, WAITING_ON) and lock.slot >= 0
        )
        self.lock: tuple[LockKind, str, int] | None = None
        self.wanted_class = next((lock.class_name for lock in stack.locks if lock.kind == CLASS_INIT), None)
        self.parked: tuple[LockKind, str, int] | None = None
        """what it parks on, a lock or not: the dump may name its owner all the same"""
        for lock in stack.locks:
            if lock.slot < 0:
                continue
            if lock.kind == WAITING_TO_LOCK or (lock.kind == RELOCKING and stack.state == "BLOCKED"):
                self.lock = self.lock or ("monitor", lock.class_name, lock.slot)
            elif lock.kind == PARKING:
                self.parked = self.parked or ("synchronizer", lock.class_name, lock.slot)
                if _is_lock(lock.class_name):
                    self.lock = self.lock or self.parked
        self.may_wait = bool(self.lock or self.parked or self.wanted_class is not None)
        """for a lock or a class, unless the thread's header alone says so"""


def _wait_of(record: ThreadRecord, shapes: _Shapes) -> Wait | None:
    shape = shapes.of(record.stack)
    if shape.wanted_class is not None or (record.in_object_wait and record.stack.state == "RUNNABLE"):
        # JDK 16 and older do not name the class
        return Wait(shape.wanted_class or "", shape.wanted_class or "", "class-init")
    found = shape.lock
    if found is None and record.parked_owner is not None:
        found = shape.parked
    if found is None or found[2] >= len(record.addresses):
        return None
    kind, class_name, slot = found
    return Wait(record.addresses[slot], class_name, kind)


def _is_lock(class_name: str) -> bool:
    """Conditions, futures and latches are parked on too; nobody owns them."""
    if any(part in class_name for part in _NO_LOCKS):
        return False
    return class_name.endswith("Sync") or any(part in class_name for part in _LOCK_CLASSES)


def _find_owners(graph: LockGraph, tracks: list[Track], index: int, shapes: _Shapes) -> None:
    wanted = {wait.object_id for wait in graph.waits.values()}
    if not wanted:
        return
    owners: dict[tuple[int, str], Track] = {}
    for track in tracks:
        record = track.records[index]
        if record is None or not record.stack.locks:
            continue
        shape = shapes.of(record.stack)
        if not shape.owned:
            continue
        given_back = {record.addresses[slot] for slot in shape.given_back if slot < len(record.addresses)}
        for slot in shape.owned:
            if slot < len(record.addresses):
                address = record.addresses[slot]
                if address in wanted and address not in given_back:
                    owners.setdefault((track.jvm, address), track)
    for track, wait in graph.waits.items():
        if wait.owner is None:
            owner = owners.get((track.jvm, wait.object_id))
            wait.owner = owner if owner is not track else None
    _find_initializers(graph, tracks, index)
    _infer_owners(graph, tracks, index)


def _find_initializers(graph: LockGraph, tracks: list[Track], index: int) -> None:
    """The owner of a class is the thread that runs its static initializer.

    If the dump does not name the class, it is the class of the only other thread that runs one: a thread waits for a
    class only while another thread initializes it. Before a class runs its own initializer it initializes its super
    class, and no frame shows that. So where no thread runs what is wanted, another one that waits for a class does.
    """
    waits = [(track, wait) for track, wait in graph.waits.items() if wait.kind == "class-init"]
    if not waits:
        return
    running = Initializers()
    for track in tracks:
        meaning = track.meanings[index]
        if meaning is not None:
            running.add(track, meaning.initializes)
    for track, wait in waits:
        owner = running.only_other(track, wait.class_name)
        if owner is not None:
            wait.owner = owner
            meaning = owner.meanings[index]
            assert meaning is not None
            wait.class_name = wait.object_id = wait.class_name or meaning.initializes[0]
    _find_waits_for_super_class(waits, running)


def _find_waits_for_super_class(waits: list[tuple[Track, Wait]], running: Initializers) -> None:
    """Name as the owner of a class the thread that initializes it, and waits for its super class.

    Where several may be it, it is none of them, unless all of these wait for the thread itself: then it makes no
    difference which of them it is.
    """
    in_jvm = Counter(track.jvm for track, _ in waits)
    for_class = Counter((track.jvm, wait.class_name) for track, wait in waits)
    behind: dict[Track, list[tuple[Track, Wait]]] = defaultdict(list)
    for track, wait in waits:
        if wait.owner is not None:
            behind[wait.owner].append((track, wait))
    for track, wait in waits:
        if wait.owner is not None or running.any_other(track, wait.class_name):
            continue
        others = in_jvm[track.jvm] - (for_class[track.jvm, wait.class_name] if wait.class_name else 1)
        candidates = [
            other
            for other, wanted in behind.get(track, ())
            if other.jvm == track.jvm and (not wait.class_name or wanted.class_name != wait.class_name)
        ]
        if candidates and len(candidates) == others:
            wait.owner = candidates[0]
            behind[wait.owner].append((track, wait))


def _infer_owners(graph: LockGraph, tracks: list[Track], index: int) -> None:
    """Find the owners that a dump without -l does not list: the only thread that has returned from lock().

    It is behind the line of the method at which the others wait. Several locks that are taken at one line, such as
    those of topics, cannot be told apart.
    """
    sites: dict[tuple[str, int | None], list[tuple[Track, Wait]]] = {}
    for track, wait in graph.waits.items():
        meaning = track.meanings[index]
        if wait.owner is None and wait.kind == "synchronizer" and meaning is not None and meaning.locking:
            site = (meaning.locking, _line_in(meaning, meaning.locking))
            sites.setdefault(site, []).append((track, wait))
    methods = {method for method, _ in sites}
    inside: dict[str, list[tuple[Track, int | None]]] = defaultdict(list)
    for track in tracks:
        meaning = track.meanings[index]
        if meaning is not None and not meaning.idle:
            for method in methods & set(meaning.methods):
                inside[method].append((track, _line_in(meaning, method)))
    at_lock = {track for waits in sites.values() for track, _ in waits}
    for (method, line), waits in sites.items():
        behind = [
            track
            for track, place in inside[method]
            if (track not in at_lock if line is None or place is None else place > line)
        ]
        if len({wait.object_id for _, wait in waits}) != 1:
            continue
        if len(behind) == 1 or (behind and _are_readers(waits, behind, index)):
            for _, wait in waits:
                wait.owner, wait.inferred = behind[0], True
    _tell_of_same_lock(graph)


def _are_readers(waits: list[tuple[Track, Wait]], behind: list[Track], index: int) -> bool:
    """Whether threads may share the lock that others want, and do the same with it: then one stands for all."""
    wanted = waits[0][0].meanings[index]
    shared = wanted is not None and any(method.startswith(_READ_LOCK) for method in wanted.methods[:MAX_TOP])
    return shared and len({meaning.work for track in behind if (meaning := track.meanings[index])}) == 1


def _tell_of_same_lock(graph: LockGraph) -> None:
    """Let all threads before one lock know its owner, where the frames before some of them tell."""
    told = {
        (track.jvm, wait.object_id): wait.owner
        for track, wait in graph.waits.items()
        if wait.inferred and wait.owner
    }
    for track, wait in graph.waits.items():
        owner = told.get((track.jvm, wait.object_id))
        if owner is not None and owner is not track and wait.owner is None:
            wait.owner, wait.inferred = owner, True


def _line_in(meaning: StackMeaning, method: str) -> int | None:
    """The line of a method at which a stack is; None where the dump does not show it."""
    frame = meaning.stack.frames[meaning.methods.index(method)]
    line = frame.rpartition(":")[2].removesuffix(")")
    return int(line) if line.isascii() and line.isdigit() and len(line) < 10 else None

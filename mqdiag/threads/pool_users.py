"""Which thread uses the connections of an exhausted pool, and whether the pool is known to be the same.

A stack names the library of a pool and never the pool itself, so a JVM with two pools of one library needs more: the
object that the waiting threads wait on, the application's classes, and the threads that each pool has of its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from mqdiag.read.stacks.library_packages import is_own
from mqdiag.read.stacks.records import PARKING, WAITING_ON, WAITING_TO_LOCK
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.libraries.library import Family, Library
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

_ANONYMOUS = re.compile(r"\$(?:\d|\$).*")
"""what follows the name of a class in those of its anonymous classes and lambdas"""
_OBJECT_OF_ONE_THREAD = "Node"
"""JDK 21 and later park on an object of the waiting thread in some queues, which tells nothing of the pool"""
_MOST_USERS = 100
"""threads in calls that are looked at one by one; more of them say the same"""
_MOST_ADDRESSES = 2
"""of objects that one class waits on in one sample: one of two is always that of another pool"""

_Objects = frozenset[tuple[int, str]]
"""numbers of samples, each with the address of an object that is waited on"""


class PoolUser(msgspec.Struct, frozen=True, eq=False):
    """A thread without progress in a client that uses such connections."""

    judgement: Judgement
    sure: bool
    """whether its connection is known to be one of that pool"""


class PoolUsers:
    """All threads that may have a connection, and all that wait for one."""

    def __init__(self, judgements: Sequence[Judgement]) -> None:
        self._users: dict[tuple[int, Family | None], list[Judgement]] = defaultdict(list)
        self._waited_on: dict[tuple[int, str, str], dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._pools: dict[tuple[int, str], int] = defaultdict(int)
        self._known: dict[tuple[object, ...], PoolUser | None] = {}
        waited_for: dict[str, Library] = {}
        for judgement in judgements:
            track = judgement.track
            library = track.last_meaning.library
            if judgement.makes_no_progress and library is not None and library.kind != "pool":
                self._users[track.jvm, library.family].append(judgement)
            for index, meaning in _waits(track):
                assert meaning.library is not None
                waited_for[meaning.library.name] = meaning.library
                for _, address in _object(track, index):
                    for place in _places(meaning):
                        addresses = self._waited_on[track.jvm, meaning.library.name, place][index]
                        if len(addresses) < _MOST_ADDRESSES:
                            addresses.add(address)
        for judgement in judgements:
            for library in waited_for.values():
                if library.own_thread and library.own_thread in judgement.track.name:
                    self._pools[judgement.track.jvm, library.name] += 1

    def of(self, waiting: Judgement) -> PoolUser | None:
        """The user of the connections that a thread waits for; None where no thread may be one."""
        track = waiting.track
        waits = list(_waits(track))
        if not waits:
            return None
        meaning = waits[-1][1]
        pool = meaning.library
        assert pool is not None
        places = _places(meaning)
        objects = frozenset[tuple[int, str]]().union(*(_object(track, index) for index, _ in waits))
        key = (track.jvm, pool.name, places, objects)
        if key not in self._known:
            self._known[key] = self._find(track.jvm, pool, places, objects)
        return self._known[key]

    def _find(self, jvm: int, pool: Library, places: frozenset[str], objects: _Objects) -> PoolUser | None:
        possible: PoolUser | None = None
        for user in self._candidates(jvm, pool):
            theirs = _places(user.track.last_meaning)
            others = [place for place in theirs if self._is_of_other_pool(jvm, pool, place, objects)]
            if theirs & places and not theirs & places & set(others):
                return PoolUser(user, sure=True)
            if others and not theirs & places:
                continue
            if possible is None:
                possible = PoolUser(user, sure=self._pools[jvm, pool.name] == 1)
        return possible

    def _candidates(self, jvm: int, pool: Library) -> Iterator[Judgement]:
        for family in families_of(pool):
            for user in self._users[jvm, family][:_MOST_USERS]:
                if may_have_connection(pool, user.track.last_meaning):
                    yield user

    def _is_of_other_pool(self, jvm: int, pool: Library, place: str, objects: _Objects) -> bool:
        """Whether code of this class waits on the object of another pool in a sample that shows ours too."""
        waited_on = self._waited_on.get((jvm, pool.name, place), {})
        return any(waited_on.get(index, set()) - {address} for index, address in objects)


def families_of(pool: Library) -> tuple[Family | None, ...]:
    """The kinds of clients that may use a pool's connections."""
    return ("redis", "jdbc", "rpc") if pool.family == "pooled" else (pool.family,)


def may_have_connection(pool: Library, meaning: StackMeaning) -> bool:
    """Whether a call in a client may use a connection of a pool: pools that wrap statements are on its stack."""
    library = meaning.library
    if library is None or library.kind == "pool" or library.family not in families_of(pool):
        return False
    return not pool.wrappers or any(method.startswith(pool.wrappers) for method in meaning.methods)


def _waits(track: Track) -> Iterator[tuple[int, StackMeaning]]:
    """The samples of a thread that show a wait for a connection."""
    for index in track.judged:
        meaning = track.meanings[index]
        if meaning is not None and meaning.doing == "pool" and meaning.library is not None:
            yield index, meaning


def _object(track: Track, index: int) -> _Objects:
    """What a thread waits on in one sample, where all that wait for the same pool share it; empty elsewhere."""
    record = track.records[index]
    assert record is not None
    for lock in record.stack.locks:
        if lock.kind in (PARKING, WAITING_ON, WAITING_TO_LOCK) and 0 <= lock.slot < len(record.addresses):
            if _OBJECT_OF_ONE_THREAD in lock.class_name:
                break
            return frozenset({(index, record.addresses[lock.slot])})
    return frozenset()


def _places(meaning: StackMeaning) -> frozenset[str]:
    """The application's classes between the wait and the listener; that of the listener where there is no other."""
    end = meaning.run_index if meaning.run_index >= 0 else len(meaning.methods)
    places: set[str] = set()
    for index in range(max(meaning.own_index, 0), end):
        if places and meaning.stack.frames[index] == meaning.listener:
            break
        method = meaning.methods[index]
        if is_own(method):
            places.add(_ANONYMOUS.sub("", method.rpartition(".")[0]))
    return frozenset(places)

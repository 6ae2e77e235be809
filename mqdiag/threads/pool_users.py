"""Which thread uses the connections of an exhausted pool, and whether the pool is known to be the same.

A stack names the library of a pool and never the pool itself, so a JVM with two pools of one library needs more: the
object that the waiting threads wait on, the application's calls, and the threads that each pool has of its own. Where
these leave two pools possible, a thread is named as one that may be the user.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

import msgspec

from mqdiag.knowledge.library import Family, Library
from mqdiag.knowledge.own_code import is_own
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.stacks.records import PARKING, WAITING_ON, WAITING_TO_LOCK
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

_ANONYMOUS = lazy_pattern(r"\$(?:\d|\$).*")
"""what follows the name of a class in those of its anonymous classes and lambdas"""
_OBJECTS_OF_ONE_THREAD = ("Node", "ObjectPool$Latch")
"""JDK 21 and later park on an object of the waiting thread in some queues, and commons-pool 1.5 has a latch for each:
they tell nothing of the pool"""
_MOST_USERS = 100
"""threads in calls that are looked at one by one; more of them say the same"""
_MOST_ADDRESSES = 2
"""least number of objects that one class waits on in one sample: one of two is always that of another pool"""
_MOST_PLACES = 100
"""classes that wait for connections of one library; an application has a few"""
_LINE = lazy_pattern(r":(\d+)\)$")

_Objects = frozenset[tuple[int, str]]
"""numbers of samples, each with the address of an object that is waited on"""


Tie = Literal["known", "same-calls", "unknown"]
"""known: its connection is of that pool. same-calls: it came by the calls of the waiting threads to their line or past
it, but these calls may use two pools."""


class PoolUser(msgspec.Struct, frozen=True, eq=False):
    """A thread without progress in a client that uses such connections."""

    judgement: Judgement
    tie: Tie
    """what ties its connection to that pool"""

    @property
    def sure(self) -> bool:
        """Whether its connection is known to be one of that pool."""
        return self.tie == "known"

    @property
    def gives_cause(self) -> bool:
        """Whether what it waits for is the likely cause."""
        return self.tie != "unknown"


class PoolUsers:
    """All threads that may have a connection, and all that wait for one."""

    def __init__(self, judgements: Sequence[Judgement]) -> None:
        self._users: dict[tuple[int, Family | None], list[Judgement]] = defaultdict(list)
        self._waited_on: dict[tuple[int, str], dict[str, dict[int, set[str]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(set))
        )
        """by JVM and library, by the application's class, by sample: addresses of objects"""
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
                for _, address in waited_on(track, index):
                    for place in _places(meaning):
                        addresses = self._waited_on[track.jvm, meaning.library.name][place][index]
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
        objects = frozenset[tuple[int, str]]().union(*(waited_on(track, index) for index, _ in waits))
        key = (track.jvm, pool.name, track.pool, meaning, objects)
        if key not in self._known:
            self._known[key] = self._find(track, pool, meaning, objects)
        return self._known[key]

    def _find(self, waiting: Track, pool: Library, meaning: StackMeaning, objects: _Objects) -> PoolUser | None:
        jvm, places = waiting.jvm, _places(meaning)
        single = self._most_pools(jvm, pool, objects) <= 1
        possible: Judgement | None = None
        same_calls: list[Judgement] = []
        for user in self._candidates(jvm, pool):
            theirs = _places(user.track.last_meaning)
            others = {place for place in theirs if self._is_of_other_pool(jvm, pool, place, objects)}
            shared = theirs & places
            if others and not shared:
                continue
            possible = possible or user
            if not shared or shared & others:
                continue
            if single:
                return PoolUser(user, "known")
            if user.track.pool == waiting.pool and _is_past(user.track.last_meaning, meaning):
                same_calls.append(user)
        if possible is None:
            return None
        if single and self._pools[jvm, pool.name] == 1:
            return PoolUser(possible, "known")
        # users at two calls may use two pools
        if len({user.track.last_meaning.own_frame for user in same_calls}) != 1:
            return PoolUser(possible, "unknown")
        user = same_calls[0]
        code = places | _places(user.track.last_meaning)
        return PoolUser(user, "known" if self._others_use_the_rest(jvm, pool, code, objects) else "same-calls")

    def _candidates(self, jvm: int, pool: Library) -> Iterator[Judgement]:
        for family in families_of(pool):
            for user in self._users[jvm, family][:_MOST_USERS]:
                if may_have_connection(pool, user.track.last_meaning):
                    yield user

    def _is_of_other_pool(self, jvm: int, pool: Library, place: str, objects: _Objects) -> bool:
        """Whether code of this class waits on the object of another pool in a sample that shows ours too."""
        waited_on = self._waited_on[jvm, pool.name].get(place, {})
        return any(waited_on.get(index, set()) - {address} for index, address in objects)

    def _most_pools(self, jvm: int, pool: Library, objects: _Objects) -> int:
        """Pools of a library that a JVM shows: by their own threads, or by what is waited on in one sample."""
        by_objects = (1 + len(self._other_objects(jvm, pool, frozenset(), *one)) for one in objects)
        return max(self._pools[jvm, pool.name], *by_objects, 0)

    def _others_use_the_rest(self, jvm: int, pool: Library, code: frozenset[str], objects: _Objects) -> bool:
        """Whether code that shares no class with this one waits for each other pool of the library."""
        rest = self._most_pools(jvm, pool, objects) - 1
        return any(len(self._other_objects(jvm, pool, code, *one)) >= rest for one in objects)

    def _other_objects(
        self, jvm: int, pool: Library, code: frozenset[str], index: int, address: str
    ) -> set[str]:
        """What classes outside this code wait on in a sample, without the object that our threads wait on."""
        found: set[str] = set()
        for place, samples in islice(self._waited_on[jvm, pool.name].items(), _MOST_PLACES):
            if place not in code:
                found |= samples.get(index, set())
        return found - {address}


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


def waited_on(track: Track, index: int) -> _Objects:
    """What a thread waits on in one sample, where all that wait for the same pool share it; empty elsewhere."""
    record = track.records[index]
    assert record is not None
    for lock in record.stack.locks:
        if lock.kind in (PARKING, WAITING_ON, WAITING_TO_LOCK) and 0 <= lock.slot < len(record.addresses):
            if any(name in lock.class_name for name in _OBJECTS_OF_ONE_THREAD):
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


def _is_past(user: StackMeaning, waiting: StackMeaning) -> bool:
    """Whether a thread came by the same calls to the line that waits for a connection, or to a later line."""
    frames, ours = user.stack.frames[::-1], waiting.stack.frames[::-1]
    same = next(
        (index for index, pair in enumerate(zip(frames, ours, strict=False)) if pair[0] != pair[1]),
        min(len(frames), len(ours)),
    )
    if same >= len(ours) - waiting.own_index:
        return True  # one line takes the connection and uses it
    method = waiting.methods[-1 - same]
    if same >= len(frames) or user.methods[-1 - same] != method or not is_own(method):
        return False
    theirs, line = _LINE.search(frames[same]), _LINE.search(ours[same])
    return theirs is not None and line is not None and int(theirs[1]) >= int(line[1])

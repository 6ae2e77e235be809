"""Passes over a single dump: a crowd before one lock or pool, and a full log queue, show a standstill in one sample.

One thread that waits says nothing, as it may get what it waits for at once. Where more threads wait for one thing than
do all other work together, the thing is what holds the process up. How long it has done so, one sample cannot say.
"""

from __future__ import annotations

from collections import defaultdict

import msgspec

from mqdiag.facts.vocabulary import Doing, Role
from mqdiag.text import Text, say
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement, Revision, Run, World
from mqdiag.threads.locks import Wait
from mqdiag.threads.pool_users import may_have_connection, waited_on
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

LEAST_CROWD = 3
"""threads that wait for one thing; two meet before a lock all the time"""
LEAST_QUEUE = 5
"""threads that wait for a connection while others work, which may have one"""
LONG_QUEUE = 10
"""threads that wait for a connection and say that the pool is used up, where fewer work"""
NO_CALLERS = frozenset({roles.JVM, roles.CARRIER, roles.BROKER_SEND})
"""roles that are no part of a crowd; the send threads of a broker queue up before its put lock in good health"""

GIVEN_BY_OTHERS: frozenset[Doing] = frozenset(
    {"future", "latch", "condition", "object-wait", "queue", "semaphore", "join", "park"}
)
"""waits that end when another thread has done something"""

LOCK_WAITS = frozenset({"monitor", "lock", "log"})


class _Crowd(msgspec.Struct, frozen=True, kw_only=True):
    """Threads that wait for one thing."""

    reason: Text
    owner: Track | None = None
    owner_name: str | None = None
    user: Track | None = None
    """a thread that may have a connection of the pool"""


def by_crowd(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a member of a crowd."""
    crowd = world.once(_crowds).get(judgement)
    if crowd is None:
        return None
    return msgspec.structs.replace(
        judgement.now,
        state="blocked",
        confidence="low",
        reason=crowd.reason,
        in_crowd=True,
        run=Run(count=1),
        waits_for=crowd.owner,
        may_wait_for=crowd.user,
        user_gives_cause=crowd.user is not None,
        absent_owner=crowd.owner_name if crowd.owner is None else None,
    )


def by_full_log_queue(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread that waits for room in the queue of an asynchronous logger; its frame says so."""
    if not _is_one_sample(world):
        return None
    return msgspec.structs.replace(
        judgement.now,
        state="blocked",
        confidence="low",
        reason=say("one sample shows that the queue of the asynchronous logger is full, not for how long"),
        in_crowd=True,
        run=Run(count=1),
    )


def is_in_full_log_queue(_role: Role, meaning: StackMeaning) -> bool:
    """Whether it waits for room in the queue of an asynchronous logger."""
    return meaning.in_full_log_queue


def _is_one_sample(world: World) -> bool:
    return world.series.not_judged == "one-sample"


def _crowds(world: World) -> dict[Judgement, _Crowd]:
    if not _is_one_sample(world):
        return {}
    busy = [
        judgement
        for judgement in world.judgements
        if judgement.state == "unknown" and judgement.track.role not in NO_CALLERS
    ]
    return _before_locks(busy, world) | _before_pools(busy)


def _before_locks(busy: list[Judgement], world: World) -> dict[Judgement, _Crowd]:
    """Threads before the locks of one thread, if more wait there than are at other work, that thread not counted."""
    by_root: dict[tuple[int, Track | str], list[tuple[Judgement, Wait]]] = defaultdict(list)
    ends: dict[Track, Track | str] = {}
    for judgement in busy:
        wait = world.last_wait(judgement.track)
        if wait is not None and judgement.track.last_meaning.doing in LOCK_WAITS:
            root = wait.object_id if wait.owner is None else _end(wait.owner, world, ends)
            by_root[judgement.track.jvm, root].append((judgement, wait))
    found: dict[Judgement, _Crowd] = {}
    # who waits for what another thread gives may wait for one of these, and is no sign that work goes on
    working = frozenset(one.track for one in busy if one.track.last_meaning.doing not in GIVEN_BY_OTHERS)
    for (_, root), waiting in by_root.items():
        others = len(working) - sum(one.track in working for one, _ in waiting) - (root in working)
        if len(waiting) < LEAST_CROWD or len(waiting) <= others:
            continue
        reason = (
            say(
                "one sample shows {waiting:count} threads before one lock and {others:count} at other work, not for how"
                " long",
                waiting=len(waiting),
                others=others,
            )
            if len({wait.object_id for _, wait in waiting}) == 1
            else say(
                "one sample shows {waiting:count} threads before locks that one thread keeps from them and"
                " {others:count} at other work, not for how long",
                waiting=len(waiting),
                others=others,
            )
        )
        names = {wait.object_id: wait.owner_name for _, wait in waiting if wait.owner_name}
        for judgement, wait in waiting:
            name = names.get(wait.object_id)
            found[judgement] = _Crowd(reason=reason, owner=wait.owner, owner_name=name)
    return found


def _end(owner: Track, world: World, ends: dict[Track, Track | str]) -> Track | str:
    """The thread at the end of a chain of locks; the last lock where the dump does not name its owner.

    Of a ring it is the lock of the owner with which the chain comes to it.

    Args:
        owner: of the first lock.
        world: who waits for whom.
        ends: what is known already, so that long chains are walked once.
    """
    path: dict[Track, str] = {}
    onward: Track | str = owner
    while not isinstance(onward, str) and onward not in ends and onward not in path:
        wait = world.last_wait(onward)
        if wait is None:
            ends[onward] = onward
            break
        path[onward] = wait.object_id
        onward = wait.object_id if wait.owner is None else wait.owner
    if onward in path and not isinstance(onward, str):
        walked = list(path)
        ring = walked[walked.index(onward) :]
        for before, one in zip((ring[-1], *ring), ring, strict=False):
            ends[one] = path[before]
    end = onward if isinstance(onward, str) else ends[onward]
    for one in path:
        ends.setdefault(one, end)
    return ends[owner]


def _before_pools(busy: list[Judgement]) -> dict[Judgement, _Crowd]:
    """Threads that wait for a connection of one pool, if they are many, or if no thread is at other work."""
    by_pool: dict[tuple[object, ...], list[Judgement]] = defaultdict(list)
    for judgement in busy:
        meaning = judgement.track.last_meaning
        if meaning.doing == "pool" and meaning.library is not None:
            track = judgement.track
            by_pool[track.jvm, meaning.library.name, waited_on(track, track.judged[-1])].append(judgement)
    at_work = sum(map(_is_at_work, busy))
    found: dict[Judgement, _Crowd] = {}
    for waiting in by_pool.values():
        others = at_work - sum(map(_is_at_work, waiting))
        # whoever works may give a connection back at once: a queue of twice as many does not come of that
        moving = others - sum(
            one.track.last_meaning.doing in GIVEN_BY_OTHERS for one in busy if _is_at_work(one)
        )
        pool = waiting[0].track.last_meaning.library
        user = next(
            (one.track for one in busy if pool and may_have_connection(pool, one.track.last_meaning)), None
        )
        # one that is known to use a connection is told with them, so that no more is said than what is seen
        enough = moving if user is not None and len(waiting) >= LONG_QUEUE else 2 * moving
        if len(waiting) < (LEAST_QUEUE if others else LEAST_CROWD) or len(waiting) <= enough:
            continue
        reason = (
            say(
                "one sample shows {waiting:count} threads before one pool and {others:count} at other work, not for"
                " how long",
                waiting=len(waiting),
                others=others,
            )
            if others
            else say(
                "one sample shows {waiting:count} threads before one pool, and no thread that could give a connection"
                " back",
                waiting=len(waiting),
            )
        )
        crowd = _Crowd(reason=reason, user=user)
        found |= dict.fromkeys(waiting, crowd)
    return found


def _is_at_work(judgement: Judgement) -> bool:
    """Whether it runs code that may have a connection: the user's own, or that of a client."""
    meaning = judgement.track.last_meaning
    return meaning.own_index >= 0 or meaning.library is not None or meaning.in_pool_task

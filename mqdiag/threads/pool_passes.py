"""Passes that compare the threads of a pool."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import comb

import msgspec

from mqdiag.facts.vocabulary import Role
from mqdiag.text import say
from mqdiag.threads.call_passes import lacks_cpu_time
from mqdiag.threads.judgement import Judgement, Revision, Run, Site, World, site_of
from mqdiag.threads.known_rests import shows_all_threads
from mqdiag.threads.measured_limits import (
    CALLS_OF_OTHERS,
    CLOCK_MS,
    LONG_RUN_S,
    SAMPLES_OF_USERS,
    UNLIKELY_BY_CHANCE,
)
from mqdiag.threads.pool_users import PoolUsers, may_have_connection
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

FUTURE_GET = "java.util.concurrent.FutureTask.get"
FUTURE_RUN = "java.util.concurrent.FutureTask.run"


def waits_for_connection(_role: Role, meaning: StackMeaning) -> bool:
    """Whether it waits for a connection of a pool."""
    return meaning.doing == "pool"


def by_connection_pool(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread that waits for a connection by the threads that use the connections."""
    now, track = judgement.now, judgement.track
    pool = track.last_meaning.library
    if not judgement.makes_no_progress or now.waits_for is not None or pool is None:
        # a thread that holds a lock of the pool itself was found already
        return None
    if (track.jvm, track.pool, pool.name) in world.once(_pools_that_give_connections):
        return msgspec.structs.replace(
            now,
            state="progressing",
            confidence="low",
            reason=say("waits for a connection of a pool that others get one from: it moves"),
        )
    user = world.once(_pool_users).of(judgement)
    if user is None:
        return msgspec.structs.replace(now, state="blocked")
    if user.sure:
        return msgspec.structs.replace(now, state="blocked", waits_for=user.judgement.track)
    return msgspec.structs.replace(
        now, state="blocked", may_wait_for=user.judgement.track, user_gives_cause=user.gives_cause
    )


def by_users_and_waiters(judgement: Judgement, world: World) -> Revision | None:
    """Decide without CPU times by who uses the connections of a pool, and who waits for one, in each sample."""
    if not lacks_cpu_time(judgement):
        return None
    now, track = judgement.now, judgement.track
    found = world.once(_pools_in_use).get((track.jvm, track.pool))
    if found is None:
        return None
    waits = track.last_meaning.doing == "pool"
    if found.swaps:
        if not waits:
            return None
        return msgspec.structs.replace(
            now,
            state="progressing",
            confidence="low",
            unchanged=False,
            reason=say("waits for a connection of a pool that others get one from: it moves"),
        )
    if track not in found.users and track not in found.waiting:
        return None
    return msgspec.structs.replace(
        now,
        state="blocked" if waits else "stuck",
        confidence="medium",
        unchanged=False,
        reason=say(
            "{count:count} samples show the same {users:count} {users:user|users} of the connections and the same"
            " {waiting:count} {waiting:thread|threads} before the pool; the dumps hold no CPU time",
            count=now.run.count,
            users=len(found.users),
            waiting=len(found.waiting),
        ),
    )


class _PoolInUse(msgspec.Struct):
    """Who uses the connections of one pool, and who waits for them, in all samples."""

    users: frozenset[Track]
    waiting: frozenset[Track]
    swaps: bool
    """a thread that waited has a connection in another sample"""


def _pools_in_use(world: World) -> dict[tuple[int, str | None], _PoolInUse]:
    """By JVM and pool of threads; without those of which the samples say neither."""
    members: dict[tuple[int, str | None], list[Track]] = defaultdict(list)
    for judgement in world.judgements:
        track = judgement.track
        if track.pool is not None and not track.ended and judgement.run.cpu_growth_ms is None:
            members[track.jvm, track.pool].append(track)
    found = {}
    for key, tracks in members.items():
        samples = tracks[0].judged
        seconds = _seconds_of(world.series, samples)
        if len(samples) < SAMPLES_OF_USERS or seconds is None or seconds < LONG_RUN_S:
            continue
        one = _pool_in_use([track for track in tracks if track.judged == samples], samples)
        if one is not None:
            found[key] = one
    return found


def _pool_in_use(tracks: list[Track], samples: tuple[int, ...]) -> _PoolInUse | None:
    waiting: list[frozenset[Track]] = []
    users: list[frozenset[Track]] = []
    for index in samples:
        seen = {track: meaning for track in tracks if (meaning := track.meanings[index]) is not None}
        pools = {one.library for one in seen.values() if one.doing == "pool" and one.library is not None}
        waiting.append(frozenset(track for track, one in seen.items() if one.doing == "pool"))
        users.append(
            frozenset(
                track for track, one in seen.items() if any(may_have_connection(pool, one) for pool in pools)
            )
        )
    ever_waited, ever_used = frozenset[Track]().union(*waiting), frozenset[Track]().union(*users)
    if ever_waited & ever_used:
        return _PoolInUse(ever_used, ever_waited, swaps=True)
    same = len(set(waiting)) == len(set(users)) == 1
    ways = comb(len(ever_waited) + len(ever_used), len(ever_used)) ** (len(samples) - 1)
    if not (same and ever_waited and ever_used) or ways < UNLIKELY_BY_CHANCE:
        return None
    return _PoolInUse(ever_used, ever_waited, swaps=False)


def _seconds_of(series: Series, samples: tuple[int, ...]) -> float | None:
    begin, end = series.moments[samples[0]].seconds, series.moments[samples[-1]].seconds
    return None if begin is None or end is None else end - begin


def _pool_users(world: World) -> PoolUsers:
    return PoolUsers(world.judgements)


def _pools_that_give_connections(world: World) -> set[tuple[int, str | None, str]]:
    """JVM, thread pool and connection pool of threads that progress and waited for a connection in some sample."""
    return {
        (judgement.track.jvm, judgement.track.pool, meaning.library.name)
        for judgement in world.judgements
        if judgement.state == "progressing"
        for meaning in judgement.track.meanings
        if meaning is not None and meaning.doing == "pool" and meaning.library is not None
    }


def is_in_listener(_role: Role, meaning: StackMeaning) -> bool:
    """Whether it works for a message."""
    return meaning.in_listener


def by_calls_of_others(judgement: Judgement, world: World) -> Revision | None:
    """Doubt a standstill that is not much longer than calls that others of the pool came back from."""
    run, track = judgement.run, judgement.track
    if judgement.state != "stuck" or run.seconds is None or not _has_measured_call(judgement):
        return None
    longest_s = world.once(_longest_calls).get(site_of(track), 0.0)
    if run.seconds >= CALLS_OF_OTHERS * longest_s:
        return None
    return msgspec.structs.replace(
        judgement.now,
        state="unknown",
        confidence=None,
        reason=say(
            "no progress for {seconds:seconds}, but others at the same call came back after {longest:seconds} or more:"
            " samples over a longer time would decide",
            seconds=run.seconds,
            longest=longest_s,
        ),
    )


def _has_measured_call(judgement: Judgement) -> bool:
    return judgement.track.last_meaning.in_listener and judgement.run.cpu_growth_ms is not None


def _longest_calls(world: World) -> dict[Site, float]:
    """The longest call, in seconds, that a thread of each site came back from."""
    longest: dict[Site, float] = defaultdict(float)
    for judgement in world.judgements:
        if judgement.state == "progressing" and _has_measured_call(judgement):
            site = site_of(judgement.track)
            longest[site] = max(longest[site], _longest_call_s(judgement.track, world.series))
    return longest


def _longest_call_s(track: Track, series: Series) -> float:
    """Seconds over which a thread that moves showed the same call and no growth of CPU time."""
    longest = 0.0
    begin: float | None = None
    for one, other in pairwise(track.judged):
        first, last = track.records[one], track.records[other]
        start, end = series.moments[one].seconds, series.moments[other].seconds
        quiet = (
            first is not None
            and last is not None
            and first.cpu_ms is not None
            and last.cpu_ms is not None
            and last.cpu_ms - first.cpu_ms < CLOCK_MS
            and (meaning := track.meanings[one]) is not None
            and meaning.work == track.last_meaning.work
        )
        if not quiet or start is None or end is None:
            begin = None
            continue
        begin = start if begin is None else begin
        longest = max(longest, end - begin)
    return longest


def by_starved_pool(judgement: Judgement, world: World) -> Revision | None:
    """Decide for the threads of a pool that all wait for tasks that nobody runs.

    A thread in FutureTask.get waits until some thread has run the task. If no thread of the dump runs one but those
    that wait themselves, the tasks that the last ones wait for have not begun. They can only be in a queue, and no
    thread of their pools will ever be free to take them from it. So one whole dump shows it, too.
    """
    track = judgement.track
    if (track.jvm, track.pool) not in world.once(_starved_pools) or track.is_worker:
        return None
    if world.series.not_judged is None:
        return msgspec.structs.replace(judgement.now, state="blocked", starved=True)
    return msgspec.structs.replace(
        judgement.now,
        state="blocked",
        starved=True,
        confidence="low",
        reason=say("one sample shows that no thread runs the tasks that it waits for"),
        run=Run(count=1),
    )


def _starved_pools(world: World) -> set[tuple[int, str | None]]:
    in_one_dump = world.series.not_judged is not None
    if in_one_dump and not (world.series.not_judged == "one-sample" and shows_all_threads(world)):
        return set()
    pools: dict[tuple[int, str | None], list[Judgement]] = defaultdict(list)
    for judgement in world.judgements:
        track = judgement.track
        if track.pool is not None and not track.is_worker:
            pools[(track.jvm, track.pool)].append(judgement)
    waiting = {
        key
        for key, members in pools.items()
        if all(
            (_may_wait_for_ever(member.track) if in_one_dump else member.makes_no_progress)
            and gets_inside_a_task(member.track.role, member.track.last_meaning)
            for member in members
        )
    }
    working = {
        judgement.track.jvm
        for judgement in world.judgements
        if _runs_a_task(judgement) and (judgement.track.jvm, judgement.track.pool) not in waiting
    }
    return {(jvm, pool) for jvm, pool in waiting if jvm not in working}


def _may_wait_for_ever(track: Track) -> bool:
    """Whether it waits without a limit, for a task that is not to begin at a later time."""
    stack = track.last_meaning.stack
    return stack.state == "WAITING" and not any("Scheduled" in lock.class_name for lock in stack.locks)


def gets_inside_a_task(_role: Role, meaning: StackMeaning) -> bool:
    """Whether a task of a pool waits for another task."""
    return (
        meaning.in_pool_task
        and meaning.doing == "future"
        and FUTURE_GET in meaning.methods
        and FUTURE_RUN in meaning.methods
    )


def _runs_a_task(judgement: Judgement) -> bool:
    """A consume thread runs its request as a FutureTask too, but nobody waits for that one."""
    meaning = judgement.track.last_meaning
    return not judgement.track.is_worker and not meaning.idle and FUTURE_RUN in meaning.methods

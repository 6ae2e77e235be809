"""Passes that compare the threads of a pool."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import msgspec

from mqdiag.facts.vocabulary import Role
from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement, Revision, Site, World, site_of
from mqdiag.threads.measured_limits import CALLS_OF_OTHERS, CLOCK_MS, SAMPLES_FOR_SILENCE
from mqdiag.threads.pool_users import PoolUsers
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track, is_same_call

FUTURE_GET = "java.util.concurrent.FutureTask.get"
FUTURE_RUN = "java.util.concurrent.FutureTask.run"
REPEATING_WAITS = frozenset({"monitor", "lock", "pool", "running", "sleep"})
"""they show the same frames and objects while the thread progresses"""


def by_objects_and_silence(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread without CPU time by the object of its call, or by its whole pool."""
    now, track = judgement.now, judgement.track
    if not now.unchanged or not _has_task_without_cpu_time(judgement):
        return None
    if track.last_meaning.doing in REPEATING_WAITS:
        return msgspec.structs.replace(
            now, reason=say("the dumps hold no CPU time, and this wait looks the same while it progresses")
        )
    # dumps without any time may have been taken at one moment
    stuck = msgspec.structs.replace(
        now, state="stuck", confidence="low" if now.run.seconds is None else "medium"
    )
    if track.role == roles.VIRTUAL and now.run.count >= 3:
        return msgspec.structs.replace(
            stuck,
            reason=say(
                "{count:count} samples show the same frames in a virtual thread, which lives for one task; the dumps"
                " hold no CPU time",
                count=now.run.count,
            ),
        )
    if is_same_call(track, now.run.first):
        return msgspec.structs.replace(
            stuck,
            reason=say(
                "{count:count} samples show the same frames and the same object of a call; the dumps hold no CPU time",
                count=now.run.count,
            ),
        )
    here = world.once(_sites_without_cpu_time)[site_of(track)]
    silent = all(other.now.unchanged and other.run.same_addresses for other in here)
    samples = sum(other.run.count for other in here if other.now.unchanged)
    if silent and samples >= SAMPLES_FOR_SILENCE:
        return msgspec.structs.replace(
            stuck,
            reason=say(
                "{samples:count} samples of the threads of this pool show no change; the dumps hold no CPU time",
                samples=samples,
            ),
        )
    return msgspec.structs.replace(
        now, reason=say("the dumps hold no CPU time; the same frames alone prove nothing")
    )


def _has_task_without_cpu_time(judgement: Judgement) -> bool:
    track = judgement.track
    has_task = (
        track.is_worker
        or track.role == roles.VIRTUAL
        or track.last_meaning.in_listener
        or track.last_meaning.in_pool_task
    )
    return has_task and judgement.run.cpu_growth_ms is None


def _sites_without_cpu_time(world: World) -> dict[Site, list[Judgement]]:
    sites: dict[Site, list[Judgement]] = defaultdict(list)
    for judgement in world.judgements:
        if _has_task_without_cpu_time(judgement):
            sites[site_of(judgement.track)].append(judgement)
    return sites


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
    thread of their pools will ever be free to take them from it.
    """
    track = judgement.track
    if (track.jvm, track.pool) not in world.once(_starved_pools) or track.is_worker:
        return None
    return msgspec.structs.replace(judgement.now, state="blocked", starved=True)


def _starved_pools(world: World) -> set[tuple[int, str | None]]:
    pools: dict[tuple[int, str | None], list[Judgement]] = defaultdict(list)
    for judgement in world.judgements:
        track = judgement.track
        if track.pool is not None and not track.is_worker:
            pools[(track.jvm, track.pool)].append(judgement)
    waiting = {
        key
        for key, members in pools.items()
        if all(
            member.makes_no_progress and gets_inside_a_task(member.track.role, member.track.last_meaning)
            for member in members
        )
    }
    working = {
        judgement.track.jvm
        for judgement in world.judgements
        if _runs_a_task(judgement) and (judgement.track.jvm, judgement.track.pool) not in waiting
    }
    return {(jvm, pool) for jvm, pool in waiting if jvm not in working}


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

"""Passes that compare the threads of a pool, and that follow a wait to the pool that must end it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.cause_table import Family
from mqdiag.threads.decide import is_same_call
from mqdiag.threads.judgement import Judgement, Revision, World
from mqdiag.threads.library_packages import is_own
from mqdiag.threads.measured_limits import CALLS_OF_OTHERS, CLOCK_MS, SAMPLES_FOR_SILENCE
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

FORK_JOIN = "java.util.concurrent.ForkJoinPool.runWorker"
FUTURE_GET = "java.util.concurrent.FutureTask.get"
FUTURE_RUN = "java.util.concurrent.FutureTask.run"
REPEATING_WAITS = frozenset({"monitor", "lock", "pool", "running", "sleep"})
"""they show the same frames and objects while the thread progresses"""
CLOSE_KIN = 3
"""the waiting code and the task share a class"""

_Site = tuple[int, str | None, tuple[str, ...]]
"""JVM, pool and work: the threads of a pool at one call"""


def _site(track: Track) -> _Site:
    return track.jvm, track.pool, track.last_meaning.work


def by_objects_and_silence(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread without CPU time by the object of its call, or by its whole pool."""
    now, track = judgement.now, judgement.track
    if not now.unchanged or not _has_task_without_cpu_time(judgement):
        return None
    if track.last_meaning.doing in REPEATING_WAITS:
        return replace(
            now, reason=say("the dumps hold no CPU time, and this wait looks the same while it progresses")
        )
    stuck = replace(now, state="stuck", confidence="medium")
    if track.role == roles.VIRTUAL and now.run.count >= 3:
        return replace(
            stuck,
            reason=say(
                "{count:count} samples show the same frames in a virtual thread, which lives for one task; the dumps"
                " hold no CPU time",
                count=now.run.count,
            ),
        )
    if is_same_call(track, now.run.first):
        return replace(
            stuck,
            reason=say(
                "{count:count} samples show the same frames and the same object of a call; the dumps hold no CPU time",
                count=now.run.count,
            ),
        )
    here = world.once(_sites_without_cpu_time)[_site(track)]
    silent = all(other.now.unchanged and other.run.same_addresses for other in here)
    samples = sum(other.run.count for other in here if other.now.unchanged)
    if silent and samples >= SAMPLES_FOR_SILENCE:
        return replace(
            stuck,
            reason=say(
                "{samples:count} samples of the threads of this pool show no change; the dumps hold no CPU time",
                samples=samples,
            ),
        )
    return replace(now, reason=say("the dumps hold no CPU time; the same frames alone prove nothing"))


def _has_task_without_cpu_time(judgement: Judgement) -> bool:
    track = judgement.track
    has_task = (
        track.is_worker
        or track.role == roles.VIRTUAL
        or track.last_meaning.in_listener
        or track.last_meaning.in_pool_task
    )
    return has_task and judgement.run.cpu_growth_ms is None


def _sites_without_cpu_time(world: World) -> dict[_Site, list[Judgement]]:
    sites: dict[_Site, list[Judgement]] = defaultdict(list)
    for judgement in world.judgements:
        if _has_task_without_cpu_time(judgement):
            sites[_site(judgement.track)].append(judgement)
    return sites


def by_connection_pool(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread that waits for a connection by the threads that use the connections."""
    now, track = judgement.now, judgement.track
    cause = track.last_meaning.cause
    if now.state != "stuck" or track.last_meaning.doing != "pool" or cause is None:
        return None
    if (track.jvm, track.pool, cause.library) in world.once(_pools_that_give_connections):
        return replace(
            now,
            state="progressing",
            confidence="low",
            reason=say("waits for a connection of a pool that others get one from: it moves"),
        )
    users = world.once(_stuck_users)
    families: tuple[Family | None, ...] = (
        ("redis", "jdbc", "rpc") if cause.family == "pooled" else (cause.family,)
    )
    user = next((users[family] for family in families if family in users), None)
    return replace(now, state="blocked", waits_for=now.waits_for if user is None else user.track)


def _pools_that_give_connections(world: World) -> set[tuple[int, str | None, str]]:
    """JVM, thread pool and connection pool of threads that progress and waited for a connection in some sample."""
    return {
        (judgement.track.jvm, judgement.track.pool, meaning.cause.library)
        for judgement in world.judgements
        if judgement.state == "progressing"
        for meaning in judgement.track.meanings
        if meaning is not None and meaning.doing == "pool" and meaning.cause is not None
    }


def _stuck_users(world: World) -> dict[Family | None, Judgement]:
    """The first thread without progress in a client of each family: jdbc, http, redis."""
    users: dict[Family | None, Judgement] = {}
    for judgement in world.judgements:
        cause = judgement.track.last_meaning.cause
        if judgement.makes_no_progress and cause is not None and not cause.pool:
            users.setdefault(cause.family, judgement)
    return users


def by_calls_of_others(judgement: Judgement, world: World) -> Revision | None:
    """Doubt a standstill that is not much longer than calls that others of the pool came back from."""
    run, track = judgement.run, judgement.track
    if judgement.state != "stuck" or run.seconds is None or not _has_measured_call(judgement):
        return None
    longest_s = world.once(_longest_calls).get(_site(track), 0.0)
    if run.seconds >= CALLS_OF_OTHERS * longest_s:
        return None
    return replace(
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


def _longest_calls(world: World) -> dict[_Site, float]:
    """The longest call, in seconds, that a thread of each site came back from."""
    longest: dict[_Site, float] = defaultdict(float)
    for judgement in world.judgements:
        if judgement.state == "progressing" and _has_measured_call(judgement):
            site = _site(judgement.track)
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


@dataclass(slots=True)
class _TaskPool:
    """The tasks of one pool in the last sample."""

    name: str
    tasks: list[Judgement] = field(default_factory=list)

    @property
    def without_progress(self) -> list[Judgement]:
        return [task for task in self.tasks if task.makes_no_progress]

    @property
    def all_new(self) -> bool:
        """Whether each task is in a virtual thread that no earlier sample has: the earlier tasks came to an end."""
        return bool(self.tasks) and all(
            task.track.role == roles.VIRTUAL and len(task.track.judged) == 1 and len(task.track.possible) > 1
            for task in self.tasks
        )


_Kin = tuple[int, _TaskPool]
"""how near a pool's tasks are to the waiting code, and the pool"""


class _TaskPools:
    """All pools of tasks of a series; nearest pools are found once for each stack that waits."""

    def __init__(self, world: World) -> None:
        self.pools = _task_pools(world.judgements, plain=False)
        self.plain_threads = _task_pools(world.judgements, plain=True)
        self.moving = {_site(one.track) for one in world.judgements if one.state == "progressing"}
        self._nearest: dict[tuple[int, str | None, StackMeaning], _Kin | None] = {}

    def of(self, jvm: int) -> list[_TaskPool]:
        return [pool for (own, _), pool in self.pools.items() if own == jvm]

    def nearest(self, track: Track) -> _Kin | None:
        """The pool whose tasks are nearest kin to the waiting code."""
        key = (track.jvm, track.pool, track.last_meaning)
        if key not in self._nearest:
            others = [
                pool for (jvm, name), pool in self.pools.items() if jvm == track.jvm and name != track.pool
            ]
            self._nearest[key] = _nearest(track.last_meaning, others)
        return self._nearest[key]

    def own_threads(self, track: Track) -> _Kin | None:
        """Threads that the waiting code started itself, and waits for by a latch or a join: only close kin counts."""
        own = [pool for (jvm, _), pool in self.plain_threads.items() if jvm == track.jvm]
        best = _nearest(track.last_meaning, own)
        return best if best is not None and best[0] >= CLOSE_KIN else None


def by_future(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread that waits for a future by the pool that has to complete it.

    A dump does not say which task completes which future. But the waiting code has submitted the task, so the frames of
    both share a class or a package.
    """
    now, track = judgement.now, judgement.track
    if not _waits_for_future(judgement):
        return None
    pools = world.once(_TaskPools)
    if _site(track) in pools.moving:
        unordered = _pool_without_order(track.last_meaning, pools.of(track.jvm))
        if unordered is not None:
            return replace(
                now,
                state="unknown",
                confidence=None,
                reason=say(
                    "waits for a task of the pool {name}, which moves but keeps no order: others at the same call get"
                    " their answers, and its own task may still be in a queue",
                    name=unordered.name,
                ),
            )
    best = pools.nearest(track)
    if best is None and now.state == "stuck":
        best = pools.own_threads(track)
    return None if best is None else _by_task_pool(now, *best)


def _waits_for_future(judgement: Judgement) -> bool:
    meaning = judgement.track.last_meaning
    undecided = judgement.now.unchanged and judgement.state == "unknown"
    return (
        (judgement.state == "stuck" or undecided)
        and judgement.track.role != roles.BROKER_SEND
        and meaning.doing in ("future", "latch", "join")
        and meaning.cause is None
        and meaning.own_index >= 0
    )


def _by_task_pool(now: Revision, kinship: int, pool: _TaskPool) -> Revision | None:
    stuck_tasks = pool.without_progress
    if now.state == "unknown":
        # without CPU time only close kin counts, and only a pool that is stuck or moves as a whole
        if kinship < CLOSE_KIN:
            return None
        if pool.all_new:
            return replace(
                now,
                state="progressing",
                confidence="medium",
                reason=say(
                    "the tasks of the pool {name} that it waits for are other ones in each sample",
                    name=pool.name,
                ),
            )
        if len(stuck_tasks) < len(pool.tasks):
            return None
        return replace(
            now,
            state="blocked",
            confidence="medium",
            reason=say(
                "the same frames in all samples, and the pool {name} that it waits for makes no progress; the dumps"
                " hold no CPU time",
                name=pool.name,
            ),
            waits_for=stuck_tasks[0].track,
        )
    if not stuck_tasks:
        return None
    blocked = replace(now, state="blocked", waits_for=stuck_tasks[0].track)
    if now.confidence != "high":
        # the earlier reason says why it is not sure
        return blocked
    return replace(
        blocked,
        reason=say("waits for a task of the pool {name}, which makes no progress", name=pool.name),
    )


def _task_pools(judgements: Iterable[Judgement], *, plain: bool) -> dict[tuple[int, str], _TaskPool]:
    """Pools with tasks at work in the last sample; consume threads complete no futures of others.

    Args:
        judgements: all threads.
        plain: take the threads that run no task of a pool instead, by the name that they share.
    """
    pools: dict[tuple[int, str], _TaskPool] = {}
    for judgement in judgements:
        track = judgement.track
        meaning = track.last_meaning
        name = track.pool or (track.name if plain else None)
        if track.is_worker or not name or meaning.own_index < 0 or track.ended:
            continue
        if (meaning.in_pool_task or track.role == roles.VIRTUAL) is not plain:
            pools.setdefault((track.jvm, name), _TaskPool(name)).tasks.append(judgement)
    return pools


def _nearest(waiter: StackMeaning, pools: list[_TaskPool]) -> _Kin | None:
    """The pool whose tasks are nearest kin; of equally near ones the first."""
    mine = _own_classes(waiter)
    best: _Kin | None = None
    for pool in pools:
        tasks = pool.tasks if pool.all_new else pool.without_progress
        meanings = {task.track.last_meaning for task in tasks}
        kinship = max(
            (_kinship(mine, _own_classes(meaning)) for meaning in meanings if meaning is not waiter), default=0
        )
        if kinship and (best is None or kinship > best[0]):
            best = (kinship, pool)
    return best


def _pool_without_order(waiter: StackMeaning, pools: list[_TaskPool]) -> _TaskPool | None:
    """A fork-join pool of the waiter's own tasks, all of which move: it may leave a task in a queue for long."""
    mine = _own_classes(waiter)
    for pool in pools:
        meanings = [task.track.last_meaning for task in pool.tasks]
        if (
            meanings
            and not pool.without_progress
            and all(FORK_JOIN in meaning.methods for meaning in meanings)
            and any(_kinship(mine, _own_classes(meaning)) == CLOSE_KIN for meaning in meanings)
        ):
            return pool
    return None


def _kinship(mine: frozenset[str], theirs: frozenset[str]) -> int:
    """How sure it is that the waiter submitted a task: they share a class, a package, or its first two parts."""
    if mine & theirs:
        return CLOSE_KIN
    if {name.rpartition(".")[0] for name in mine} & {name.rpartition(".")[0] for name in theirs}:
        return 2
    if {".".join(name.split(".")[:2]) for name in mine} & {".".join(name.split(".")[:2]) for name in theirs}:
        return 1
    return 0


def _own_classes(meaning: StackMeaning) -> frozenset[str]:
    end = meaning.run_index if meaning.run_index >= 0 else len(meaning.methods)
    return frozenset(
        method.rpartition(".")[0].partition("$")[0] for method in meaning.methods[:end] if is_own(method)
    )


def by_starved_pool(judgement: Judgement, world: World) -> Revision | None:
    """Decide for the threads of a pool that all wait for tasks that nobody runs.

    A thread in FutureTask.get waits until some thread has run the task. If no thread of the dump runs one but those
    that wait themselves, the tasks that the last ones wait for have not begun. They can only be in a queue, and no
    thread of their pools will ever be free to take them from it.
    """
    track = judgement.track
    if (track.jvm, track.pool) not in world.once(_starved_pools) or track.is_worker:
        return None
    return replace(judgement.now, state="blocked", starved=True)


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
            member.makes_no_progress and _gets_inside_a_task(member.track.last_meaning) for member in members
        )
    }
    working = {
        judgement.track.jvm
        for judgement in world.judgements
        if _runs_a_task(judgement) and (judgement.track.jvm, judgement.track.pool) not in waiting
    }
    return {(jvm, pool) for jvm, pool in waiting if jvm not in working}


def _gets_inside_a_task(meaning: StackMeaning) -> bool:
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

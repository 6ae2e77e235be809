"""The pass that follows a wait for a future to the pool that must complete it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from mqdiag.read.stacks.library_packages import is_own
from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement, Revision, World, site_of
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

FORK_JOIN = "java.util.concurrent.ForkJoinPool.runWorker"
CLOSE_KIN = 3
"""the waiting code and the task share a class"""


class _TaskPool(msgspec.Struct):
    """The tasks of one pool in the last sample."""

    name: str
    tasks: list[Judgement] = msgspec.field(default_factory=list)

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
        self.moving = {site_of(one.track) for one in world.judgements if one.state == "progressing"}
        self._nearest: dict[tuple[int, str | None, StackMeaning], _Kin | None] = {}

    def of(self, jvm: int) -> list[_TaskPool]:
        return [pool for (own, _), pool in self.pools.items() if own == jvm]

    def nearest(self, track: Track) -> _Kin | None:
        """The pool with the tasks that are most like the waiting code."""
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
    if site_of(track) in pools.moving:
        unordered = _pool_without_order(track.last_meaning, pools.of(track.jvm))
        if unordered is not None:
            return msgspec.structs.replace(
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
        and (meaning.library is None or meaning.library.kind == "bridge")
        and meaning.own_index >= 0
    )


def _by_task_pool(now: Revision, kinship: int, pool: _TaskPool) -> Revision | None:
    stuck_tasks = pool.without_progress
    if now.state == "unknown":
        # without CPU time only close kin counts, and only a pool that is stuck or moves as a whole
        if kinship < CLOSE_KIN:
            return None
        if pool.all_new:
            return msgspec.structs.replace(
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
        return msgspec.structs.replace(
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
    blocked = msgspec.structs.replace(now, state="blocked", waits_for=stuck_tasks[0].track)
    if now.confidence != "high":
        # the earlier reason says why it is not sure
        return blocked
    return msgspec.structs.replace(
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
    """The pool with the tasks that are most like the waiting code; the first one if several are equal."""
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
    """A fork-join pool that runs the waiter's own tasks, and all tasks move: it may leave one in a queue for long."""
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

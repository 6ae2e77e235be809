"""The pass that follows a wait for a future to the pool that must complete it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from mqdiag.facts.vocabulary import Role
from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement, Revision, World, site_of
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

FORK_JOIN = "java.util.concurrent.ForkJoinPool.runWorker"
CLOSE_KIN, PACKAGE_KIN, DISTANT_KIN = 3, 2, 1
"""the waiting code and the task share a class, a package, or the first two parts of its name"""
_MOST_POOLS = 100
"""pools that are kept of those with tasks of one class or package; more of them say the same"""


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


class _Kinships:
    """Which pools have tasks like some code, found by the names of classes and packages.

    Of two tasks of a pool one is another than the waiting code, so no more are kept of each pool.
    """

    def __init__(self, pools: Iterable[_TaskPool]) -> None:
        self._pools = list(pools)
        self._tasks: dict[tuple[int, str], dict[int, list[StackMeaning]]] = defaultdict(dict)
        for place, pool in enumerate(self._pools):
            tasks = pool.tasks if pool.all_new else pool.without_progress
            for meaning in dict.fromkeys(task.track.last_meaning for task in tasks):
                for kinship in (CLOSE_KIN, PACKAGE_KIN, DISTANT_KIN):
                    for name in _names(meaning, kinship):
                        self._add(self._tasks[kinship, name], place, meaning)

    @staticmethod
    def _add(tasks: dict[int, list[StackMeaning]], place: int, meaning: StackMeaning) -> None:
        if place in tasks or len(tasks) < _MOST_POOLS:
            known = tasks.setdefault(place, [])
            if len(known) < 2:
                known.append(meaning)

    def nearest(self, waiter: StackMeaning, own_pool: str | None = None) -> _Kin | None:
        """The pool with the tasks that are most like the waiting code; the first one if several are equal.

        Args:
            waiter: the waiting code.
            own_pool: a pool that does not count.
        """
        for kinship in (CLOSE_KIN, PACKAGE_KIN, DISTANT_KIN):
            places = (
                next(
                    (place for place, tasks in known.items() if self._counts(place, tasks, waiter, own_pool)),
                    None,
                )
                for name in _names(waiter, kinship)
                if (known := self._tasks.get((kinship, name))) is not None
            )
            first = min((place for place in places if place is not None), default=None)
            if first is not None:
                return kinship, self._pools[first]
        return None

    def _counts(
        self, place: int, tasks: list[StackMeaning], waiter: StackMeaning, own_pool: str | None
    ) -> bool:
        return self._pools[place].name != own_pool and any(task is not waiter for task in tasks)


class _TaskPools:
    """All pools of tasks of a series; nearest pools are found once for each stack that waits."""

    def __init__(self, world: World) -> None:
        self.moving = {site_of(one.track) for one in world.judgements if one.state == "progressing"}
        pools = _task_pools(world.judgements, plain=False)
        self._pools = {jvm: _Kinships(own) for jvm, own in pools.items()}
        self._plain_threads = {
            jvm: _Kinships(own) for jvm, own in _task_pools(world.judgements, plain=True).items()
        }
        self._unordered: dict[tuple[int, str], _TaskPool] = {}
        for jvm, own in pools.items():
            for pool in filter(_keeps_no_order, own):
                for task in pool.tasks:
                    for name in task.track.last_meaning.own_classes:
                        self._unordered.setdefault((jvm, name), pool)
        self._nearest: dict[tuple[int, str | None, StackMeaning], _Kin | None] = {}

    def nearest(self, track: Track) -> _Kin | None:
        """The pool with the tasks that are most like the waiting code."""
        key = (track.jvm, track.pool, track.last_meaning)
        if key not in self._nearest:
            pools = self._pools.get(track.jvm)
            self._nearest[key] = pools.nearest(track.last_meaning, track.pool) if pools is not None else None
        return self._nearest[key]

    def own_threads(self, track: Track) -> _Kin | None:
        """Threads that the waiting code started itself, and waits for by a latch or a join: only close kin counts."""
        threads = self._plain_threads.get(track.jvm)
        best = threads.nearest(track.last_meaning) if threads is not None else None
        return best if best is not None and best[0] >= CLOSE_KIN else None

    def without_order(self, track: Track) -> _TaskPool | None:
        """A fork-join pool that runs the waiter's own tasks, which all move: it may leave one in a queue for long."""
        found = (self._unordered.get((track.jvm, name)) for name in track.last_meaning.own_classes)
        return next((pool for pool in found if pool is not None), None)


def _keeps_no_order(pool: _TaskPool) -> bool:
    return not pool.without_progress and all(
        FORK_JOIN in task.track.last_meaning.methods for task in pool.tasks
    )


def _names(meaning: StackMeaning, kinship: int) -> frozenset[str]:
    """The names by which code is kin: of its own classes, their packages, or the first two parts of them."""
    if kinship == CLOSE_KIN:
        return meaning.own_classes
    if kinship == PACKAGE_KIN:
        return frozenset(name.rpartition(".")[0] for name in meaning.own_classes)
    return frozenset(".".join(name.split(".")[:2]) for name in meaning.own_classes)


def may_wait_for_future(role: Role, meaning: StackMeaning) -> bool:
    """Whether the application's code waits for a future, but not in a client library."""
    return (
        role != roles.BROKER_SEND
        and meaning.doing in ("future", "latch", "join")
        and (meaning.library is None or meaning.library.kind == "bridge")
        and meaning.own_index >= 0
    )


def by_future(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread that waits for a future by the pool that has to complete it.

    A dump does not say which task completes which future. But the waiting code has submitted the task, so the frames of
    both share a class or a package.
    """
    now, track = judgement.now, judgement.track
    if judgement.state != "stuck" and not (now.unchanged and judgement.state == "unknown"):
        return None
    pools = world.once(_TaskPools)
    if site_of(track) in pools.moving:
        unordered = pools.without_order(track)
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


def _task_pools(judgements: Iterable[Judgement], *, plain: bool) -> dict[int, list[_TaskPool]]:
    """Pools with tasks at work in the last sample, by JVM; consume threads complete no futures of others.

    Args:
        judgements: all threads.
        plain: take the threads that run no task of a pool instead, by the name that they share.
    """
    pools: dict[int, dict[str, _TaskPool]] = defaultdict(dict)
    for judgement in judgements:
        track = judgement.track
        meaning = track.last_meaning
        name = track.pool or (track.name if plain else None)
        if track.is_worker or not name or meaning.own_index < 0 or track.ended:
            continue
        if (meaning.in_pool_task or track.role == roles.VIRTUAL) is not plain:
            pools[track.jvm].setdefault(name, _TaskPool(name)).tasks.append(judgement)
    return {jvm: list(own.values()) for jvm, own in pools.items()}

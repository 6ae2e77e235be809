"""From a worker that waits for a future to the pool whose task has to complete it.

A dump does not say which task completes which future. The task was handed over by the same code, so its frames
share a class or a package with those of the waiting thread.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.decide import BLOCKED, PROGRESSING, STUCK, UNKNOWN, Judgement
from mqdiag.threads.library_packages import is_own
from mqdiag.threads.view import View

FORK_JOIN = "java.util.concurrent.ForkJoinPool.runWorker"
CLOSE_KIN = 3
"""the waiting code and the task share a class"""


@dataclass(slots=True)
class _Pool:
    """The tasks of one pool in the last sample."""

    name: str
    tasks: list[Judgement] = field(default_factory=list)

    @property
    def still(self) -> list[Judgement]:
        return [task for task in self.tasks if task.still]

    @property
    def all_new(self) -> bool:
        """Every task is in a virtual thread that no earlier sample has: the earlier tasks came to an end."""
        return bool(self.tasks) and all(
            task.track.role == roles.VIRTUAL and len(task.track.present) == 1 for task in self.tasks
        )


def follow_futures(judgements: list[Judgement]) -> None:
    """Complete the decisions for threads that wait for a future."""
    waiting = [judgement for judgement in judgements if _waits(judgement)]
    if not waiting:
        return
    pools = _pools(judgements, plain=False)
    plain = _pools(judgements, plain=True)
    known: dict[tuple[int, str | None, View], tuple[int, _Pool] | None] = {}
    moving = {
        (judgement.track.jvm, judgement.track.pool, judgement.track.last_view.work)
        for judgement in judgements
        if judgement.state == PROGRESSING
    }
    for judgement in waiting:
        track = judgement.track
        if (track.jvm, track.pool, track.last_view.work) in moving:
            unfair = _unfair_pool(
                track.last_view, [pool for (jvm, _), pool in pools.items() if jvm == track.jvm]
            )
            if unfair is not None:
                judgement.state, judgement.confidence = UNKNOWN, None
                judgement.reason = say(
                    "waits for a task of {name}, which moves but keeps no order: others at the same call get"
                    " their answers, and its own may stand in a queue",
                    name=unfair.name,
                )
                continue
        key = (track.jvm, track.pool, track.last_view)
        if key not in known:
            others = [pool for (jvm, name), pool in pools.items() if jvm == track.jvm and name != track.pool]
            known[key] = _nearest(track.last_view, others) or _own_threads(judgement, plain)
        best = known[key]
        if best is not None:
            _decide(judgement, *best)


def _waits(judgement: Judgement) -> bool:
    view = judgement.track.last_view
    open_question = judgement.candidate and judgement.state == UNKNOWN
    return (
        (judgement.state == STUCK or open_question)
        and judgement.track.role != roles.BROKER_SEND
        and view.doing in ("future", "latch", "join")
        and view.cause is None
        and view.own_index >= 0
    )


def _own_threads(waiter: Judgement, plain: dict[tuple[int, str], _Pool]) -> tuple[int, _Pool] | None:
    """Threads that the waiting code started itself, and waits for by a latch or a join: only close kin counts."""
    if waiter.state != STUCK:
        return None
    best = _nearest(
        waiter.track.last_view, [pool for (jvm, _), pool in plain.items() if jvm == waiter.track.jvm]
    )
    return best if best is not None and best[0] == CLOSE_KIN else None


def _pools(judgements: list[Judgement], *, plain: bool) -> dict[tuple[int, str], _Pool]:
    """Pools of tasks that are at work in the last sample; consume threads are no one's pool.

    Args:
        judgements: all threads.
        plain: threads that run no task of a pool instead, by the name that they share.
    """
    last = max((judgement.track.present[-1] for judgement in judgements), default=0)
    pools: dict[tuple[int, str], _Pool] = defaultdict(lambda: _Pool(""))
    for judgement in judgements:
        track = judgement.track
        view = track.last_view
        name = track.pool or (track.name if plain else None)
        if track.is_worker or not name or view.own_index < 0 or track.present[-1] != last:
            continue
        if (view.in_pool_task or track.role == roles.VIRTUAL) is not plain:
            pool = pools[(track.jvm, name)]
            pool.name = name
            pool.tasks.append(judgement)
    return pools


def _nearest(waiter: View, pools: list[_Pool]) -> tuple[int, _Pool] | None:
    """The pool whose tasks are nearest kin; of equally near ones the first."""
    mine = _own_classes(waiter)
    best: tuple[int, _Pool] | None = None
    for pool in pools:
        tasks = pool.tasks if pool.all_new else pool.still
        views = {task.track.last_view for task in tasks}
        kinship = max((_kinship(mine, _own_classes(view)) for view in views if view is not waiter), default=0)
        if kinship and (best is None or kinship > best[0]):
            best = (kinship, pool)
    return best


def _unfair_pool(waiter: View, pools: list[_Pool]) -> _Pool | None:
    """A fork-join pool of the waiter's own tasks, all of which move: it may leave a task behind for long."""
    mine = _own_classes(waiter)
    for pool in pools:
        views = [task.track.last_view for task in pool.tasks]
        if (
            views
            and not pool.still
            and all(FORK_JOIN in view.methods for view in views)
            and any(_kinship(mine, _own_classes(view)) == CLOSE_KIN for view in views)
        ):
            return pool
    return None


def _decide(judgement: Judgement, kinship: int, pool: _Pool) -> None:
    if judgement.state == UNKNOWN:
        # without CPU time only close kin counts, and only a pool that stands or moves as a whole
        if kinship < CLOSE_KIN:
            return
        if pool.all_new:
            judgement.state, judgement.confidence = PROGRESSING, "medium"
            judgement.reason = say(
                "the tasks of {name} that it waits for are other ones in each sample", name=pool.name
            )
            return
        if len(pool.still) < len(pool.tasks):
            return
        judgement.confidence = "medium"
        judgement.reason = say("the same frames in all samples; CPU time is not in these dumps")
    still = pool.still
    if still:
        judgement.state = BLOCKED
        judgement.holder = still[0].track
        judgement.reason += say("; it waits for a task of the pool {name}, which stands still", name=pool.name)


def _kinship(mine: frozenset[str], theirs: frozenset[str]) -> int:
    """How sure it is that a task was handed over by the waiter: shared class, package, or first two parts of it."""
    if mine & theirs:
        return CLOSE_KIN
    if {name.rpartition(".")[0] for name in mine} & {name.rpartition(".")[0] for name in theirs}:
        return 2
    if {".".join(name.split(".")[:2]) for name in mine} & {".".join(name.split(".")[:2]) for name in theirs}:
        return 1
    return 0


def _own_classes(view: View) -> frozenset[str]:
    end = view.run_index if view.run_index >= 0 else len(view.methods)
    return frozenset(
        method.rpartition(".")[0].partition("$")[0] for method in view.methods[:end] if is_own(method)
    )

"""Pools whose threads all wait for tasks that nobody runs: the tasks stand in their own queues."""

from __future__ import annotations

from collections import defaultdict

from mqdiag.threads.decide import BLOCKED, Judgement
from mqdiag.threads.view import View

GET = "java.util.concurrent.FutureTask.get"
RUN = "java.util.concurrent.FutureTask.run"


def mark_starved_pools(judgements: list[Judgement]) -> None:
    """Mark the threads of such pools.

    Who has called get() of a FutureTask waits until a thread has run it. Where no thread of the dump is running any
    but those that wait themselves, what the last of them wait for was not begun; it can only stand in a queue, and in
    pools where no thread is free it never will be begun.
    """
    pools: dict[tuple[int, str], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        track = judgement.track
        if track.pool is not None and not track.is_worker:
            pools[(track.jvm, track.pool)].append(judgement)
    waiting = {
        key: members
        for key, members in pools.items()
        if all(member.still and _gets(member.track.last_view) for member in members)
    }
    if not waiting:
        return
    working = {
        judgement.track.jvm
        for judgement in judgements
        if _runs(judgement) and (judgement.track.jvm, judgement.track.pool) not in waiting
    }
    for (jvm, _), members in waiting.items():
        if jvm not in working:
            for member in members:
                member.state, member.starved = BLOCKED, True


def _gets(view: View) -> bool:
    return view.in_pool_task and view.doing == "future" and GET in view.methods and RUN in view.methods


def _runs(judgement: Judgement) -> bool:
    """A consume worker runs its request as a FutureTask, and that is nobody's answer."""
    view = judgement.track.last_view
    return not judgement.track.is_worker and not view.idle and RUN in view.methods

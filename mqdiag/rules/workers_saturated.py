"""Every consume thread of a group is always at work: there are too few for the load."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.facts.recordings import Recording
from mqdiag.facts.thread_pools import WorkerPool
from mqdiag.knowledge.lookup import container_named
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consume_pools import LOCKS, busy_pool_case, busy_pools, remedy_of_wait
from mqdiag.rules.shared.recorded_groups import busy_group_case, busy_groups
from mqdiag.text import NOTHING

MOSTLY = 0.5
"""share of their time in which threads wait for locks: more threads would only wait longer"""

RULE = Rule("workers-saturated")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each pool; more threads are advised only where they help."""
    for pool in busy_pools(stacks, limits["busy_share"]):
        frame_known = pool.shared_frame is not None
        wait = remedy_of_wait(pool) if frame_known else NOTHING
        container = None if wait else container_named(pool.container)
        yield busy_pool_case(
            RULE,
            _case(pool),
            pool,
            wait,
            words={
                "frame_known": frame_known,
                "plain_client": not wait and container is None,
                "pool_library": (library := _pool_library(stacks, pool)),
                "pool_setting": RULE.meaning("pool_setting").get(library or ""),
            },
            given={"of_container": () if container is None else (container.more_threads,)},
        )


def _case(pool: WorkerPool) -> str:
    if pool.progressing < len(pool.threads):
        return "some-threads-move"
    if pool.group and len(pool.threads) == 1:
        return "only-thread"
    if pool.shared_doing == "pool":
        return "wait-for-connection"
    if pool.group and pool.shared_doing == "dns":
        return "wait-for-names"
    return "wait-for-lock" if pool.group and pool.shared_doing in LOCKS else "too-few-threads"


def _pool_library(stacks: StacksFacts, pool: WorkerPool) -> str | None:
    """The one library in which threads of a pool wait for something pooled."""
    waiting = (one for one in stacks.threads if one.pool == pool.pool and one.doing == "pool")
    found = {one.library for one in waiting}
    return found.pop() if len(found) == 1 else None


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One finding for each group whose threads hardly ever wait for messages."""
    for budget in busy_groups(recording, limits["busy_share"]):
        locked = budget.lock_ms >= MOSTLY * budget.wall_ms
        yield busy_group_case(RULE, recording, budget, words={"locked": locked})

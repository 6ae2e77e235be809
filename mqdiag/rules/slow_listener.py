"""Messages move, but every consume thread is busy: where the time goes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import WorkerPool
from mqdiag.findings import Severity
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.consume_pools import BUSY, busy_pool_draft, busy_pools, remedy_of_wait
from mqdiag.rules.shared.standstill import STANDSTILL_RULES, short_frame
from mqdiag.text import Text, say

RULE = Rule(
    name="slow-listener",
    title="All consume threads are busy, and the work changes: the listener sets the pace",
    why=(
        "The threads move from message to message, so nothing hangs. The frame that most samples share is where their"
        " time goes: look there first when the backlog grows."
    ),
    causes=("slow-listener",),
    severities=(Severity.INFO,),
    remedy=("Make the call at the shared frame faster, do fewer of them, or do them for a batch of messages.",),
    references=(
        "DefaultMQPushConsumer.consumeThreadMin: 20 workers, and what one message takes, are the pace",
    ),
    explained_by=STANDSTILL_RULES,
    links=False,
    limits={"busy_share": 0.9},
)


def fires() -> Facts:
    """All workers at the same frame in nearly all looks, and moving."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(BUSY,)))


def silent() -> Facts:
    """All workers stuck: no pace at all."""
    stuck = WorkerPool(
        role=BUSY.role, pool=BUSY.pool, group=BUSY.group, threads=BUSY.threads, stuck=20, busy=BUSY.busy
    )
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(stuck,)))


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool."""
    stacks = facts.stacks
    assert stacks is not None
    for pool in busy_pools(stacks, limits["busy_share"]):
        frame, doing = short_frame(pool.shared_frame), Text(pool.shared_doing or "")
        title = say("The listener spends its time at {frame} ({doing})", doing=doing, frame=frame)
        if pool.group:
            title = say(
                "The listener of group {group} spends its time at {frame} ({doing})", doing=doing, frame=frame
            )
        yield busy_pool_draft(
            pool,
            severity=Severity.INFO,
            cause="slow-listener",
            title=title,
            remedy=remedy_of_wait(pool) or RULE.remedy,
        )

"""Messages move, but every consume thread is busy with them: where the time goes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import WorkerPool
from mqdiag.findings import Severity
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.stacks._busy import BUSY, busy_pools, pool_draft
from mqdiag.rules.stacks._standstill import plain
from mqdiag.text import say


def fires() -> Facts:
    """All workers at the same frame in nearly all looks, and moving."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(BUSY,)))


def silent() -> Facts:
    """All workers stuck: no pace at all."""
    stuck = WorkerPool(
        role=BUSY.role, pool=BUSY.pool, group=BUSY.group, threads=BUSY.threads, stuck=20, busy=BUSY.busy
    )
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(stuck,)))


@rule(
    name="slow-listener",
    title="All consume threads are busy, and the work changes: the listener sets the pace",
    why=(
        "The threads move from message to message, so nothing hangs; the frame that most looks share is where their"
        " time goes. It is the first place to look at when the backlog grows."
    ),
    causes=("slow-listener",),
    severities=(Severity.INFO,),
    remedy=("Make the call at the shared frame faster, do fewer of them, or do them for a batch of messages.",),
    references=(
        "DefaultMQPushConsumer.consumeThreadMin: 20 workers, and what one message takes, are the pace",
    ),
    needs=("stacks",),
    limits={"busy_share": 0.9},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each pool."""
    stacks = facts.stacks
    assert stacks is not None
    for pool in busy_pools(stacks, limits["busy_share"]):
        owner = say(" of group {group}", group=pool.group) if pool.group else ""
        yield pool_draft(
            pool,
            severity=Severity.INFO,
            cause="slow-listener",
            title=say(
                "The listener{owner} spends its time in {shared_doing} at {shared_frame}",
                owner=owner,
                shared_doing=pool.shared_doing,
                shared_frame=plain(pool.shared_frame),
            ),
            remedy=check.card.remedy,
        )

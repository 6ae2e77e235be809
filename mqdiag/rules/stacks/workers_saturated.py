"""Every consume thread of a group is always at work: there are too few for the load."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import WorkerPool
from mqdiag.findings import Severity
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.stacks._busy import BUSY, busy_pools, pool_draft
from mqdiag.text import say


def fires() -> Facts:
    """20 of 20 workers in the listener in all samples, all moving."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(BUSY,)))


def silent() -> Facts:
    """Half of them idle."""
    half = WorkerPool(
        role=BUSY.role,
        pool=BUSY.pool,
        group=BUSY.group,
        threads=BUSY.threads,
        progressing=20,
        busy=(10, 9, 11, 10, 8),
    )
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(half,)))


@rule(
    name="workers-saturated",
    title="All consume threads of a group are busy in every sample",
    why=(
        "Messages move, but no thread is ever free: the group takes in what its threads can do and no more, and a"
        " backlog grows as soon as more comes. Each message takes long, or there are too few threads."
    ),
    causes=("too-few-threads",),
    severities=(Severity.WARNING,),
    remedy=(
        "Make the listener faster at the frame that slow-listener names.",
        "Raise consumeThreadMin (and consumeThreadMax with it: the pool's queue has no bound, so only the minimum"
        " counts), where the downstream can take it; or add instances up to the number of queues.",
        "Raise consumeMessageBatchMaxSize where the work can be done in batches.",
    ),
    references=(
        "ConsumeMessageConcurrentlyService: LinkedBlockingQueue without a bound",
        "https://github.com/apache/rocketmq/issues/1752",
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
            severity=Severity.WARNING,
            cause="too-few-threads",
            title=_title(len(pool.threads), pool.progressing, owner),
            remedy=check.card.remedy,
        )


def _title(threads: int, moving: int, owner: str) -> str:
    if moving < threads:
        # another finding says of the rest what it stands at
        return say(
            "The {threads} consume threads{owner} are at work in every sample; {moving} of them move on",
            threads=threads,
            owner=owner,
            moving=moving,
        )
    return say(
        "All {threads} consume threads{owner} are at work in every sample, and moving",
        threads=threads,
        owner=owner,
    )

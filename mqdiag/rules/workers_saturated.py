"""Every consume thread of a group is always at work: there are too few for the load."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import WorkerPool
from mqdiag.findings import Severity
from mqdiag.knowledge.lookup import container_named
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.consume_pools import BUSY, LOCKS, busy_pool_draft, busy_pools, remedy_of_wait
from mqdiag.rules.shared.standstill import STANDSTILL_RULES, short_frame
from mqdiag.text import Text, say

RULE = Rule(
    name="workers-saturated",
    title="All consume threads of a group are busy in every sample",
    why=(
        "Messages move, but no thread is ever free: the group consumes only what its threads can do, and a backlog"
        " grows as soon as more arrives. Each message takes long, or there are too few threads."
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
    explained_by=STANDSTILL_RULES,
    links=False,
    limits={"busy_share": 0.9},
    in_chain=say("all consume threads are busy"),
)


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


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool."""
    stacks = facts.stacks
    assert stacks is not None
    for pool in busy_pools(stacks, limits["busy_share"]):
        yield busy_pool_draft(
            pool,
            severity=Severity.WARNING,
            cause="too-few-threads",
            title=_title(pool),
            remedy=_remedy(pool),
        )


def _remedy(pool: WorkerPool) -> tuple[Text, ...]:
    """With the call that most samples found, where they agree on one; more threads only where they help."""
    container = container_named(pool.container)
    more = RULE.remedy[1:] if container is None else (container.more_threads,)
    if pool.shared_frame is None:
        return (RULE.remedy[0], *more)
    wait = remedy_of_wait(pool)
    if wait:
        return wait
    faster = say(
        "Make the call in {frame} faster, do fewer of them, or do them for a batch of messages.",
        frame=short_frame(pool.shared_frame),
    )
    return (faster, *more)


def _title(pool: WorkerPool) -> Text:
    if pool.progressing < len(pool.threads):
        # another finding tells where the rest is
        if pool.group:
            return say(
                "No consume thread of group {group} is free in any sample; {moving:count} of {pool_size:count} work"
                " and move on"
            )
        return say(
            "No consume thread is free in any sample; {moving:count} of {pool_size:count} work and move on"
        )
    if len(pool.threads) == 1 and pool.group:
        return say("The only consume thread of group {group} is at work in every sample, and moving")
    if pool.shared_doing in LOCKS and pool.group:
        return say(
            "All {pool_size:count} consume threads of group {group} move, but most of them wait for a lock at {frame}",
            frame=short_frame(pool.shared_frame),
        )
    if pool.group:
        return say(
            "All {pool_size:count} consume threads of group {group} are at work in every sample, and moving"
        )
    return say("All {pool_size:count} consume threads are at work in every sample, and moving")

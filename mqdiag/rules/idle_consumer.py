"""The consume threads wait for messages: the listener keeps up, or nothing is pulled."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import WorkerPool
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consume_pools import SURE_SAMPLES, pool_subject
from mqdiag.rules.shared.pulling import nothing_is_pulled
from mqdiag.text import NOTHING, Text, say

RULE = Rule(
    name="idle-consumer",
    title="The consume threads wait for messages",
    why=(
        "Threads in ThreadPoolExecutor.getTask have nothing to do: the listener keeps up with what is pulled. If"
        " the broker still shows a backlog, messages do not reach the client fast enough, and more consume threads"
        " will not help."
    ),
    causes=("no-backlog-or-slow-pull",),
    severities=(Severity.INFO,),
    remedy=(
        "Without a backlog (mqadmin consumerProgress) there is nothing to do.",
        "With one, look at the pull side: flow control in rocketmq_client.log, pullBatchSize (32) and the broker's"
        " limits per pull (maxTransferCountOnMessageInMemory 32, on disk 8), number of queues, pullInterval, a paused"
        " consumer, NettyClientPublicExecutor threads in user code.",
    ),
    references=("ThreadPoolExecutor.getTask: the worker has no message to work on",),
    limits={"idle_share": 0.9},
    in_chain=say("the consume threads have nothing to do"),
    explained_by=("callback-pool-blocked", "pull-service-dead"),
)

_CURE_PULLING = say("Cure what stops the pulling: another finding names it.")


IDLE = WorkerPool(
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    group="CID",
    threads=tuple(f"ConsumeMessageThread_CID_{number}" for number in range(1, 21)),
    idle=20,
    busy=(0, 0, 0, 0, 0),
)


def fires() -> Facts:
    """20 of 20 workers wait in the pool's queue."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(IDLE,)))


def silent() -> Facts:
    """Half of them are at work."""
    half = WorkerPool(
        role=IDLE.role, pool=IDLE.pool, group="CID", threads=IDLE.threads, idle=10, progressing=10
    )
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(half,)))


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each idle pool."""
    stacks = facts.stacks
    assert stacks is not None
    pulled = not nothing_is_pulled(stacks)
    for pool in stacks.pools:
        size = len(pool.threads)
        if (
            pool.role != "consume-worker"
            or pool.idle < limits["idle_share"] * size
            or pool.stuck
            or pool.blocked
        ):
            continue
        yield Draft(
            severity=Severity.INFO,
            cause="no-backlog-or-slow-pull",
            confidence=Confidence.HIGH if stacks.samples >= SURE_SAMPLES else Confidence.MEDIUM,
            confidence_reason=NOTHING
            if stacks.samples >= SURE_SAMPLES
            else say("there are a few samples only"),
            title=_title(pool) if pulled else _title_of_unpulled(pool),
            subject=pool_subject(pool),
            evidence={
                "threads": pool.threads,
                "pool_size": size,
                "idle": pool.idle,
                "samples": stacks.samples,
            },
            explanation=(
                say("They wait in the pool's queue (ThreadPoolExecutor.getTask), not in the listener."),
            ),
            remedy=RULE.remedy if pulled else (_CURE_PULLING,),
            weight=float(size),
        )


def _title(pool: WorkerPool) -> Text:
    if pool.idle == len(pool.threads):
        if pool.group:
            return say(
                "All {pool_size:count} consume threads of group {group} wait for messages: the listener keeps up"
            )
        return say("All {pool_size:count} consume threads wait for messages: the listener keeps up")
    if pool.group:
        return say(
            "{idle:count} of {pool_size:count} consume threads of group {group} wait for messages: the listener"
            " keeps up"
        )
    return say("{idle:count} of {pool_size:count} consume threads wait for messages: the listener keeps up")


def _title_of_unpulled(pool: WorkerPool) -> Text:
    """Whether the listener would keep up is not known then."""
    if pool.group:
        return say(
            "{idle:count} of {pool_size:count} consume threads of group {group} have nothing to do, as nothing is"
            " pulled"
        )
    return say("{idle:count} of {pool_size:count} consume threads have nothing to do, as nothing is pulled")

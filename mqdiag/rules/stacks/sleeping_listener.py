"""The listener sleeps."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Standstill, WorkerPool
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.stacks._standstill import LIMITS, draft, example, plain, verb, who

SLEEP = Standstill(
    kind="sleep",
    cause="sleep-in-listener",
    threads=("ConsumeMessageThread_CID_1",),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=1,
    group="CID",
    frame="com.acme.orders.OrderListener.backOff(OrderListener.java:40)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=("Take the sleep out of the listener.",),
)


def fires() -> Facts:
    """One worker in the same sleep in five samples."""
    return example(SLEEP)


def silent() -> Facts:
    """A pool whose threads are found sleeping now and then."""
    pool = WorkerPool(
        role="consume-worker",
        pool="ConsumeMessageThread_CID",
        group="CID",
        threads=("ConsumeMessageThread_CID_1",),
        progressing=1,
        busy=(1, 1, 1),
        sleeping_share=0.33,
    )
    return Facts(stacks=StacksFacts(samples=3, seconds=6.0, judged=True, pools=(pool,)))


@rule(
    name="sleeping-listener",
    title="The listener sleeps",
    why=(
        "Thread.sleep in a listener keeps a consume thread and its message for the time of the sleep. One long sleep"
        " holds the offset of its queue; short ones in each message set the pace of the group."
    ),
    causes=("sleep-in-listener",),
    severities=(Severity.WARNING,),
    remedy=(
        "Return RECONSUME_LATER, or SUSPEND_CURRENT_QUEUE_A_MOMENT when orderly, to try again later.",
        "Send a delayed message to wait for a time.",
    ),
    references=("org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus",),
    needs=("stacks",),
    limits={**LIMITS, "sleeping_share": 0.9},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for threads that stay in a sleep, or for a moving group that is found asleep in all looks."""
    stacks = facts.stacks
    assert stacks is not None
    named = set()
    for still in stacks.standstills:
        if still.kind == "sleep" and still.role == "consume-worker":
            named.add(still.pool)
            title = f"{who(still)} {verb(still, 'stays', 'stay')} in a sleep of the listener at {plain(still.frame)}"
            yield draft(still, limits, title=title, worst=Severity.WARNING)
    for pool in stacks.pools:
        if pool.role != "consume-worker" or pool.pool in named or not stacks.judged:
            continue
        if pool.sleeping_share < limits["sleeping_share"] or sum(pool.busy) < 2 * len(pool.threads):
            continue
        yield _moving(pool)


def _moving(pool: WorkerPool) -> Draft:
    group = f" of group {pool.group}" if pool.group else ""
    return Draft(
        severity=Severity.WARNING,
        cause="sleep-in-listener",
        confidence=Confidence.MEDIUM,
        confidence_reason="the threads move between sleeps, so it is a pace and not a standstill",
        title=(
            f"The consume threads{group} move, but sleep in the listener at {plain(pool.shared_frame)}"
            " in nearly all looks"
        ),
        subject=Subject(group=pool.group, thread=None if pool.group else pool.pool),
        evidence={
            "threads": pool.threads,
            "frame": pool.shared_frame,
            "samples": len(pool.busy),
            "sleeping_share": pool.sleeping_share,
        },
        explanation=(
            f"{pool.sleeping_share:.0%} of the looks at busy threads found them in Thread.sleep under the listener.",
            "If the offset does not move, the sleep is the back-off of a loop that tries the same message for ever:"
            " compare consumer offsets (mqadmin consumerProgress) over a minute.",
        ),
        remedy=check.card.remedy,
        weight=float(len(pool.threads)),
    )

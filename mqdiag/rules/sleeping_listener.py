"""The listener sleeps."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Standstill, WorkerPool
from mqdiag.findings import Severity
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.standstill import LIMITS, draft, example, short_frame, who
from mqdiag.text import say

RULE = Rule(
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
    limits=LIMITS,
)


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
    remedy=(say("Take the sleep out of the listener."),),
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
    )
    return Facts(stacks=StacksFacts(samples=3, seconds=6.0, judged=True, pools=(pool,)))


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the threads of a group that stay in a sleep; a moving group is slow-listener's business."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind == "sleep" and still.role == "consume-worker":
            title = say(
                "{who} {thread_count:stays|stay} in a sleep of the listener at {frame}",
                who=who(still),
                frame=short_frame(still.frame),
            )
            yield draft(still, limits, title=title, worst=Severity.WARNING)

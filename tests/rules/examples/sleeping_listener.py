from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Standstill
from mqdiag.facts.thread_pools import WorkerPool
from mqdiag.text import say
from tests.rules.examples.standstill import example

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

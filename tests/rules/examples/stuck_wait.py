from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.text import say
from tests.rules.examples.standstill import example

WAIT = Standstill(
    kind="wait",
    cause="missing-timeout",
    threads=("ConsumeMessageThread_CID_1",),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=20,
    group="CID",
    frame="com.acme.orders.OrderListener.await(OrderListener.java:31)",
    listener="com.acme.orders.OrderListener.consumeMessage(OrderListener.java:19)",
    wait="jdk.internal.misc.Unsafe.park",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=(say("Use Future.get(timeout, unit)."),),
)


def fires() -> Facts:
    """A worker in CompletableFuture.join in five samples."""
    return example(WAIT)


def silent() -> Facts:
    """A sleep is no wait for another thread."""
    return example(Standstill(kind="sleep", cause="sleep-in-listener", threads=WAIT.threads, role=WAIT.role))

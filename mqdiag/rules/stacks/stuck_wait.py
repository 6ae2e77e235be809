"""Threads wait for a future, latch, queue or lock of their own that does not come."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.stacks._standstill import LIMITS, draft, example, plain, verb, who
from mqdiag.text import say

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
    remedy=("Use Future.get(timeout, unit).",),
)


def fires() -> Facts:
    """A worker in CompletableFuture.join in five samples."""
    return example(WAIT)


def silent() -> Facts:
    """A sleep is no wait for another thread."""
    return example(Standstill(kind="sleep", cause="sleep-in-listener", threads=WAIT.threads, role=WAIT.role))


@rule(
    name="stuck-wait",
    title="Threads wait without a time limit for something that does not come",
    why=(
        "get(), join(), await() and take() without a time limit wait for ever when the other party died, was never"
        " started or waits itself. An idle worker waits too, but in its pool's queue and not below the listener."
    ),
    causes=("missing-timeout", "blocked-log-sink", "pool-starved"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Use the variant of the call that takes a time limit, and treat the time-out as a failure of the message.",
        "Look at the party that has to answer: often a pool in the same dump.",
    ),
    references=(
        "java.util.concurrent.Future.get(long, TimeUnit)",
        "ThreadPoolExecutor.getTask is the mark of an idle worker, in every JDK",
    ),
    needs=("stacks",),
    limits=LIMITS,
    explained_by=("stuck-socket-read", "deadlock", "connection-pool-exhausted", "stuck-wait:pool-starved"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each pool and cause."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind != "wait" or still.role == "client-callback":
            continue
        if still.cause == "blocked-log-sink":
            title = say(
                "{who} {verb} in writing a log line at {frame}",
                who=who(still),
                verb=verb(still, "hangs", "hang"),
                frame=plain(still.frame),
            )
        elif still.cause == "pool-starved":
            title = say(
                "{who} {verb} for tasks that no thread runs, at {frame}",
                who=who(still),
                verb=verb(still, "waits", "wait"),
                frame=plain(still.frame),
            )
        else:
            through = say(" of {library}", library=still.library) if still.library else ""
            title = say(
                "{who} {verb} for an answer{through} that does not come, at {frame}",
                who=who(still),
                verb=verb(still, "waits", "wait"),
                through=through,
                frame=plain(still.frame),
            )
        more: tuple[str, ...] = ()
        if still.holder_pool:
            more = (
                say(
                    "The answer has to come from the pool {holder_pool}: {holder} is in {holder_does}.",
                    holder_pool=still.holder_pool,
                    holder=still.holder,
                    holder_does=still.holder_does,
                ),
            )
        if still.cause == "pool-starved":
            more = (
                say(
                    "No thread of the dump runs the task of a future but those that wait for one themselves: what"
                    " they wait for stands in a queue of such a pool, where no thread is free."
                ),
            )
        yield draft(still, limits, title=title, more=more)

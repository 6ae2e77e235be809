"""Threads wait for a connection of a pool that has none left."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.standstill import LIMITS, draft, example, short_frame, who
from mqdiag.text import say

RULE = Rule(
    name="connection-pool-exhausted",
    title="Threads wait for a pooled connection that is not given back",
    why=(
        "The pool has fewer connections than there are consume threads, and the threads that have one do not give"
        " it back: they hang, or they lost it. A pool whose waiting threads change over the samples is no fault,"
        " even if many threads wait."
    ),
    causes=(
        "pool-too-small",
        "missing-http-timeout",
        "slow-database",
        "slow-redis",
        "slow-rpc",
        "slow-remote",
        "missing-timeout",
        "sleep-in-listener",
        "stuck-holder",
        "busy-loop",
        "blocked-log-sink",
    ),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Fix what the threads that have a connection wait for; give connections back in a finally block.",
        "Make the pool at least as large as consumeThreadMin, and bound the wait for a connection.",
    ),
    references=("brettwooldridge/HikariCP wiki: About Pool Sizing",),
    limits=LIMITS,
    in_chain=say("the connection pool runs dry"),
    explained_by=("stuck-socket-read", "stuck-wait", "deadlock", "lock-convoy"),
)


DRY = Standstill(
    kind="pool",
    cause="pool-too-small",
    library="HikariCP",
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=20,
    group="CID",
    frame="com.acme.orders.OrderDao.insert(OrderDao.java:22)",
    listener="com.acme.orders.OrderListener.consumeMessage(OrderListener.java:19)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=(say("Set maximumPoolSize."),),
)


def fires() -> Facts:
    """Two workers wait in HikariPool.getConnection in five samples."""
    return example(DRY)


def silent() -> Facts:
    """The holders of the connections are another rule's business."""
    return example(Standstill(kind="socket-read", cause="slow-database", threads=DRY.threads, role=DRY.role))


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind != "pool":
            continue
        more = say(
            "No thread of the dump is using a connection of the pool: the connections may be lost (leaked)."
        )
        if still.holder:
            more = say("{holder} has a connection and is in {holder_does}.")
        yield draft(
            still,
            limits,
            title=say(
                "{who} {thread_count:waits|wait} for a connection of {library} at {frame}",
                who=who(still),
                library=still.library,
                frame=short_frame(still.frame),
            ),
            more=(more,),
        )

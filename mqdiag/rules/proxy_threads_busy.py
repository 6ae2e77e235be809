"""All threads of a proxy that run one kind of request are busy, and many requests wait for them."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.servers import ProxyPool
from mqdiag.findings import Confidence, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_proxy import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say

RULE = Rule(
    name="proxy-threads-busy",
    title="All threads of a proxy that run one kind of request are busy, and many requests wait",
    why=(
        "A proxy has a pool of threads for each kind of request. In local mode they write to the store of the broker"
        " themselves. When they wait for a lock or a disk, the requests of all clients wait in the queue of the pool,"
        " and clients give up after their own time-outs. A burst of requests looks the same for a moment, so it is a"
        " warning only where each thread is in a wait."
    ),
    causes=("all-threads-busy",),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Take five thread dumps of the proxy, some seconds apart, and give them to `mqdiag stacks`: they show whether"
        " the threads move, and who holds the lock that they wait for.",
        "In local mode look at the disk and the store of the broker in this process.",
        "If the threads move, give the pool more of them: grpcProducerThreadPoolNums, grpcConsumerThreadPoolNums and"
        " the like in rmq-proxy.json.",
    ),
    references=("GrpcMessagingApplication", "ProxyConfig.grpcProducerThreadPoolNums"),
    limits={"waiting_per_thread": 50},
    in_chain=say("all threads of the proxy for one kind of request are busy"),
)


def _facts(waiting: int) -> Facts:
    pool = ProxyPool(
        name="GrpcProducerThreadPool",
        threads=2,
        active=2,
        in_wait=2,
        waiting=waiting,
        frames=("org.apache.rocketmq.store.PutMessageReentrantLock.lock(PutMessageReentrantLock.java:29)",),
    )
    return example(pools=(pool,))


def fires() -> Facts:
    """Two threads, and 222 requests wait for them."""
    return _facts(222)


def silent() -> Facts:
    """Two threads, and 12 requests that came at once."""
    return _facts(12)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool."""
    assert facts.heap is not None
    for pool in () if facts.heap.proxy is None else facts.heap.proxy.pools:
        limit = limits["waiting_per_thread"] * pool.threads
        if pool.active >= pool.threads and pool.waiting >= limit:
            yield _draft(pool)
        else:
            yield Margin(
                rule="",
                label=say("requests that wait for threads of {name}", name=pool.name)
                if pool.name
                else say("requests that wait for a pool of the proxy"),
                value=pool.waiting,
                limit=limit,
                kind="count",
            )


def _draft(pool: ProxyPool) -> Draft:
    all_wait = pool.in_wait >= pool.threads
    return Draft(
        severity=Severity.WARNING if all_wait else Severity.INFO,
        undecides=not all_wait,
        cause="all-threads-busy",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump does not tell whether the threads move"),
        title=say(
            "{waiting:count} requests wait in the proxy for {pool}; its {threads:count} {threads:thread is|threads are}"
            " busy"
        )
        if pool.name
        else say(
            "{waiting:count} requests wait in the proxy for {threads:count} {threads:thread, which is|threads, which"
            " are} busy"
        ),
        evidence={
            "pool": pool.name,
            "threads": pool.threads,
            "active": pool.active,
            "in_wait": pool.in_wait,
            "waiting": pool.waiting,
            "frames": pool.frames,
        },
        explanation=tuple(_explained(pool)),
        remedy=RULE.remedy,
    )


def _explained(pool: ProxyPool) -> Iterator[Text]:
    yield say(
        "{in_wait:count} of {threads:count} {threads:thread|threads} {in_wait:waits|wait} for a lock or an event."
    )
    if pool.frames:
        yield say("The threads are at {frames}.")

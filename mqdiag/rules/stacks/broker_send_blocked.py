"""The broker's send threads stand before the commit log."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.stacks._standstill import LIMITS, draft, example, verb, who

SENDS = Standstill(
    kind="broker-put",
    cause="page-cache-busy",
    threads=("SendMessageThread_1", "SendMessageThread_2"),
    role="broker-send",
    pool="SendMessageThread",
    pool_size=2,
    wait="jdk.internal.misc.Unsafe.park",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.1,
    confidence="high",
    remedy=("Look at PAGECACHERT in store.log.",),
)


def fires() -> Facts:
    """Both send threads wait for the put lock in five samples."""
    return example(SENDS)


def silent() -> Facts:
    """One of ten waits: the others write."""
    return example(
        Standstill(
            kind="broker-put",
            cause="slow-disk",
            threads=("SendMessageThread_1",),
            role="broker-send",
            pool_size=10,
        )
    )


@rule(
    name="broker-send-blocked",
    title="The broker's send threads do not get to write",
    why=(
        "SendMessageThread_ threads append to the commit log one after the other under one lock, then wait for the"
        " flush and the slave if so configured. Threads that stand there in all samples mean that the page cache, the"
        " disk or the slave is slow; senders see time-outs and busy errors."
    ),
    causes=("page-cache-busy", "slow-slave", "slow-disk"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Look at PAGECACHERT in store.log, at iostat -x 1 and at the slave.",
        "Longer time-outs and a larger send queue only hide it.",
    ),
    references=(
        "BrokerFastFailure, [PC_SYNCHRONIZED] and [PCBUSY_CLEAN_QUEUE]: busy errors of the same origin",
        "org.apache.rocketmq.store.CommitLog.putMessage",
    ),
    needs=("stacks",),
    limits={**LIMITS, "blocked_share": 0.5},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for the broker."""
    stacks = facts.stacks
    assert stacks is not None
    places = {
        "page-cache-busy": "before the write to the commit log",
        "slow-slave": "in the wait for the slave",
        "slow-disk": "in the wait for the flush to disk",
    }
    for still in stacks.standstills:
        if still.kind != "broker-put" or len(still.threads) < limits["blocked_share"] * still.pool_size:
            continue
        more = (f"The lock is held by {still.holder}, in {still.holder_does}.",) if still.holder else ()
        yield draft(
            still,
            limits,
            title=(
                f"{who(still)} {verb(still, 'stands', 'stand')} {places.get(still.cause, 'in the send path')}"
                " in all samples"
            ),
            more=more,
        )

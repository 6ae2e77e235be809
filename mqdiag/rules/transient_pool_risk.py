"""Messages that only off-heap buffers hold."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import CommitLogFacts, TransientStorePoolFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.brokers import brokers_of_heap, called, subject
from mqdiag.rules.shared.example_broker import example
from mqdiag.text import say

RULE = Rule(
    name="transient-pool-risk",
    title="Messages that senders take for stored are in off-heap buffers only",
    why=(
        "With the transient store pool in force, the broker answers a send when its message is in an off-heap buffer."
        " Until the message is committed, every 200 ms or 4 pages, it is lost if the JVM dies. Without the pool it"
        " would be in the page cache and survive that."
    ),
    causes=("transient-store-pool",),
    severities=(Severity.INFO,),
    remedy=(
        "Keep the pool only where the messages of a fraction of a second may be lost, or senders can send them again.",
        "Stop the broker with mqshutdown, never with kill -9: a regular stop commits and flushes.",
    ),
    references=(
        "article 001: system busy and broker busy",
        "TransientStorePool, CommitLog$CommitRealTimeService",
    ),
    lies_at="broker",
)


def _facts(uncommitted: int) -> Facts:
    return example(
        transient_store_pool=TransientStorePoolFacts(
            enabled=True, pool_size=5, available_buffers=3, in_force=True, buffers_in_use=2
        ),
        commit_log=CommitLogFacts(files=1, uncommitted_bytes=uncommitted, unflushed_bytes=0),
    )


def fires() -> Facts:
    """Three MiB are not committed."""
    return _facts(3 << 20)


def silent() -> Facts:
    """All is in the page cache."""
    return _facts(0)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker with bytes that are not committed."""
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        pool, log = broker.transient_store_pool, broker.commit_log
        if pool is None or not pool.in_force or log is None or not log.uncommitted_bytes:
            continue
        yield Draft(
            severity=Severity.INFO,
            cause="transient-store-pool",
            confidence=Confidence.HIGH,
            title=say(
                "{uncommitted_bytes:bytes} of messages of {called} are in off-heap buffers only",
                called=called(broker.name),
            ),
            subject=subject(broker),
            evidence={
                "uncommitted_bytes": log.uncommitted_bytes,
                "unflushed_bytes": log.unflushed_bytes,
                "buffers_in_use": pool.buffers_in_use,
            },
            explanation=(
                say(
                    "{uncommitted_bytes:count} bytes of the commit log are written but not committed to the page"
                    " cache. They are lost if the JVM dies."
                ),
            ),
            remedy=RULE.remedy,
        )

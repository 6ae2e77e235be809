"""The broker has no off-heap buffer left to write to."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import TransientStorePoolFacts
from mqdiag.findings import Severity
from mqdiag.rules.broker._example import example
from mqdiag.rules.broker._remedies import POOL_EMPTY, POOL_NOT_FILLED
from mqdiag.rules.broker._transient_pool_exhausted_heap import in_heap
from mqdiag.rules.broker._transient_pool_exhausted_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule


def _pool(available: int) -> TransientStorePoolFacts:
    return TransientStorePoolFacts(
        enabled=True, pool_size=5, available_buffers=available, in_force=True, buffers_in_use=5 - available
    )


def fires() -> Facts:
    """All five buffers are in use."""
    return example(transient_store_pool=_pool(0))


def silent() -> Facts:
    """One is free."""
    return example(transient_store_pool=_pool(1))


@rule(
    name="transient-pool-exhausted",
    title="The broker refuses messages because its transient store pool has no buffer",
    why=(
        "With transientStorePoolEnable an ASYNC_FLUSH master writes to off-heap buffers first, one for each commit log"
        " file, and gives them back when they are committed to the page cache. While none is free, every send is"
        " refused with [REJECTREQUEST]system busy."
    ),
    causes=("commit-too-slow", "pool-not-initialised"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(*POOL_EMPTY, *POOL_NOT_FILLED),
    references=(
        "article 001: system busy and broker busy",
        "https://github.com/apache/rocketmq/issues/2439",
        "https://github.com/apache/rocketmq/issues/7610",
        "SendMessageProcessor.rejectRequest, TransientStorePool.availableBuffers",
    ),
    any_of=("heap", "logs"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker of a heap, one for all logs."""
    yield from in_heap(facts)
    yield from in_logs(facts)

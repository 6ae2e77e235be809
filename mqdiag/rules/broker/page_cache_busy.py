"""The broker cannot write to the page cache in time."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import PutLock
from mqdiag.findings import Severity
from mqdiag.rules.broker._example import example
from mqdiag.rules.broker._page_cache_busy_admin import in_admin
from mqdiag.rules.broker._page_cache_busy_heap import in_heap
from mqdiag.rules.broker._page_cache_busy_logs import in_logs
from mqdiag.rules.broker._remedies import BUSY
from mqdiag.rules.registry import Draft, Limits, Skip, rule

HOLDER = PutLock(
    kind="reentrant",
    held=True,
    holder="SendMessageThread_1",
    holder_frames=("org.apache.rocketmq.store.MappedFile.appendMessagesInner(MappedFile.java:208)",),
    writers=("SendMessageThread_1",),
)


def fires() -> Facts:
    """A thread has been appending for three seconds."""
    return example(page_cache_lock_ms=3000, put_lock=HOLDER)


def silent() -> Facts:
    """It has been for a tenth of a second."""
    return example(page_cache_lock_ms=100, put_lock=HOLDER)


@rule(
    name="page-cache-busy",
    title="The broker refuses messages because its page cache is busy",
    why=(
        "Messages are appended to the commit log one at a time under a lock. When one append takes longer than"
        " osPageCacheBusyTimeOutMills (one second), the broker takes the page cache for busy and refuses all sends"
        " until it is done: senders see system busy and broker busy, and try other brokers."
    ),
    causes=("page-cache-busy",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=BUSY,
    references=(
        "article 001: system busy and broker busy",
        "DefaultMessageStore.isOSPageCacheBusy, CommitLog.beginTimeInLock, BrokerFastFailure",
    ),
    any_of=("heap", "logs", "admin"),
    explained_by=("transient-pool-exhausted", "slow-writes", "broker-send-blocked"),
    limits={"slow_ms": 500},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker of a heap or of brokerStatus, one for all logs."""
    yield from in_heap(facts, limits)
    yield from in_logs(facts)
    yield from in_admin(facts, limits)

"""page-cache-busy from the broker's heap: a thread holds the commit log's lock for longer than the limit."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._brokers import brokers, called, setting, subject
from mqdiag.rules.broker._remedies import busy
from mqdiag.rules.registry import Draft, Skip
from mqdiag.rules.wording import duration

DEFAULT_LIMIT_MS = 1000
FORGIVEN_MS = 10_000_000
"""DefaultMessageStore.isOSPageCacheBusy takes a lock held for longer for a mistake"""


def in_heap(facts: Facts) -> Iterator[Draft | Skip]:
    """One finding for each broker."""
    for broker in brokers(facts):
        if isinstance(broker, Skip):
            yield broker
        elif is_over_limit(broker) and _somebody_appends(broker):
            yield _draft(broker)


def limit_ms(broker: BrokerFacts) -> int:
    """The setting osPageCacheBusyTimeOutMills in force."""
    limit = setting(broker, "osPageCacheBusyTimeOutMills")
    return DEFAULT_LIMIT_MS if limit is None else limit


def is_over_limit(broker: BrokerFacts) -> bool:
    """True when the broker takes its page cache for busy."""
    age = broker.page_cache_lock_ms
    return age is not None and limit_ms(broker) < age < FORGIVEN_MS


def _somebody_appends(broker: BrokerFacts) -> bool:
    lock = broker.put_lock
    return lock is not None and (bool(lock.held) or bool(lock.writers))


def _draft(broker: BrokerFacts) -> Draft:
    lock, age = broker.put_lock, broker.page_cache_lock_ms
    assert lock is not None
    assert age is not None
    holder = lock.holder or next(iter(lock.writers), None)
    limit, queue = limit_ms(broker), broker.send_queue
    frame = lock.holder_frames[0] if lock.holder_frames else None
    said = [
        f"A message has been on its way into the commit log for {duration(age)}; beyond"
        f" osPageCacheBusyTimeOutMills={limit:,} every send is refused with [REJECTREQUEST], [PC_SYNCHRONIZED] or"
        " [PCBUSY_CLEAN_QUEUE]."
    ]
    if holder is not None:
        said.append(f"Thread {holder} appends it" + (f", in {frame}." if frame else "."))
    if queue is not None and queue.size is not None:
        said.append(f"{queue.size:,} more sends wait in the queue.")
    return Draft(
        severity=Severity.ERROR,
        cause="page-cache-busy",
        confidence=Confidence.MEDIUM,
        confidence_reason="one dump: a stop of the JVM, such as the collection before a dump, counts in the time",
        title=f"The page cache of {called(broker)} is busy: one append takes {duration(age)} so far",
        subject=subject(broker),
        evidence={
            "page_cache_lock_ms": age,
            "osPageCacheBusyTimeOutMills": limit,
            "thread": holder,
            "frame": frame,
            "send_queue_size": None if queue is None else queue.size,
        },
        explanation=tuple(said),
        remedy=busy(broker),
        weight=1.0,
    )

"""page-cache-busy from the broker's heap: a thread holds the commit log's lock for longer than the limit."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._brokers import brokers, called, setting, subject
from mqdiag.rules.broker._remedies import busy
from mqdiag.rules.registry import Draft, Limits, Skip
from mqdiag.text import say

DEFAULT_LIMIT_MS = 1000
NEW_FILE = "AllocateMappedFileService.putRequestAndReturnMappedFile("
"""the frame in which an append waits for the next commit log file"""
FORGIVEN_MS = 10_000_000
"""DefaultMessageStore.isOSPageCacheBusy takes a lock held for longer for a mistake"""


def in_heap(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker."""
    for broker in brokers(facts):
        if isinstance(broker, Skip):
            yield broker
        elif is_busy(broker):
            yield _busy(broker)
        elif _waits_for_file(broker, limits):
            yield _slow(broker)


def limit_ms(broker: BrokerFacts) -> int:
    """The setting osPageCacheBusyTimeOutMills in force."""
    limit = setting(broker, "osPageCacheBusyTimeOutMills")
    return DEFAULT_LIMIT_MS if limit is None else limit


def refuses(broker: BrokerFacts) -> bool:
    """True when the broker takes its page cache for busy."""
    age = broker.page_cache_lock_ms
    return age is not None and limit_ms(broker) < age < FORGIVEN_MS


def is_busy(broker: BrokerFacts) -> bool:
    """The same for an append that somebody is in, and by the default limit where a higher one hides it."""
    age = broker.page_cache_lock_ms
    limit = min(limit_ms(broker), DEFAULT_LIMIT_MS)
    return age is not None and limit < age < FORGIVEN_MS and _somebody_appends(broker)


def _somebody_appends(broker: BrokerFacts) -> bool:
    lock = broker.put_lock
    return lock is not None and (bool(lock.held) or bool(lock.writers))


def _waits_for_file(broker: BrokerFacts, limits: Limits) -> bool:
    """Below the broker's limit, but a thread is seen to wait for the disk: no stop of the JVM looks like that."""
    age, lock = broker.page_cache_lock_ms, broker.put_lock
    if age is None or lock is None or not limits["slow_ms"] < age < FORGIVEN_MS:
        return False
    return bool(lock.held) and any(NEW_FILE in frame for frame in lock.holder_frames)


def _busy(broker: BrokerFacts) -> Draft:
    limit, age = limit_ms(broker), broker.page_cache_lock_ms
    assert age is not None
    return Draft(
        severity=Severity.ERROR,
        cause="page-cache-busy",
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "one dump: a stop of the JVM, such as the collection before a dump, counts in the time"
        ),
        title=say(
            "The page cache of {called} is busy: one append takes {age:ms} so far",
            called=called(broker),
            age=age,
        ),
        subject=subject(broker),
        evidence=_evidence(broker),
        explanation=(
            say(
                "A message has been on its way into the commit log for {age:ms}. {effect}",
                age=age,
                effect=_effect(limit),
            ),
            *_said(broker),
        ),
        remedy=busy(broker),
        weight=1.0,
    )


def _effect(limit: int) -> str:
    if limit > DEFAULT_LIMIT_MS:
        return say(
            (
                "By the default of {default_limit_ms:count} ms the page cache is busy;"
                " osPageCacheBusyTimeOutMills={limit:count} makes senders wait instead of going to another"
                " broker."
            ),
            default_limit_ms=DEFAULT_LIMIT_MS,
            limit=limit,
        )
    return say(
        (
            "Beyond osPageCacheBusyTimeOutMills={limit:count} every send is refused with"
            " [REJECTREQUEST], [PC_SYNCHRONIZED] or [PCBUSY_CLEAN_QUEUE]."
        ),
        limit=limit,
    )


def _slow(broker: BrokerFacts) -> Draft:
    age = broker.page_cache_lock_ms
    assert age is not None
    return Draft(
        severity=Severity.WARNING,
        cause="page-cache-busy",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump, and the broker's own limit is not reached at this moment"),
        title=say(
            "An append of {called} has waited for {age:ms} for the next commit log file",
            called=called(broker),
            age=age,
        ),
        subject=subject(broker),
        evidence=_evidence(broker),
        explanation=(
            say(
                (
                    "The file system has not made the file in {age:ms}; at"
                    " osPageCacheBusyTimeOutMills={limit_ms:count} the broker begins to refuse all sends."
                ),
                age=age,
                limit_ms=limit_ms(broker),
            ),
            *_said(broker),
        ),
        remedy=busy(broker),
        weight=0.5,
    )


def _evidence(broker: BrokerFacts) -> dict[str, int | str | None]:
    lock, queue = broker.put_lock, broker.send_queue
    frames = lock.holder_frames if lock is not None else ()
    return {
        "page_cache_lock_ms": broker.page_cache_lock_ms,
        "osPageCacheBusyTimeOutMills": limit_ms(broker),
        "thread": _appending(broker),
        "frame": _step(frames),
        "send_queue_size": None if queue is None else queue.size,
    }


def _appending(broker: BrokerFacts) -> str | None:
    lock = broker.put_lock
    if lock is None:
        return None
    return lock.holder or next(iter(lock.writers), None)


def _step(frames: tuple[str, ...]) -> str | None:
    """The broker's own frame nearest to the wait."""
    return next((frame for frame in frames if ".store." in frame), next(iter(frames), None))


def _said(broker: BrokerFacts) -> Iterator[str]:
    thread, lock, queue = _appending(broker), broker.put_lock, broker.send_queue
    if thread is not None:
        frame = _step(lock.holder_frames) if lock is not None else None
        yield say("Thread {thread} appends it", thread=thread) + (
            say(", in {frame}.", frame=frame) if frame else "."
        )
    if queue is not None and queue.size:
        yield say("{size:count} more sends wait in the queue.", size=queue.size)

"""The commit log's lock time is set although nobody holds the lock."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts, PutLock
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.brokers import brokers_of_heap, subject
from mqdiag.rules.shared.example_broker import example
from mqdiag.rules.shared.page_cache import FORGIVEN_MS, limit_ms, refuses
from mqdiag.text import say, sentences

AFFECTED = say(
    "An exception while a message is written leaves the time set in 3.5.8 to 4.9.2 and in 5.0.0 to 5.3.3; 4.9.3 to"
    " 4.9.8 reset it in any case."
)

RULE = Rule(
    name="stuck-lock-time",
    title="The broker refuses all messages for a lock that nobody holds",
    why=(
        "The broker decides by CommitLog.beginTimeInLock whether its page cache is busy. An exception can end a write"
        " before this time is reset. The broker then takes itself for busy and refuses all sends for 10,000 seconds,"
        " although its disk and memory are idle."
    ),
    causes=("broker-bug",),
    severities=(Severity.ERROR,),
    remedy=(
        "Restart the broker; otherwise it refuses all sends until 10,000 seconds after the exception.",
        "Find the exception of a SendMessageThread_ in broker.log and store.log of that time, and fix its cause.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/285",
        "DefaultMessageStore.isOSPageCacheBusy, CommitLog.beginTimeInLock",
    ),
    lies_at="broker",
    proven_on="a real broker 4.9.7 whose lock time was set by hand while nobody held the lock, and values set by hand",
)


def fires() -> Facts:
    """A time of a minute, and a free lock."""
    return example(page_cache_lock_ms=60_000)


def silent() -> Facts:
    """A minute, and a thread that writes."""
    return example(
        page_cache_lock_ms=60_000,
        put_lock=PutLock(held=True, holder="SendMessageThread_1"),
    )


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker."""
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        lock, age = broker.put_lock, broker.page_cache_lock_ms
        free = lock is not None and lock.held is False and not lock.writers
        if age is not None and free and refuses(broker):
            yield _draft(broker, age)


def _draft(broker: BrokerFacts, age_ms: int) -> Draft:
    return Draft(
        severity=Severity.ERROR,
        cause="broker-bug",
        confidence=Confidence.HIGH,
        title=say("Broker {broker} refuses all sends: its lock time is stuck for {page_cache_lock_ms:ms}")
        if broker.name
        else say("The broker refuses all sends: its lock time is stuck for {page_cache_lock_ms:ms}"),
        subject=subject(broker),
        evidence={
            "page_cache_lock_ms": age_ms,
            "osPageCacheBusyTimeOutMills": limit_ms(broker),
            "lock_held": False,
            "rejects_for_ms": FORGIVEN_MS - age_ms,
            "broker_version": broker.version,
        },
        explanation=(
            say(
                "CommitLog.beginTimeInLock is {page_cache_lock_ms:ms} old, but the put lock is free and no thread is"
                " writing a message."
            ),
            sentences(
                say("This broker is {broker_version}.")
                if broker.version
                else say("The broker's version is unknown."),
                AFFECTED,
            ),
        ),
        remedy=(
            say("Restart the broker; otherwise it refuses all sends for another {rejects_for_ms:ms}."),
            *RULE.remedy[1:],
        ),
        weight=1.0,
    )

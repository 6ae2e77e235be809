"""The commit log notes that it is locked, and nobody holds the lock."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts, PutLock
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._brokers import brokers, called, subject
from mqdiag.rules.broker._example import example
from mqdiag.rules.broker._page_cache_busy_heap import FORGIVEN_MS, limit_ms, refuses
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say

AFFECTED = say(
    "After an exception in the put path the time stays set in 3.5.8 to 4.9.2 and in 5.0.0"
    " to 5.3.3; 4.9.3 to 4.9.8 reset it in any case."
)


def fires() -> Facts:
    """A minute on the clock and a free lock."""
    return example(page_cache_lock_ms=60_000)


def silent() -> Facts:
    """A minute, and a thread that appends."""
    return example(
        page_cache_lock_ms=60_000,
        put_lock=PutLock(kind="reentrant", held=True, holder="SendMessageThread_1"),
    )


@rule(
    name="stuck-lock-time",
    title="The broker refuses all messages for a lock that nobody holds",
    why=(
        "The broker tells from CommitLog.beginTimeInLock whether its page cache is busy. When an exception leaves the"
        " put path before that time is reset, the broker takes itself for busy and refuses all sends until 10,000"
        " seconds have passed, though its disk and memory are idle."
    ),
    causes=("broker-bug",),
    severities=(Severity.ERROR,),
    remedy=(
        "Restart the broker; without that it refuses all sends until 10,000 seconds have passed since the exception.",
        "Look for the exception of a SendMessageThread_ in broker.log and store.log at the time named, and cure it.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/285",
        "DefaultMessageStore.isOSPageCacheBusy, CommitLog.beginTimeInLock",
    ),
    needs=("heap",),
    proven_on="a real broker 4.9.7 whose lock time was set by hand while nobody held the lock, and values set by hand",
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker."""
    for broker in brokers(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        lock = broker.put_lock
        if not refuses(broker) or lock is None or lock.held is not False or lock.writers:
            continue
        yield _draft(broker)


def _draft(broker: BrokerFacts) -> Draft:
    age = broker.page_cache_lock_ms
    assert age is not None
    version = (
        say("This broker is {version}.", version=broker.version)
        if broker.version
        else say("The broker's version is unknown.")
    )
    return Draft(
        severity=Severity.ERROR,
        cause="broker-bug",
        confidence=Confidence.HIGH,
        title=say(
            "{called} refuses all sends: its lock time is stuck for {age:ms}",
            called=called(broker, begins=True),
            age=age,
        ),
        subject=subject(broker),
        evidence={
            "page_cache_lock_ms": age,
            "osPageCacheBusyTimeOutMills": limit_ms(broker),
            "lock_held": False,
            "rejects_for_ms": FORGIVEN_MS - age,
            "broker_version": broker.version,
        },
        explanation=(
            say(
                (
                    "CommitLog.beginTimeInLock is {age:ms} old, but the put lock is free and no thread is in"
                    " the put path."
                ),
                age=age,
            ),
            f"{version} {AFFECTED}",
        ),
        remedy=(
            say(
                "Restart the broker; without that it refuses all sends for another {forgiven_ms:ms}.",
                forgiven_ms=FORGIVEN_MS - age,
            ),
            *check.card.remedy[1:],
        ),
        weight=1.0,
    )

"""send-queue-timeout from the broker's heap: how long the oldest send has waited, and what may hold it up."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._brokers import brokers, called, setting, subject
from mqdiag.rules.broker._page_cache_busy_heap import is_busy
from mqdiag.rules.broker._remedies import SEND_THREADS, TIMEOUTS, busy
from mqdiag.rules.registry import Draft, Limits, Skip
from mqdiag.text import say

DEFAULT_WAIT_MS = 200


def in_heap(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker whose oldest send waits too long."""
    for broker in brokers(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        queue = broker.send_queue
        if queue is None or not queue.size or queue.head_wait_ms is None:
            continue
        # The full collection before a dump makes every request in the queue look old; a queue does not fill in it,
        # as nothing is read from the connections meanwhile.
        real = queue.size >= limits["requests"] or queue.head_wait_ms >= limits["wait_ms"]
        if real and queue.head_wait_ms > _allowed(broker):
            yield _draft(broker, queue.size, queue.head_wait_ms, limits)


def _allowed(broker: BrokerFacts) -> int:
    allowed = setting(broker, "waitTimeMillsInSendQueue")
    return DEFAULT_WAIT_MS if allowed is None else allowed


def _draft(broker: BrokerFacts, size: int, waits: int, limits: Limits) -> Draft:
    cause, why = _cause(broker)
    allowed = _allowed(broker)
    fast = broker.config.get("brokerFastFailureEnable")
    outcome = (
        say("with brokerFastFailureEnable off they wait until their senders give up")
        if fast is False
        else say(
            ("beyond waitTimeMillsInSendQueue={allowed:count} ms senders get [TIMEOUT_CLEAN_QUEUE]broker busy"),
            allowed=allowed,
        )
    )
    return Draft(
        severity=Severity.ERROR if waits >= limits["wait_ms"] else Severity.WARNING,
        cause=cause,
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "one dump: a stop of the JVM, such as the collection before a dump, counts in the wait"
        ),
        title=say(
            "Sends wait for {waits:ms} before a thread of {called} takes them",
            waits=waits,
            called=called(broker),
        ),
        subject=subject(broker),
        evidence={
            "head_wait_ms": waits,
            "waitTimeMillsInSendQueue": allowed,
            "size": size,
            "sendMessageThreadPoolNums": setting(broker, "sendMessageThreadPoolNums"),
            "brokerFastFailureEnable": fast if isinstance(fast, bool) else None,
            "flush": broker.flush,
            "role": broker.role,
        },
        explanation=(
            say(
                "{sends} wait, the oldest for {waits:ms}; {outcome}.",
                sends=say("{number:count} {number:send|sends}", number=size),
                waits=waits,
                outcome=outcome,
            ),
            why,
        ),
        remedy=busy(broker) if cause == "page-cache-busy" else TIMEOUTS,
        weight=0.9,
    )


def _cause(broker: BrokerFacts) -> tuple[str, str]:
    if is_busy(broker):
        return (
            "page-cache-busy",
            say("The page cache is busy: an append goes on for more than a second."),
        )
    if broker.flush == "SYNC_FLUSH":
        return "sync-flush", say(
            "With SYNC_FLUSH each send waits for the disk; an append itself is not slow now."
        )
    if broker.role == "SYNC_MASTER":
        return "sync-slave", say("A SYNC_MASTER waits for its slave; an append itself is not slow now.")
    if setting(broker, "sendMessageThreadPoolNums") == 1:
        return "one-send-thread", say("One thread serves all sends. {send_threads}", send_threads=SEND_THREADS)
    return (
        "slow-sends",
        say("No append is slow now: a stop of the JVM, few send threads or a busy CPU make sends wait too."),
    )

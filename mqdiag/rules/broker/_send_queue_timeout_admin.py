"""send-queue-timeout from brokerStatus: for how long the oldest send has waited."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._counters import ONE_MOMENT, counters
from mqdiag.rules.broker._remedies import TIMEOUTS
from mqdiag.rules.broker._send_queue_timeout_heap import DEFAULT_WAIT_MS
from mqdiag.rules.registry import Draft, Limits
from mqdiag.text import say


def in_admin(facts: Facts, limits: Limits) -> Iterator[Draft]:
    """One finding for each broker whose oldest send waits beyond the limit."""
    for broker in counters(facts):
        waits = broker.number("sendThreadPoolQueueHeadWaitTimeMills")
        size = broker.number("sendThreadPoolQueueSize")
        if waits is None or not size or waits <= DEFAULT_WAIT_MS:
            continue
        yield Draft(
            severity=Severity.WARNING,
            cause="slow-sends",
            confidence=Confidence.MEDIUM,
            confidence_reason=str(ONE_MOMENT),
            title=say(
                "The oldest of {size:count} sends has waited for {waits:ms} in the queue of {broker}",
                size=size,
                waits=waits,
                broker=broker.called,
            ),
            subject=broker.subject,
            when=broker.when,
            evidence={"size": size, "head_wait_ms": waits, "allowed_ms": DEFAULT_WAIT_MS},
            explanation=(
                say(
                    (
                        "brokerStatus: sendThreadPoolQueueHeadWaitTimeMills {waits:count}; beyond"
                        " waitTimeMillsInSendQueue, by default {allowed:count} ms, senders get"
                        " [TIMEOUT_CLEAN_QUEUE]broker busy."
                    ),
                    waits=waits,
                    allowed=DEFAULT_WAIT_MS,
                ),
            ),
            remedy=TIMEOUTS,
        )

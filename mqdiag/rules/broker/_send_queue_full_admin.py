"""send-queue-full from brokerStatus: the queue before the send threads against its capacity."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._counters import ONE_MOMENT, counters
from mqdiag.rules.broker._remedies import BUSY
from mqdiag.rules.registry import Draft, Limits
from mqdiag.text import say


def in_admin(facts: Facts, limits: Limits) -> Iterator[Draft]:
    """One finding for each broker whose queue is full or nearly so."""
    for broker in counters(facts):
        size = broker.number("sendThreadPoolQueueSize")
        capacity = broker.number("sendThreadPoolQueueCapacity")
        if size is None or not capacity or size / capacity < limits["share"]:
            continue
        yield Draft(
            severity=Severity.ERROR if size >= capacity else Severity.WARNING,
            cause="overload",
            confidence=Confidence.MEDIUM,
            confidence_reason=str(ONE_MOMENT),
            title=say(
                "The send queue of {broker} is {share:percent} full",
                broker=broker.called,
                share=size / capacity,
            ),
            subject=broker.subject,
            when=broker.when,
            evidence={
                "size": size,
                "capacity": capacity,
                "share": round(size / capacity, 4),
                "head_wait_ms": broker.number("sendThreadPoolQueueHeadWaitTimeMills"),
            },
            explanation=(
                say(
                    (
                        "brokerStatus: {size:count} sends wait in sendThreadPoolQueue, which takes"
                        " {capacity:count}; beyond that senders get [OVERLOAD]system busy."
                    ),
                    size=size,
                    capacity=capacity,
                ),
            ),
            remedy=BUSY,
            weight=size / capacity,
        )

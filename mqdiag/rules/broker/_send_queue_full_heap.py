"""send-queue-full from the broker's heap: the queue before the send threads against its capacity."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._brokers import brokers, called, subject
from mqdiag.rules.broker._remedies import busy
from mqdiag.rules.registry import Draft, Limits, Skip
from mqdiag.text import say


def in_heap(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker whose queue is full or nearly so."""
    for broker in brokers(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        queue = broker.send_queue
        if queue is None or queue.size is None or not queue.capacity:
            continue
        share = queue.size / queue.capacity
        if share < limits["share"]:
            continue
        full = queue.size >= queue.capacity
        waits = (
            ""
            if queue.head_wait_ms is None
            else say(" The oldest waits for {head_wait_ms:ms}.", head_wait_ms=queue.head_wait_ms)
        )
        end = say("is full") if full else say("is {share:percent} full", share=share)
        yield Draft(
            severity=Severity.ERROR if full else Severity.WARNING,
            cause="overload",
            confidence=Confidence.HIGH,
            title=say("The send queue of {called} {end}", called=called(broker), end=end),
            subject=subject(broker),
            evidence={
                "size": queue.size,
                "capacity": queue.capacity,
                "share": round(share, 4),
                "head_wait_ms": queue.head_wait_ms,
            },
            explanation=(
                say(
                    (
                        "{size:count} sends wait in sendThreadPoolQueue, which takes {capacity:count}; beyond that"
                        " senders get [OVERLOAD]system busy.{waits}"
                    ),
                    size=queue.size,
                    capacity=queue.capacity,
                    waits=waits,
                ),
            ),
            remedy=busy(broker),
            weight=share,
        )

"""The application does not poll a lite pull consumer."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import running

RULE = Rule("lite-pull-cache")


@RULE.ages
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each lite pull consumer; poll() marks the time at the queue of each message that it takes."""
    for consumer in heap.consumers:
        if not consumer.traits.polled or not running(consumer) or not consumer.queued_requests:
            continue
        rows = [queue for queue in heap.queues if queue.group == consumer.group]
        ages = [queue.last_consume_age_ms for queue in rows if queue.last_consume_age_ms is not None]
        messages = sum(queue.messages for queue in rows)
        idle = min(ages, default=0)
        if idle >= limits["idle_ms"] and messages >= limits["messages"]:
            yield RULE.case(
                "lite-pull-cache",
                consumer,
                subject=Subject(group=consumer.group),
                evidence={"messages": messages, "idle_ms": idle},
                age_ms=idle,
            )

"""An orderly queue is not consumed because this client does not hold the broker's lock for it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.heap import QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import owner, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say, sentences

RULE = Rule(
    name="orderly-lock-lost",
    title="An orderly consumer does not hold the lock of its queue",
    why=(
        "An orderly queue is consumed only while the broker has locked it for this client. The client renews the lock"
        " every 20 s, and takes it for lost after 30 s. While another client holds the lock, perhaps one that hangs in"
        " its listener, the cached messages wait."
    ),
    causes=("lock-lost",),
    severities=(Severity.WARNING,),
    remedy=(
        "Find the client of the group that still holds the queue (its log says `[WRONG]mq is consuming`), and restart"
        " it.",
        "Upgrade clients of 4.9.4 and before: they take 20 s to lock a new queue. Since 4.9.5 and 5.0.0, clients lock"
        " it at once.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/2621",
        "https://github.com/apache/rocketmq/issues/5465",
        "ProcessQueue.isLockExpired: REBALANCE_LOCK_MAX_LIVE_TIME",
    ),
    limits={"idle_ms": 60_000, "lock_age_ms": 60_000},
)


def fires() -> Facts:
    """The queue is not locked, and nothing was consumed for two minutes."""
    return example(consumer={"orderly": True}, queue={"locked": False, "last_consume_age_ms": 120_000})


def silent() -> Facts:
    """The queue was locked five seconds ago."""
    return example(consumer={"orderly": True}, queue={"last_consume_age_ms": 120_000})


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue with messages, not consumed for a while, without a valid lock."""
    heap = facts.heap
    assert heap is not None
    for queue in heap.queues:
        consumer = owner(heap, queue)
        if consumer is None or not consumer.orderly or not consumer.traits.pull_loop:
            continue
        if consumer.message_model != "CLUSTERING" or queue.dropped is not False or not queue.assigned:
            continue
        idle = queue.last_consume_age_ms
        if not queue.messages or queue.in_flight or idle is None or idle < limits["idle_ms"]:
            continue
        if queue.locked is False or (queue.last_lock_age_ms or 0) >= limits["lock_age_ms"]:
            yield _draft(queue, idle)


def _draft(queue: QueueFacts, idle: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="lock-lost",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a rebalance in progress looks the same for some seconds"),
        title=say(
            "{queue} waits for its lock: nothing was consumed for {last_consume_age_ms:ms}",
            queue=queue_name(queue),
        ),
        subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "locked": queue.locked,
            "last_lock_age_ms": queue.last_lock_age_ms,
            "last_consume_age_ms": idle,
            "messages": queue.messages,
        },
        explanation=(
            sentences(
                say(
                    "{messages:count} {messages:message is|messages are} cached, and no thread works on"
                    " {messages:it|them}."
                ),
                say("The queue is not locked.")
                if queue.locked is False
                else say("The lock of the queue has expired."),
                None
                if queue.last_lock_age_ms is None
                else say("The broker last confirmed the lock {last_lock_age_ms:ms} before the dump."),
            ),
        ),
        remedy=RULE.remedy,
        age_ms=max(idle, queue.last_lock_age_ms or 0),
    )

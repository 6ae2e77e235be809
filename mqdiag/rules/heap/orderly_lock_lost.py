"""An orderly queue whose lock at the broker is not held stands still."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.heap import QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.consumers import owner, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


def fires() -> Facts:
    """Not locked, and nothing was taken for two minutes."""
    return example(consumer={"orderly": True}, queue={"locked": False, "last_consume_age_ms": 120_000})


def silent() -> Facts:
    """Locked five seconds ago."""
    return example(consumer={"orderly": True}, queue={"last_consume_age_ms": 120_000})


@rule(
    name="orderly-lock-lost",
    title="An orderly consumer does not hold the lock of its queue",
    why=(
        "An orderly queue is consumed only while the broker has locked it for this client; the lock is renewed every"
        " 20 s and lasts 30 s here. While another client holds it, perhaps one that hangs in its listener, the"
        " cached messages wait."
    ),
    causes=("lock-lost",),
    severities=(Severity.WARNING,),
    remedy=(
        "Find the client of the group that still holds the queue (`[WRONG]mq is consuming` in its log) and restart it.",
        "Upgrade clients of 4.9.4 and before: they take 20 s to lock a new queue; 4.9.5 and 5.0.0 lock it at once.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/2621",
        "https://github.com/apache/rocketmq/issues/5465",
        "ProcessQueue.isLockExpired: REBALANCE_LOCK_MAX_LIVE_TIME",
    ),
    needs=("heap",),
    limits={"idle_ms": 60_000, "lock_age_ms": 60_000},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each queue with messages, not consumed for a while, without a valid lock."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
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
    age = queue.last_lock_age_ms
    lock = say("it is not locked") if queue.locked is False else say("its lock has run out")
    return Draft(
        severity=Severity.WARNING,
        cause="lock-lost",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a rebalance that is under way looks the same for some seconds"),
        title=say(
            "{queue_name} waits for its lock: nothing was consumed for {idle:ms}",
            queue_name=queue_name(queue),
            idle=idle,
        ),
        subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "locked": queue.locked,
            "last_lock_age_ms": age,
            "last_consume_age_ms": idle,
            "messages": queue.messages,
        },
        explanation=(
            say(
                "{messages:count} messages are cached and none is in hand; {lock}",
                messages=queue.messages,
                lock=lock,
            )
            + (say(", last confirmed {age:ms} before the dump.", age=age) if age is not None else "."),
        ),
        remedy=check.card.remedy,
    )

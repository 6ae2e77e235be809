"""A listener works on a message longer than consumeTimeout: it is sent back and consumed twice."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


def _facts(age_ms: int) -> Facts:
    consumer = ConsumerFacts(group="CID_wash", kind="push", orderly=False, config={"consumeTimeout": 15})
    queue = QueueFacts(
        group="CID_wash",
        topic="segments",
        broker="broker-a",
        queue_id=0,
        messages=5,
        longest_consume_age_ms=age_ms,
        dropped=False,
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(consumer,),
        queues=(queue,),
        process_queues=1,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """Sixteen minutes on one message, consumeTimeout is fifteen."""
    return _facts(16 * 60_000)


def silent() -> Facts:
    """Fourteen minutes: long, and within what was agreed."""
    return _facts(14 * 60_000)


@rule(
    name="consume-timeout-exceeded",
    title="A listener works longer on a message than consumeTimeout allows",
    why=(
        "Every consumeTimeout minutes the client sends expired messages at the head of a queue back to the"
        " broker, at most 16 a queue, and forgets them. The listener still works on them: they are consumed"
        " twice. The thread stays as it is, so the pool does not recover."
    ),
    causes=("slow-listener",),
    severities=(Severity.WARNING,),
    remedy=(
        "Make the listener faster, or hand long work to another system and return.",
        "Raise consumeTimeout above the longest legitimate work, and make the listener idempotent.",
    ),
    references=(
        "ProcessQueue.cleanExpiredMsg",
        "https://github.com/apache/rocketmq/issues/7337",
        "https://github.com/apache/rocketmq/issues/9019",
    ),
    needs=("heap",),
    explained_by=("stuck-consumer-thread", "offset-stuck-at-head"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    for group in dict.fromkeys(consumer.group for consumer in heap.consumers):
        consumer = next(one for one in heap.consumers if one.group == group)
        timeout = whole(consumer.config.get("consumeTimeout"))
        if timeout is None or timeout <= 0 or consumer.orderly:
            continue  # before 3.5.3 there is no such limit; orderly queues are not cleaned
        over = [
            queue
            for queue in heap.queues
            if queue.group == group and (queue.longest_consume_age_ms or 0) >= timeout * 60_000
        ]
        if over:
            yield _draft(consumer, timeout, over)


def _draft(consumer: ConsumerFacts, timeout: int, queues: list[QueueFacts]) -> Draft:
    worst = max(queues, key=lambda queue: queue.longest_consume_age_ms or 0)
    age = worst.longest_consume_age_ms or 0
    return Draft(
        severity=Severity.WARNING,
        cause="slow-listener",
        confidence=Confidence.HIGH,
        confidence_reason=say("CONSUME_START_TIME of the message against the time of the dump"),
        title=(
            say(
                (
                    "The listener of group {group} works on a message for {age:ms}; consumeTimeout is {timeout}"
                    " min"
                ),
                group=consumer.group,
                age=age,
                timeout=timeout,
            )
        ),
        subject=Subject(group=consumer.group),
        evidence={
            "consumeTimeout": timeout,
            "longest_consume_age_ms": age,
            "queues": len(queues),
            "topic": worst.topic,
            "broker": worst.broker,
            "queue_id": worst.queue_id,
        },
        explanation=(
            say(
                "{queues} with a message in hand for longer than {timeout} min; the longest on"
                " {topic} queue {queue_id} at {broker}.",
                queues=say("{number:count} {number:queue|queues}", number=len(queues)),
                timeout=timeout,
                topic=worst.topic,
                queue_id=worst.queue_id,
                broker=worst.broker,
            ),
            say(
                "The client sends such messages back when they reach the head of their queue, within up to twice"
                " consumeTimeout, and they are delivered again while the listener still works on them."
            ),
        ),
        remedy=(
            say(
                "Find where the listener spends the time: `mqdiag stacks` on five thread dumps a few seconds"
                " apart."
            ),
            say(
                "If such long work is meant, raise consumeTimeout (minutes) above it:"
                " setConsumeTimeout({timeout}), and make the listener idempotent.",
                timeout=max(2 * timeout, age // 60_000 + 1),
            ),
        ),
    )

"""A listener works on a message for longer than consumeTimeout: the client sends it back, and it is consumed twice."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Confidence, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import queue_name
from mqdiag.rules.shared.graph_needed import needs_graph, of_remoting_only
from mqdiag.text import say

MINUTE_MS = 60_000

RULE = Rule(
    name="consume-timeout-exceeded",
    title="A listener works on a message for longer than consumeTimeout allows",
    why=(
        "Every consumeTimeout minutes the client looks at the head of each queue. It sends messages that have been in"
        " the listener for longer than consumeTimeout back to the broker, at most 16 from each queue, and removes them"
        " from its cache. The listener still works on them, so they are consumed twice. The thread stays busy, so the"
        " thread pool does not recover."
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
    explained_by=("stuck-consumer-thread", "offset-stuck-at-head"),
    in_chain=say("messages stay in the listener for longer than consumeTimeout"),
)


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
    """One message has taken 16 minutes so far; consumeTimeout is 15."""
    return _facts(16 * MINUTE_MS)


def silent() -> Facts:
    """It has taken 14 minutes so far."""
    return _facts(14 * MINUTE_MS)


@RULE.sees("heap")
@needs_graph
@of_remoting_only(say("the gRPC client has no consumeTimeout"))
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group."""
    heap = facts.heap
    assert heap is not None
    margins: list[Margin] = []
    for group in dict.fromkeys(consumer.group for consumer in heap.consumers):
        consumer = next(one for one in heap.consumers if one.group == group)
        timeout = whole(consumer.config.get("consumeTimeout"))
        if timeout is None or timeout <= 0 or consumer.orderly:
            continue  # before 3.5.3 there is no such limit; orderly queues are not cleaned
        in_listener = [
            queue for queue in heap.queues if queue.group == group and queue.longest_consume_age_ms is not None
        ]
        over = [queue for queue in in_listener if _age_ms(queue) >= timeout * MINUTE_MS]
        if over:
            yield _draft(consumer, timeout, over)
        elif in_listener:
            margins.append(_margin(group, timeout, max(map(_age_ms, in_listener))))
    if margins:
        yield max(margins, key=lambda margin: margin.value / margin.limit)


def _margin(group: str, timeout: int, age_ms: int) -> Margin:
    return Margin(
        rule="",
        label=say(
            "the longest time that a message has been in the listener of group {group}; the limit is its"
            " consumeTimeout",
            group=group,
        ),
        value=age_ms,
        limit=timeout * MINUTE_MS,
        kind="ms",
    )


def _age_ms(queue: QueueFacts) -> int:
    return queue.longest_consume_age_ms or 0


def _draft(consumer: ConsumerFacts, timeout: int, queues: list[QueueFacts]) -> Draft:
    worst = max(queues, key=_age_ms)
    age = _age_ms(worst)
    return Draft(
        severity=Severity.WARNING,
        cause="slow-listener",
        confidence=Confidence.HIGH,
        confidence_reason=say("CONSUME_START_TIME of the message was compared with the time of the dump"),
        title=say(
            "The listener of group {group} has worked on one message for {longest_consume_age_ms:ms};"
            " consumeTimeout is {consumeTimeout} min"
        ),
        subject=Subject(group=consumer.group),
        evidence={
            "consumeTimeout": timeout,
            "longest_consume_age_ms": age,
            "queues": len(queues),
            "topic": worst.topic,
            "broker": worst.broker,
            "queue_id": worst.queue_id,
            "suggested_consumeTimeout": max(2 * timeout, age // MINUTE_MS + 1),
        },
        explanation=(
            say(
                "{queues:count} {queues:queue has|queues have} a message that has been in the listener for"
                " {consumeTimeout} min or longer. The longest is in {queue}.",
                queue=queue_name(worst),
            ),
            say(
                "When such a message reaches the head of its queue, the client sends it back to the broker. This takes"
                " up to twice consumeTimeout. The broker delivers the message again while the listener still works on"
                " it."
            ),
        ),
        remedy=(
            say(
                "Find where the listener spends the time: take five thread dumps a few seconds apart and run"
                " `mqdiag stacks` on them."
            ),
            say(
                "If such long work is intended, raise consumeTimeout (in minutes) above it, for example"
                " setConsumeTimeout({suggested_consumeTimeout}), and make the listener idempotent."
            ),
        ),
        age_ms=age,
    )

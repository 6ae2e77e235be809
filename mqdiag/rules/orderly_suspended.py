"""An orderly queue tries the same message again and again."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import owner, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say, sentences

RULE = Rule(
    name="orderly-suspended",
    title="A message that always fails blocks an orderly queue",
    why=(
        "When an orderly listener throws or asks to suspend, the client tries the same message again after"
        " suspendCurrentQueueTimeMillis, before any other message of the queue. Without maxReconsumeTimes it tries"
        " 2,147,483,647 times. So one message that can never succeed stops its queue."
    ),
    causes=("poison-message",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the first message of the queue, and at what the listener logs for it.",
        "Set maxReconsumeTimes, so that the message goes to the dead letter queue. Let the listener return SUCCESS for"
        " what it can never handle.",
    ),
    references=(
        "ConsumeMessageOrderlyService.checkReconsumeTimes",
        "https://github.com/alibaba/RocketMQ/issues/459",
    ),
    limits={"reconsume_times": 16},
)


def fires() -> Facts:
    """A message was tried 300 times."""
    return example(consumer={"orderly": True}, queue={"redelivered": 1, "most_redelivered": 300})


def silent() -> Facts:
    """It was tried five times: an outage of seconds."""
    return example(consumer={"orderly": True}, queue={"redelivered": 1, "most_redelivered": 5})


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue of an orderly consumer with a message that failed that often."""
    heap = facts.heap
    assert heap is not None
    for queue in heap.queues:
        consumer = owner(heap, queue)
        times = queue.most_redelivered
        if consumer is None or not consumer.orderly or queue.dropped or times is None:
            continue
        if times >= limits["reconsume_times"]:
            yield _draft(queue, consumer, times)


def _draft(queue: QueueFacts, consumer: ConsumerFacts, times: int) -> Draft:
    most = whole(consumer.config.get("maxReconsumeTimes"))
    return Draft(
        severity=Severity.WARNING,
        cause="poison-message",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("an outage of a service that the listener calls looks the same until it ends"),
        title=say(
            "{queue} is blocked by a message that failed {reconsume_times:count} times", queue=queue_name(queue)
        ),
        subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "reconsume_times": times,
            "max_reconsume_times": most,
            "messages": queue.messages,
            "min_offset": queue.min_offset,
        },
        explanation=(
            sentences(
                say("reconsumeTimes of a cached message is {reconsume_times:count}."),
                say("maxReconsumeTimes does not limit it.")
                if most is None or most < 0
                else say("maxReconsumeTimes is {max_reconsume_times:count}."),
                say(
                    "{messages:count} {messages:message|messages} of the queue"
                    " {messages:is cached and waits|are cached and wait} behind it."
                ),
            ),
        ),
        remedy=RULE.remedy,
    )

"""An orderly queue tries the same message again and again."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.bounds import whole
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.consumers import owner, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


def fires() -> Facts:
    """A message tried 300 times."""
    return example(consumer={"orderly": True}, queue={"redelivered": 1, "most_redelivered": 300})


def silent() -> Facts:
    """Tried five times: an outage of seconds."""
    return example(consumer={"orderly": True}, queue={"redelivered": 1, "most_redelivered": 5})


@rule(
    name="orderly-suspended",
    title="An orderly queue is held up by a message that always fails",
    why=(
        "When an orderly listener asks to suspend, or throws, the same message is tried again after"
        " suspendCurrentQueueTimeMillis, before any other of its queue; without maxReconsumeTimes 2,147,483,647 times."
        " One message that can never succeed stops its queue."
    ),
    causes=("poison-message",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the first message of the queue and at what the listener logs for it.",
        "Set maxReconsumeTimes, so that the message goes to the dead letter queue, and let the listener return"
        " SUCCESS for what it can never handle.",
    ),
    references=(
        "ConsumeMessageOrderlyService.checkReconsumeTimes",
        "https://github.com/alibaba/RocketMQ/issues/459",
    ),
    needs=("heap",),
    limits={"reconsume_times": 16},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each queue of an orderly consumer with a message that failed that often."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    for queue in heap.queues:
        consumer = owner(heap, queue)
        times = queue.most_redelivered
        if consumer is None or not consumer.orderly or queue.dropped or times is None:
            continue
        if times >= limits["reconsume_times"]:
            most = whole(consumer.config.get("maxReconsumeTimes"))
            bound = (
                say("no bound")
                if most is None or most < 0
                else say("maxReconsumeTimes {most:count}", most=most)
            )
            yield Draft(
                severity=Severity.WARNING,
                cause="poison-message",
                confidence=Confidence.MEDIUM,
                confidence_reason=say("an outage of what the listener calls looks the same until it ends"),
                title=say(
                    "{queue_name} is at a message that failed {times:count} times",
                    queue_name=queue_name(queue),
                    times=times,
                ),
                subject=Subject(
                    group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id
                ),
                evidence={
                    "reconsume_times": times,
                    "max_reconsume_times": most,
                    "messages": queue.messages,
                    "min_offset": queue.min_offset,
                },
                explanation=(
                    say(
                        (
                            "reconsumeTimes of a cached message is {times:count}, with {bound}; {messages:count}"
                            " messages of the queue are cached and wait behind it."
                        ),
                        times=times,
                        bound=bound,
                        messages=queue.messages,
                    ),
                ),
                remedy=check.card.remedy,
            )

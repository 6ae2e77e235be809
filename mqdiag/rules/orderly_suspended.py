"""An orderly queue tries the same message again and again."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.admin import ClientSettings, ConsumeRates, ProcessQueueListed
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.facts.logs import SuspendedQueue
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import owner, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.log_events import between
from mqdiag.text import say, sentences
from mqdiag.time_ranges import between as range_between

ORDERLY = "PROP_CONSUMEORDERLY"
"""the setting of a consumer by which consumerStatus says that its listener is orderly"""
MOST_NAMED = 8

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
    explained_by=("listener-throws",),
    in_chain=say("one message blocks an orderly queue"),
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


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue of which one message failed that often, one time after the other."""
    assert facts.logs is not None
    for row in facts.logs.suspended_queues:
        if max(row.failures, row.reconsume_times) >= limits["reconsume_times"]:
            yield _of_lines(row)


def _of_lines(row: SuspendedQueue) -> Draft:
    name = (
        say("Queue {queue_id} of topic {topic}", queue_id=row.queue_id, topic=row.topic)
        if row.topic is not None and row.queue_id is not None
        else say("An orderly queue")
    )
    return Draft(
        severity=Severity.WARNING,
        cause="poison-message",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("an outage of a service that the listener calls looks the same until it ends"),
        title=say("{name} is blocked by the message at offset {offset:count}, which always fails", name=name),
        subject=Subject(group=row.group, topic=row.topic, broker=row.broker, queue_id=row.queue_id),
        evidence={"offset": row.offset, "failures": row.failures, "reconsume_times": row.reconsume_times},
        explanation=(
            sentences(
                say(
                    "The client logged {failures:count} {failures:failure|failures} of this message one after the"
                    " other, {between}.",
                    between=between(row.first, row.last),
                ),
                say("Its reconsumeTimes reached {reconsume_times:count}."),
                say("No other message of the queue is consumed meanwhile."),
            ),
        ),
        remedy=RULE.remedy,
        when=range_between(row.first, row.last),
        weight=0.4,
    )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each orderly client and topic whose listener fails again and again."""
    assert facts.admin is not None
    for client in facts.admin.clients:
        if client.settings.get(ORDERLY) != "true":
            continue
        for rates in client.rates:
            waiting = [one for one in client.queues if one.topic == rates.topic and one.messages > 0]
            if waiting and rates.consume_failed_tps * 60 >= limits["reconsume_times"]:
                yield _of_client(client, rates, waiting)


def _of_client(client: ClientSettings, rates: ConsumeRates, waiting: list[ProcessQueueListed]) -> Draft:
    alone = waiting[0] if len(waiting) == 1 else None
    return Draft(
        severity=Severity.WARNING,
        cause="poison-message",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("an outage of a service that the listener calls looks the same until it ends"),
        title=say(
            "An orderly listener on topic {topic} fails {failed_tps:decimal} times a second, and {queues:count}"
            " {queues:queue waits|queues wait}"
        ),
        subject=Subject(
            group=client.group,
            topic=rates.topic,
            broker=None if alone is None else alone.broker,
            queue_id=None if alone is None else alone.queue_id,
        ),
        evidence={
            "failed_tps": rates.consume_failed_tps,
            "ok_tps": rates.consume_ok_tps,
            "queues": len(waiting),
            "queue_ids": tuple(one.queue_id for one in waiting[:MOST_NAMED]),
            "commit_offsets": tuple(one.commit_offset for one in waiting[:MOST_NAMED]),
            "messages": sum(one.messages for one in waiting),
        },
        explanation=(
            say("consumerStatus shows that the group consumes in order."),
            say("{messages:count} {messages:message is|messages are} cached in queues {queue_ids}.")
            if len(waiting) <= MOST_NAMED
            else say("{messages:count} messages are cached; the first queues are {queue_ids}."),
            say("{ok_tps:decimal} messages a second succeed: those are of queues that are not blocked."),
        ),
        remedy=(
            say(
                "Ask again after a minute: a queue whose commitOffset has not moved is blocked by the message there."
            ),
            *RULE.remedy,
        ),
    )

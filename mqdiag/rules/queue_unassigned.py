"""A consumer has no queue of a topic that it subscribes to."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import running, uptime_ms
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_whole_graph, of_remoting_only
from mqdiag.text import say

RULE = Rule(
    name="queue-unassigned",
    title="A consumer has no queue of a topic that it subscribes to",
    why=(
        "Each queue goes to one consumer of its group. If there are more consumers than queues, some get none and"
        " stand by. Adding more consumers does not make the group faster."
    ),
    causes=("queue-unassigned",),
    severities=(Severity.WARNING,),
    remedy=(
        "Give the topic at least as many queues as the group has consumers, or run fewer consumers.",
        "Look at `mqadmin consumerStatus`: if consumers of one group subscribe to different topics, they take queues"
        " away from each other.",
    ),
    references=("RebalanceImpl.rebalanceByTopic: topicSubscribeInfoTable against processQueueTable",),
    limits={"uptime_ms": 120_000},
)


def fires() -> Facts:
    """An hour after its start, the consumer has none of the 4 queues of a second topic."""
    return example(consumer={"topic_queues": {"segments": 4, "refunds": 4}})


def silent() -> Facts:
    """It has one of the topic's queues."""
    return example()


@RULE.sees("heap")
@needs_whole_graph
@of_remoting_only(say("a server assigns the queues of the gRPC client"))
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each topic of a consumer that has run long enough and is alone in the JVM with its group."""
    heap = facts.heap
    assert heap is not None
    for consumer in heap.consumers:
        alone = sum(one.group == consumer.group for one in heap.consumers) == 1
        uptime = uptime_ms(heap, consumer)
        if not consumer.traits.pull_loop or not running(consumer) or not alone:
            continue
        if consumer.message_model != "CLUSTERING" or uptime is None or uptime < limits["uptime_ms"]:
            continue
        assigned = {queue.topic for queue in heap.queues if queue.group == consumer.group and queue.assigned}
        for topic, queues in consumer.topic_queues.items():
            if queues and topic not in assigned and not topic.startswith("%RETRY%"):
                yield _draft(consumer, topic, queues)


def _draft(consumer: ConsumerFacts, topic: str, queues: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="queue-unassigned",
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "it may be a standby on purpose, and the other clients of the group are not in this dump"
        ),
        title=(
            say("Group {group} does not have the only queue of {topic} in this process")
            if queues == 1
            else say("Group {group} has none of the {topic_queues:count} queues of {topic} in this process")
        ),
        subject=Subject(group=consumer.group, topic=topic),
        evidence={"topic_queues": queues, "assigned": 0, "client_id": consumer.client_id},
        explanation=(
            say(
                "The consumer subscribes to {topic}. The route has {topic_queues:count}"
                " {topic_queues:queue|queues} of that topic, and the table of assigned queues has none of them."
            ),
        ),
        remedy=RULE.remedy,
    )

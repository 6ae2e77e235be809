"""A consumer that got no queue of a topic."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.consumers import running, uptime_ms
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_whole_graph
from mqdiag.text import say


def fires() -> Facts:
    """A second topic of 4 queues, of which this consumer has none, an hour after its start."""
    return example(consumer={"topic_queues": {"segments": 4, "refunds": 4}})


def silent() -> Facts:
    """One of the topic's queues is here."""
    return example()


@rule(
    name="queue-unassigned",
    title="A consumer has no queue of a topic that it subscribes to",
    why=(
        "A queue goes to one consumer of its group. With more consumers than queues some get none: they stand by,"
        " and adding more does not make the group faster."
    ),
    causes=("queue-unassigned",),
    severities=(Severity.WARNING,),
    remedy=(
        "Give the topic at least as many queues as the group has consumers, or run fewer consumers.",
        "Look at `mqadmin consumerStatus`: consumers of one group that subscribe to different topics take each"
        " other's queues away.",
    ),
    references=("RebalanceImpl.rebalanceByTopic: topicSubscribeInfoTable against processQueueTable",),
    needs=("heap",),
    limits={"uptime_ms": 120_000},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each topic of a consumer that is alone in the JVM with its group and long enough up."""
    heap = facts.heap
    assert heap is not None
    skip = without_whole_graph(facts)
    if skip is not None:
        yield skip
        return
    for consumer in heap.consumers:
        alone = sum(one.group == consumer.group for one in heap.consumers) == 1
        uptime = uptime_ms(heap, consumer)
        if not consumer.traits.pull_loop or not running(consumer) or not alone:
            continue
        if consumer.message_model != "CLUSTERING" or uptime is None or uptime < limits["uptime_ms"]:
            continue
        ours = {queue.topic for queue in heap.queues if queue.group == consumer.group and queue.assigned}
        for topic, queues in consumer.topic_queues.items():
            if queues and topic not in ours and not topic.startswith("%RETRY%"):
                yield _draft(consumer, topic, queues)


def _draft(consumer: ConsumerFacts, topic: str, queues: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="queue-unassigned",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("it may be a standby on purpose; the group's other clients are not in this dump"),
        title=say(
            "Group {group} has none of the {queues:count} queues of {topic} in this process",
            group=consumer.group,
            queues=queues,
            topic=topic,
        ),
        subject=Subject(group=consumer.group, topic=topic),
        evidence={"topic_queues": queues, "assigned": 0, "client_id": consumer.client_id},
        explanation=(
            say(
                (
                    "The route has {queues:count} queues of {topic}, to which the consumer subscribes; its"
                    " table of assigned queues has none of them."
                ),
                queues=queues,
                topic=topic,
            ),
        ),
        remedy=check.card.remedy,
    )

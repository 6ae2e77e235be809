"""A consumer has no queue of a topic that it subscribes to."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import running, uptime_ms

RULE = Rule("queue-unassigned")


@RULE.whole_graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each topic of a consumer that has run long enough and is alone in the JVM with its group."""
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
                yield RULE.case(
                    "queue-unassigned",
                    consumer,
                    subject=Subject(group=consumer.group, topic=topic),
                    evidence={"topic_queues": queues, "assigned": 0},
                    words={"only_one": queues == 1},
                )

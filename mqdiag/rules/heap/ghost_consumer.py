"""Queues are pulled for a consumer that is shut down or not registered."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import LITERALS, Draft, Limits, Skip, rule
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_whole_graph
from mqdiag.text import say


def fires() -> Facts:
    """Running, pulled a second ago, and not in the table of its client."""
    return example(consumer={"registered": False})


def silent() -> Facts:
    """A registered consumer."""
    return example()


@rule(
    name="ghost-consumer",
    title="A consumer that its client does not know still pulls",
    why=(
        "Heartbeats and rebalancing go by the client's table of consumers. One that is not there keeps pulling the"
        " queues it had, while the broker gives them to others: messages are consumed twice, and it never lets go."
    ),
    causes=("ghost-consumer",),
    severities=(Severity.WARNING,),
    remedy=(
        "Restart the process.",
        "Do not shut a consumer down and start another of its group in the same process at the same time.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3066",
        "https://github.com/apache/rocketmq/pull/3120",
    ),
    needs=("heap",),
    limits={"last_pull_ms": 30_000},
    proven_on=LITERALS,
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each running push consumer that is in no table and has a queue that is pulled."""
    heap = facts.heap
    assert heap is not None
    skip = without_whole_graph(facts)
    if skip is not None:
        yield skip
        return
    for consumer in heap.consumers:
        # A group's rows cannot be told apart by consumer, so a group with several is left alone.
        alone = sum(one.group == consumer.group for one in heap.consumers) == 1
        if (
            not consumer.traits.pull_loop
            or not alone
            or consumer.registered is not False
            or not running(consumer)
        ):
            continue
        pulled = [
            queue
            for queue in heap.queues
            if queue.group == consumer.group
            and queue.dropped is False
            and queue.next_offset is not None
            and queue.last_pull_age_ms is not None
            and queue.last_pull_age_ms <= limits["last_pull_ms"]
        ]
        if pulled:
            yield Draft(
                severity=Severity.WARNING,
                cause="ghost-consumer",
                confidence=Confidence.MEDIUM,
                confidence_reason=say("a consumer that is being shut down looks so for a moment"),
                title=say(
                    "Group {group} pulls {queues} and is not registered",
                    group=consumer.group,
                    queues=say("{number:count} {number:queue|queues}", number=len(pulled)),
                ),
                subject=Subject(group=consumer.group),
                evidence={"queues": len(pulled), "client_id": consumer.client_id},
                explanation=(
                    say(
                        "The consumer is in state RUNNING, but its client's consumerTable does not hold it;"
                        " {queues} had a pull in the last seconds.",
                        queues=say("{number:count} {number:queue|queues}", number=len(pulled)),
                    ),
                ),
                remedy=check.card.remedy,
            )

"""A consumer pulls queues although it is not registered at its client."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_whole_graph
from mqdiag.text import say

RULE = Rule(
    name="ghost-consumer",
    title="A consumer that is not registered at its client still pulls",
    why=(
        "Heartbeats and rebalances use the client's table of consumers. A consumer that is missing there keeps pulling"
        " its old queues, while the rebalance of the group gives them to other consumers. Messages are consumed twice,"
        " and the consumer never releases the queues."
    ),
    causes=("ghost-consumer",),
    severities=(Severity.WARNING,),
    remedy=(
        "Restart the process.",
        "Do not shut a consumer down and start another one of its group in the same process at the same time.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3066",
        "https://github.com/apache/rocketmq/pull/3120",
    ),
    limits={"last_pull_ms": 30_000},
    proven_on=LITERALS,
)


def fires() -> Facts:
    """Running, pulled a second ago, and not in the table of its client."""
    return example(consumer={"registered": False})


def silent() -> Facts:
    """A registered consumer."""
    return example()


@RULE.sees("heap")
@needs_whole_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each running push consumer that is in no table and has a queue that is pulled."""
    heap = facts.heap
    assert heap is not None
    for consumer in heap.consumers:
        # Queues are known by their group only, so a group with several consumers is not judged.
        alone = sum(one.group == consumer.group for one in heap.consumers) == 1
        if (
            not consumer.traits.pull_loop
            or not alone
            or consumer.registered is not False
            or not running(consumer)
        ):
            continue
        ages = [
            queue.last_pull_age_ms
            for queue in heap.queues
            if queue.group == consumer.group
            and queue.dropped is False
            and queue.next_offset is not None
            and queue.last_pull_age_ms is not None
            and queue.last_pull_age_ms <= limits["last_pull_ms"]
        ]
        if ages:
            yield Draft(
                severity=Severity.WARNING,
                cause="ghost-consumer",
                confidence=Confidence.MEDIUM,
                confidence_reason=say("a consumer that is shutting down looks the same for a moment"),
                title=say("Group {group} pulls {queues:count} {queues:queue|queues} and is not registered"),
                subject=Subject(group=consumer.group),
                evidence={
                    "queues": len(ages),
                    "client_id": consumer.client_id,
                    "longest_since_pull_ms": max(ages),
                },
                explanation=(
                    say(
                        "The consumer is in state RUNNING, but it is not in the consumerTable of its client."
                        " It pulled its queues at most {longest_since_pull_ms:ms} before the dump."
                    ),
                ),
                remedy=RULE.remedy,
            )

"""A consumer pulls queues although it is not registered at its client."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogSubject
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_whole_graph
from mqdiag.rules.shared.log_events import between, events
from mqdiag.text import say
from mqdiag.time_ranges import between as range_between

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
    limits={"last_pull_ms": 30_000, "lines": 2},
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


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue that a client stores an old offset of, while the group is beyond it and goes on."""
    assert facts.logs is not None
    for event in events(facts.logs, "offset-stored-again"):
        for row in event.subjects:
            if row.count >= limits["lines"]:
                yield _stored_again(event, row)


def _stored_again(event: LogEvent, row: LogSubject) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="ghost-consumer",
        confidence=Confidence.LOW,
        confidence_reason=say("two clients with one id, and a rebalance that goes on, look the same"),
        title=say(
            "Two clients of group {group} work on one queue of topic {topic}", group=row.group, topic=row.topic
        ),
        subject=Subject(group=row.group, topic=row.topic, queue_id=row.queue_id),
        evidence={"lines": row.count, "behind": event.values.get("largest_below_store")},
        explanation=(
            say(
                "A client stored the same offset {lines:count} {lines:time|times} again while the group's offset of the"
                " queue grew beyond it, so another client consumes the queue, {between}.",
                between=between(row.first, row.last),
            ),
            say("Such an offset is at most {behind:count} {behind:message|messages} below the group's."),
        ),
        remedy=(
            say("Restart the process that stores the old offset; clientHost in these lines names it."),
            *RULE.remedy,
        ),
        rests_on=event.files,
        when=range_between(row.first, row.last),
        weight=0.4,
    )

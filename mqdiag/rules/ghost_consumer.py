"""A consumer pulls queues although it is not registered at its client."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import events
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import running

RULE = Rule("ghost-consumer")


@RULE.whole_ages
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each running push consumer that is in no table and has a queue that is pulled."""
    for consumer in heap.consumers:
        # queues are known by their group only, so a group with several consumers is not judged
        alone = sum(one.group == consumer.group for one in heap.consumers) == 1
        if not consumer.traits.pull_loop or not alone:
            continue
        if consumer.registered is not False or not running(consumer):
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
            yield RULE.case(
                "pulls-unregistered",
                consumer,
                subject=Subject(group=consumer.group),
                evidence={"queues": len(ages), "longest_since_pull_ms": max(ages)},
            )


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each queue that a client stores an old offset of, while the group is beyond it and goes on."""
    for event in events(logs, "offset-stored-again"):
        for row in event.subjects:
            if row.count >= limits["lines"]:
                yield RULE.case(
                    "stores-old-offset",
                    subject=Subject.of(row, "group", "topic", "queue_id"),
                    evidence={"lines": row.count, "behind": event.values.get("largest_below_store")},
                    rests_on=event.files,
                    over=[row],
                )

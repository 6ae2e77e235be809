"""A client before 4.2.0 limits the number of cached messages, but not their size."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("no-size-limit")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each group."""
    groups = set()
    for consumer in heap.consumers:
        traits = consumer.traits
        if traits.size_setting is None or consumer.group in groups:
            continue
        if traits.count_setting in consumer.config and traits.size_setting not in consumer.config:
            groups.add(consumer.group)
            yield RULE.case(
                "old-client",
                consumer,
                subject=Subject(group=consumer.group),
                evidence={"pullThresholdForQueue": consumer.config["pullThresholdForQueue"]},
            )

"""A client before 4.2.0 limits the number of cached messages, but not their size."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConfigValue, ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say

RULE = Rule(
    name="no-size-limit",
    title="This client limits the number of cached messages only",
    why=(
        "pullThresholdSizeForQueue exists since client 4.2.0. Before, the cache of a queue may hold"
        " pullThresholdForQueue messages of any size. If one producer begins to send larger messages, they can fill"
        " the heap although no setting has changed."
    ),
    causes=("old-client",),
    severities=(Severity.INFO,),
    remedy=(
        "Upgrade the client to 4.2.0 or later. Until then, choose pullThresholdForQueue by the largest message.",
    ),
    references=("https://github.com/apache/rocketmq/pull/171",),
)


def _facts(config: dict[str, ConfigValue]) -> Facts:
    consumer = ConsumerFacts(group="CID_wash", kind="push", client_version="3.2.6", config=config)
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(consumer,),
        process_queues=4,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A client 3.2.6 has pullThresholdForQueue alone."""
    return _facts({"pullThresholdForQueue": 1000})


def silent() -> Facts:
    """Since 4.2.0 there is a limit in MiB too."""
    return _facts({"pullThresholdForQueue": 1000, "pullThresholdSizeForQueue": 100})


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group."""
    heap = facts.heap
    assert heap is not None
    groups = set()
    for consumer in heap.consumers:
        traits = consumer.traits
        if traits.size_setting is None or consumer.group in groups:
            continue
        if traits.count_setting in consumer.config and traits.size_setting not in consumer.config:
            groups.add(consumer.group)
            yield _draft(consumer)


def _draft(consumer: ConsumerFacts) -> Draft:
    return Draft(
        severity=Severity.INFO,
        cause="old-client",
        confidence=Confidence.HIGH,
        confidence_reason=say("the consumer class has no field pullThresholdSizeForQueue"),
        title=(
            say(
                "The client {client_version} of group {group} limits the number of cached messages, not their size"
            )
            if consumer.client_version
            else say("The client of group {group} limits the number of cached messages, not their size")
        ),
        subject=Subject(group=consumer.group),
        evidence={
            "client_version": consumer.client_version,
            "pullThresholdForQueue": consumer.config["pullThresholdForQueue"],
            "largest_body_bytes": consumer.largest_body_bytes,
        },
        explanation=(say("Each queue may hold {pullThresholdForQueue} messages of any size."),),
        remedy=(
            say("Upgrade the client to 4.2.0 or later, and set pullThresholdSizeForQueue."),
            say("Until then, lower pullThresholdForQueue so that even the largest messages fit into the heap."),
        ),
    )

"""The client is older than 4.2.0: only the number of cached messages is limited, not their size."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConfigValue, ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


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
    """From 4.2.0 on there is a limit in MiB too."""
    return _facts({"pullThresholdForQueue": 1000, "pullThresholdSizeForQueue": 100})


@rule(
    name="no-size-limit",
    title="This client limits cached messages by number only",
    why=(
        "pullThresholdSizeForQueue came with client 4.2.0. Before it, the cache of a queue is"
        " pullThresholdForQueue messages of any size, so one producer that sends larger messages can fill the"
        " heap without a setting having changed."
    ),
    causes=("old-client",),
    severities=(Severity.INFO,),
    remedy=(
        "Upgrade the client to 4.2.0 or later; until then choose pullThresholdForQueue by the largest message.",
    ),
    references=("https://github.com/apache/rocketmq/pull/171",),
    needs=("heap",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    told = set()
    for consumer in heap.consumers:
        traits = consumer.traits
        if traits.size_setting is None or consumer.group in told:
            continue
        if traits.count_setting in consumer.config and traits.size_setting not in consumer.config:
            told.add(consumer.group)
            yield _draft(consumer)


def _draft(consumer: ConsumerFacts) -> Draft:
    threshold = consumer.config["pullThresholdForQueue"]
    version = f" {consumer.client_version}" if consumer.client_version else ""
    return Draft(
        severity=Severity.INFO,
        cause="old-client",
        confidence=Confidence.HIGH,
        confidence_reason=say("the consumer class has no field pullThresholdSizeForQueue"),
        title=say(
            "The client{version} of group {group} limits cached messages by number, not by size",
            version=version,
            group=consumer.group,
        ),
        subject=Subject(group=consumer.group),
        evidence={
            "client_version": consumer.client_version,
            "pullThresholdForQueue": threshold,
            "largest_body_bytes": consumer.largest_body_bytes,
        },
        explanation=(say("Each queue may hold {threshold} messages of any size.", threshold=threshold),),
        remedy=(
            say("Upgrade the client to 4.2.0 or later and set pullThresholdSizeForQueue."),
            say("Until then lower pullThresholdForQueue so that even the largest messages fit the heap."),
        ),
    )

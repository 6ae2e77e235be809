"""Two consumers of one group in one JVM have different settings."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConfigValue, ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say

OF_EACH_INSTANCE = frozenset(
    {"instanceName", "clientIP", "consumeTimestamp", "unitName", "namespaceInitialized", "namesrvAddr"}
)
"""set per object by the client itself, or intended to differ between instances of one group"""
DIVIDED = {
    "pullThresholdForQueue": "pullThresholdForTopic",
    "pullThresholdSizeForQueue": "pullThresholdSizeForTopic",
}
"""settings of a queue, and the settings of a topic that RocketMQ divides over the queues"""

RULE = Rule(
    name="consumer-config-conflict",
    title="Consumers of one group in this JVM have different settings",
    why=(
        "The consumers of a group share its queues, so the last rebalance decides which queue has which threshold."
        " Usually one of two places in the code that make consumers misses a setting, or something overrides it."
    ),
    causes=("config-override",),
    severities=(Severity.WARNING,),
    remedy=("Build all consumers of a group in one place, from one configuration.",),
    references=("https://github.com/apache/rocketmq/issues/5473",),
)


def _facts(second: int) -> Facts:
    consumers = tuple(
        ConsumerFacts(
            group="CID_wash",
            kind="push",
            object_id=hex(number),
            config={"pullThresholdForQueue": threshold, "instanceName": f"{number}"},
        )
        for number, threshold in enumerate((40, second), start=1)
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=consumers,
        process_queues=8,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """One instance with 40, one with 100."""
    return _facts(100)


def silent() -> Facts:
    """Both with 40; only the instance names differ."""
    return _facts(40)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group with differences."""
    heap = facts.heap
    assert heap is not None
    groups: dict[tuple[str, str], list[ConsumerFacts]] = {}
    for consumer in heap.consumers:
        # a consumer that was shut down may still be in the heap, but it does not pull any more
        if consumer.state.get("serviceState") not in ("SHUTDOWN_ALREADY", "CREATE_JUST"):
            groups.setdefault((consumer.group, consumer.kind), []).append(consumer)
    for (group, _), consumers in groups.items():
        different = _different(consumers)
        if different:
            yield _draft(group, consumers, different)


def _different(consumers: list[ConsumerFacts]) -> dict[str, tuple[str, ...]]:
    """Settings that all have but not with one value; per-queue thresholds that RocketMQ computes are no difference."""
    different: dict[str, tuple[str, ...]] = {}
    for key in sorted(consumers[0].config):
        if key in OF_EACH_INSTANCE or not all(key in consumer.config for consumer in consumers):
            continue
        if all(_is_divided(key, consumer.config) for consumer in consumers):
            continue
        values = tuple(dict.fromkeys(str(consumer.config[key]) for consumer in consumers))
        if len(values) > 1:
            different[key] = values
    return different


def _is_divided(key: str, config: dict[str, ConfigValue]) -> bool:
    per_topic = config.get(DIVIDED.get(key, ""))
    return isinstance(per_topic, int) and per_topic > 0


def _draft(group: str, consumers: list[ConsumerFacts], different: dict[str, tuple[str, ...]]) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="config-override",
        confidence=Confidence.HIGH,
        confidence_reason=say("the values were read from the consumer objects"),
        title=say(
            "{consumers:count} consumers of group {group} in this JVM have different values of {keys:and}"
        ),
        subject=Subject(group=group),
        evidence={
            "consumers": len(consumers),
            "key": next(iter(different)),
            "keys": tuple(different),
            # a text may be private: it stands by itself only, under its setting's name, so that it can be redacted
            "values": tuple(
                f"{key}: {' and '.join(values)}"
                for key, values in different.items()
                if not any(isinstance(consumer.config[key], str) for consumer in consumers)
            ),
            **different,
            "object_ids": tuple(consumer.object_id for consumer in consumers),
        },
        explanation=tuple(
            say("The values of {setting} are {found:and}.", setting=key, found=values)
            for key, values in different.items()
        ),
        remedy=(
            say(
                "Compare the places in the code that build the consumers of {group}; set {keys:and} in one place."
            ),
            say(
                "If only one of these places is in your code, look for a wrapper or starter that builds the other"
                " consumer."
            ),
        ),
    )

"""Two consumers of one group in one JVM have different settings."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConfigValue, ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say

OF_EACH_INSTANCE = frozenset(
    {"instanceName", "clientIP", "consumeTimestamp", "unitName", "namespaceInitialized", "namesrvAddr"}
)
"""set per object by the client itself, or meant to differ between instances of one group"""
DIVIDED = {
    "pullThresholdForQueue": "pullThresholdForTopic",
    "pullThresholdSizeForQueue": "pullThresholdSizeForTopic",
}


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


@rule(
    name="consumer-config-conflict",
    title="Consumers of one group in this JVM have different settings",
    why=(
        "Instances of a group share its queues; which queue gets which threshold then depends on the last"
        " rebalance. Mostly one of two construction paths has missed a setting, or something overrides it."
    ),
    causes=("config-override",),
    severities=(Severity.WARNING,),
    remedy=("Build all consumers of a group in one place, from one configuration.",),
    references=("https://github.com/apache/rocketmq/issues/5473",),
    needs=("heap",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group with differences."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    groups: dict[tuple[str, str], list[ConsumerFacts]] = {}
    for consumer in heap.consumers:
        # a consumer that was shut down stays in the heap while somebody holds it; it asks for nothing any more
        if consumer.state.get("serviceState") not in ("SHUTDOWN_ALREADY", "CREATE_JUST"):
            groups.setdefault((consumer.group, consumer.kind), []).append(consumer)
    for (group, _), consumers in groups.items():
        different = _different(consumers)
        if different:
            yield _draft(group, consumers, different)


def _different(consumers: list[ConsumerFacts]) -> dict[str, tuple[str, ...]]:
    """Settings that all have but not with one value; re-divided per-queue thresholds are no difference."""
    different: dict[str, tuple[str, ...]] = {}
    for key in consumers[0].config:
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
    names = ", ".join(sorted(different))
    rows = sorted(different.items())
    return Draft(
        severity=Severity.WARNING,
        cause="config-override",
        confidence=Confidence.HIGH,
        confidence_reason=say("the values were read from the consumer objects"),
        title=say(
            "{consumers} consumers of group {group} in this JVM differ in {names}",
            consumers=len(consumers),
            group=group,
            names=names,
        ),
        subject=Subject(group=group),
        evidence={
            "consumers": len(consumers),
            "key": next(iter(sorted(different))),
            "keys": tuple(sorted(different)),
            "values": tuple(f"{key}: {' and '.join(values)}" for key, values in rows),
            "object_ids": tuple(consumer.object_id for consumer in consumers),
        },
        explanation=tuple(
            say("{key}: {values}", key=key, values=say(" and ").join(values)) for key, values in rows
        ),
        remedy=(
            say(
                "Compare where the consumers of {group} are built; set {names} in one place.",
                group=group,
                names=names,
            ),
            say("If only one construction path is yours, look for a wrapper or starter that builds the other."),
        ),
    )

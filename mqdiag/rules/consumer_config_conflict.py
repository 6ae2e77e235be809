"""Two consumers of one group in one JVM have different settings."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import ConfigValue, ConsumerFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("consumer-config-conflict")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each group with differences."""
    groups: dict[tuple[str, str], list[ConsumerFacts]] = {}
    for consumer in heap.consumers:
        # a consumer that was shut down may still be in the heap, but it does not pull any more; of unknown groups
        # nothing tells that they are the same
        if consumer.group and consumer.state.get("serviceState") not in ("SHUTDOWN_ALREADY", "CREATE_JUST"):
            groups.setdefault((consumer.group, consumer.kind), []).append(consumer)
    for (group, _), consumers in groups.items():
        different = _different(consumers)
        if not different:
            continue
        # a text may be private: it stands by itself only, under its setting's name, so that it can be redacted
        private = {key for key in different if any(isinstance(one.config[key], str) for one in consumers)}
        yield RULE.case(
            "config-override",
            subject=Subject(group=group),
            evidence={
                "consumers": len(consumers),
                "key": next(iter(different)),
                "keys": tuple(different),
                "values": tuple(
                    f"{key}: {' and '.join(values)}" for key, values in different.items() if key not in private
                ),
                **different,
                "object_ids": tuple(consumer.object_id for consumer in consumers),
            },
            rows={"settings": tuple({"setting": key, "found": values} for key, values in different.items())},
        )


def _different(consumers: list[ConsumerFacts]) -> dict[str, tuple[str, ...]]:
    """Settings that all have but not with one value; per-queue thresholds that RocketMQ computes are no difference."""
    different: dict[str, tuple[str, ...]] = {}
    for key in sorted(consumers[0].config):
        if key in RULE.names("of_each_instance") or not all(key in consumer.config for consumer in consumers):
            continue
        if all(_is_divided(key, consumer.config) for consumer in consumers):
            continue
        values = tuple(dict.fromkeys(str(consumer.config[key]) for consumer in consumers))
        if len(values) > 1:
            different[key] = values
    return different


def _is_divided(key: str, config: dict[str, ConfigValue]) -> bool:
    per_topic = config.get(RULE.meaning("divided").get(key, ""))
    return isinstance(per_topic, int) and per_topic > 0

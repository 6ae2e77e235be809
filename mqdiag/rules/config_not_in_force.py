"""A setting that the team intended is not the one that the running consumer has."""

from __future__ import annotations

from mqdiag.facts import Expectation, Facts, HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.expectations import NOT_GIVEN
from mqdiag.facts.heap import ConfigValue, ConsumerFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule, Skip
from mqdiag.rules.shared.equal_numbers import owner_evidence, owner_remedy, owner_said
from mqdiag.rules.shared.graph_needed import without_graph

RULE = Rule("config-not-in-force")


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Findings:
    """One finding for each consumer and setting that differ."""
    heap = facts.heap
    assert heap is not None
    without = without_graph(heap)
    if not facts.expectations:
        yield Skip(reason=NOT_GIVEN)
    elif without is not None:
        yield without
    elif not heap.consumers:
        yield RULE.skip("no-consumer")
    else:
        for expected in facts.expectations:
            yield from _compare(expected, heap)


def _compare(expected: Expectation, heap: HeapFacts) -> Findings:
    meant = [one for one in heap.consumers if expected.group is None or one.group == expected.group]
    having = [consumer for consumer in meant if expected.key in consumer.config]
    if not meant:
        groups = tuple(sorted({consumer.group for consumer in heap.consumers}))
        yield RULE.skip("no-such-group", group=expected.group, groups=groups)
    elif not having and expected.group is None:
        yield RULE.skip("no-such-setting", key=expected.key)
    elif not having:
        yield RULE.skip("no-such-setting-of-group", group=expected.group, key=expected.key)
    seen = set()
    for consumer in having:
        actual = consumer.config[expected.key]
        if not _same(expected.value, actual) and (consumer.group, str(actual)) not in seen:
            seen.add((consumer.group, str(actual)))
            yield _differs(expected, consumer, actual)


def _same(expected: ConfigValue, actual: ConfigValue) -> bool:
    """Equal as a person means it: true is "true", and constants are equal in any case."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return str(expected).lower() == str(actual).lower()
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return expected == actual
    if isinstance(actual, int | float):
        return False
    return str(expected).lower() == str(actual).lower()


def _divided(key: str, consumer: ConsumerFacts) -> int | None:
    """The value of the per-topic setting if it explains the value in force."""
    per_topic = whole(consumer.config.get(RULE.meaning("divided").get(key, "")))
    if per_topic is None or per_topic <= 0 or not consumer.queues:
        return None
    if consumer.config.get(key) != max(1, per_topic // consumer.queues):
        return None
    return per_topic


def _differs(expected: Expectation, consumer: ConsumerFacts, actual: ConfigValue) -> Draft:
    key = expected.key
    divided = _divided(key, consumer)
    owner, look_first = owner_said(consumer, key), owner_remedy(consumer, key)
    return RULE.case(
        "config-override",
        consumer,
        subject=Subject(group=consumer.group, key=key),
        evidence={
            "key": key,
            "expected": expected.value,
            "actual": actual,
            "expected_by": expected.source,
            **({} if divided is None else {"value_for_topic": divided, "queues": consumer.queues}),
            **owner_evidence(consumer, key),
        },
        words={
            "by_option": expected.source == "option",
            "value_for_topic": None,
            "queues": None,
            "setting_for_topic": RULE.meaning("divided").get(key),
            "setter": f"set{key[0].upper()}{key[1:]}",
        },
        given={
            "owner": () if owner is None else (owner,),
            "look_first": () if look_first is None else (look_first,),
        },
    )

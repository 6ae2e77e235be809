"""A setting that the team intended is not the one that the running consumer has."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Expectation, Facts, HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.expectations import NOT_GIVEN
from mqdiag.facts.heap import ConfigValue, ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.equal_numbers import owner_evidence, owner_remedy, owner_said
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import Text, say

PER_TOPIC = {
    "pullThresholdForQueue": "pullThresholdForTopic",
    "pullThresholdSizeForQueue": "pullThresholdSizeForTopic",
}
"""settings of a queue, and the settings of a topic that RocketMQ divides over the queues"""

RULE = Rule(
    name="config-not-in-force",
    title="A setting that was intended is not in force",
    why=(
        "A wrapper, a starter or a framework may call a setter after the application did. The configuration file then"
        " says 40 while the running consumer has 100. Nobody notices, because nobody looks at the running object."
    ),
    causes=("config-override",),
    severities=(Severity.ERROR,),
    remedy=(
        "Find the code that calls the setter last: set a breakpoint or a field watch on the consumer object.",
        "Look through wrapper components and starters between the configuration and DefaultMQPushConsumer.",
        "If pullThresholdForTopic is set, RocketMQ computes pullThresholdForQueue from it at every rebalance. This is"
        " by design.",
    ),
    references=("RebalancePushImpl.messageQueueChanged: pullThresholdForTopic is divided over the queues",),
    leads_to={"consumer-cache-exceeds-heap": say("with that value")},
)


def _facts(in_force: int) -> Facts:
    consumer = ConsumerFacts(
        group="CID_wash", kind="push", queues=55, config={"pullThresholdForQueue": in_force}
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(consumer,),
        process_queues=55,
    )
    return Facts(heap=heap, expectations=(Expectation(key="pullThresholdForQueue", value=40),))


def fires() -> Facts:
    """The article's wrapper: 40 was set, 100 is in force."""
    return _facts(100)


def silent() -> Facts:
    """What was set is in force."""
    return _facts(40)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each consumer and setting that differ."""
    heap = facts.heap
    assert heap is not None
    if not facts.expectations:
        yield Skip(reason=NOT_GIVEN)
        return
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    if not heap.consumers:
        yield Skip(reason=say("there is no RocketMQ consumer in this dump"))
        return
    for expected in facts.expectations:
        yield from _compare(expected, heap)


def _compare(expected: Expectation, heap: HeapFacts) -> Iterator[Said]:
    meant = [
        consumer for consumer in heap.consumers if expected.group is None or consumer.group == expected.group
    ]
    if not meant:
        yield Skip(
            reason=say(
                "group {group} is not in this dump; its groups are {groups}",
                group=expected.group,
                groups=tuple(sorted({consumer.group for consumer in heap.consumers})),
            )
        )
        return
    having = [consumer for consumer in meant if expected.key in consumer.config]
    if not having:
        yield Skip(reason=_no_such_setting(expected))
        return
    seen = set()
    for consumer in having:
        actual = consumer.config[expected.key]
        if _same(expected.value, actual) or (consumer.group, str(actual)) in seen:
            continue
        seen.add((consumer.group, str(actual)))
        yield _draft(expected, consumer, actual)


def _no_such_setting(expected: Expectation) -> Text:
    if expected.group is None:
        return say("no consumer in this dump has a setting {key}", key=expected.key)
    return say("group {group} has no setting {key}", group=expected.group, key=expected.key)


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
    per_topic = whole(consumer.config.get(PER_TOPIC.get(key, "")))
    if per_topic is None or per_topic <= 0 or not consumer.queues:
        return None
    if consumer.config.get(key) != max(1, per_topic // consumer.queues):
        return None
    return per_topic


def _draft(expected: Expectation, consumer: ConsumerFacts, actual: ConfigValue) -> Draft:
    key = expected.key
    divided = _divided(key, consumer)
    return Draft(
        severity=Severity.ERROR,
        cause="config-override",
        confidence=Confidence.HIGH,
        confidence_reason=say("the value was read from the consumer object that RocketMQ itself asks"),
        title=say("{key} of group {group} is {actual} in the running consumer, not {expected}"),
        subject=Subject(group=consumer.group, key=key),
        evidence={
            "key": key,
            "expected": expected.value,
            "actual": actual,
            "expected_by": expected.source,
            "object_id": consumer.object_id,
            **({} if divided is None else {"value_for_topic": divided, "queues": consumer.queues}),
            **owner_evidence(consumer, key),
        },
        explanation=tuple(_explanation(expected, consumer, divided)),
        remedy=tuple(_remedy(consumer, key, divided)),
    )


def _explanation(expected: Expectation, consumer: ConsumerFacts, divided: int | None) -> Iterator[Text]:
    if expected.source == "option":
        yield say("--expect says {key}={expected}; the consumer object in the dump has {key}={actual}.")
    else:
        yield say("{expected_by} says {key}={expected}; the consumer object in the dump has {key}={actual}.")
    if divided is not None:
        yield say(
            "The value {actual} is {setting_for_topic}={value_for_topic} divided by {queues:count}"
            " {queues:queue|queues}. RocketMQ divides it again at each rebalance, by design.",
            setting_for_topic=PER_TOPIC[expected.key],
        )
    owner = owner_said(consumer, expected.key)
    if owner is not None:
        yield owner


def _remedy(consumer: ConsumerFacts, key: str, divided: int | None) -> Iterator[Text]:
    owner = owner_remedy(consumer, key)
    if owner is not None and divided is None:
        yield owner
    if divided is not None:
        yield say("If you want {key} to apply, unset {setting_for_topic}.", setting_for_topic=PER_TOPIC[key])
    yield say(
        "Find the code that sets it last: set a breakpoint in DefaultMQPushConsumer.{setter}, or a watch on the field"
        " {key}, and start the application. Continue at each stop until the value changes to {actual}.",
        setter=f"set{key[0].upper()}{key[1:]}",
    )
    yield say(
        "Look through the wrapper components and starters between your configuration and the consumer. One of them"
        " may have its own value, or may read another key."
    )
    if key in PER_TOPIC and divided is None:
        yield say(
            "Look for `is changed from` in rocketmq_client.log: if {setting_for_topic} is set, RocketMQ divides it over"
            " the queues at each rebalance and so changes {key}.",
            setting_for_topic=PER_TOPIC[key],
        )

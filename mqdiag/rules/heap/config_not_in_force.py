"""A setting that the team intended is not the one that the running consumer has."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Expectation, Facts, HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConfigValue, ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say

PER_TOPIC = {
    "pullThresholdForQueue": "pullThresholdForTopic",
    "pullThresholdSizeForQueue": "pullThresholdSizeForTopic",
}


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


@rule(
    name="config-not-in-force",
    title="A setting that was intended is not in force",
    why=(
        "A wrapper, a starter or a framework may call a setter after the application did. The configuration"
        " file then says 40 while the running consumer has 100, and nobody looks at the running object."
    ),
    causes=("config-override",),
    severities=(Severity.ERROR,),
    remedy=(
        "Find who calls the setter last: a breakpoint or a field watch on the consumer object.",
        "Look through wrapper components and starters between the configuration and DefaultMQPushConsumer.",
        "pullThresholdForTopic re-divides pullThresholdForQueue at every rebalance, by design.",
    ),
    references=("RebalancePushImpl.messageQueueChanged: pullThresholdForTopic is divided over the queues",),
    needs=("heap",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each consumer and setting that differ."""
    heap = facts.heap
    assert heap is not None
    if not facts.expectations:
        yield Skip(reason=say("no intended settings were given: --expect KEY=VALUE or [expect] in mqdiag.toml"))
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


def _compare(expected: Expectation, heap: HeapFacts) -> Iterator[Draft | Skip]:
    meant = [
        consumer for consumer in heap.consumers if expected.group is None or consumer.group == expected.group
    ]
    if not meant:
        known = ", ".join(sorted({consumer.group for consumer in heap.consumers}))
        yield Skip(
            reason=say(
                "group {group} is not in this dump; its groups are {known}", group=expected.group, known=known
            )
        )
        return
    having = [consumer for consumer in meant if expected.key in consumer.config]
    if not having:
        whose = (
            say("no consumer in this dump has")
            if expected.group is None
            else say("{group} has not", group=expected.group)
        )
        yield Skip(reason=say("{whose} a setting {key}", whose=whose, key=expected.key))
        return
    told = set()
    for consumer in having:
        actual = consumer.config[expected.key]
        if _same(expected.value, actual) or (consumer.group, str(actual)) in told:
            continue
        told.add((consumer.group, str(actual)))
        yield _draft(expected, consumer, actual)


def _same(expected: ConfigValue, actual: ConfigValue) -> bool:
    """Equal as a person means it: 40 and "40", true and "true", TIMESTAMP spelled in any case."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return str(expected).lower() == str(actual).lower()
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return expected == actual
    if isinstance(actual, int | float):
        return False
    return str(expected).lower() == str(actual).lower()


def _divided(key: str, consumer: ConsumerFacts) -> str | None:
    """The per-topic setting when it explains the value in force."""
    per_topic = whole(consumer.config.get(PER_TOPIC.get(key, "")))
    if per_topic is None or per_topic <= 0 or not consumer.queues:
        return None
    if consumer.config.get(key) != max(1, per_topic // consumer.queues):
        return None
    return say(
        "{per_topic}={per_topic_2} divided by {queues} queues",
        per_topic=PER_TOPIC[key],
        per_topic_2=per_topic,
        queues=consumer.queues,
    )


def _draft(expected: Expectation, consumer: ConsumerFacts, actual: ConfigValue) -> Draft:
    key = expected.key
    setter = f"set{key[0].upper()}{key[1:]}"
    source = "--expect" if expected.source == "option" else expected.source
    explanation = [
        say(
            "{source} says {key}={value}; the consumer object in the dump has {key}={actual}.",
            source=source,
            key=key,
            value=expected.value,
            actual=actual,
        )
    ]
    remedy = []
    divided = _divided(key, consumer)
    if divided is not None:
        explanation.append(
            say(
                "{actual} is {divided}: RocketMQ re-divides it at each rebalance, by design.",
                actual=actual,
                divided=divided,
            )
        )
        remedy.append(say("Unset {per_topic} if {key} is to rule.", per_topic=PER_TOPIC[key], key=key))
    remedy += [
        say(
            "Find who sets it last: set a breakpoint in DefaultMQPushConsumer.{setter}, or a"
            " watch on the field {key}, and start the application; the article's case came up at"
            " the third stop, in a company wrapper.",
            setter=setter,
            key=key,
        ),
        say(
            "Look through the wrapper components and starters between your configuration and the"
            " consumer: one of them carries its own value or reads another key."
        ),
    ]
    if key in PER_TOPIC and divided is None:
        remedy.append(
            say(
                "Look for `is changed from` in rocketmq_client.log: {per_topic} re-divides {key} over"
                " the queues at each rebalance.",
                per_topic=PER_TOPIC[key],
                key=key,
            )
        )
    return Draft(
        severity=Severity.ERROR,
        cause="config-override",
        confidence=Confidence.HIGH,
        confidence_reason=say("the value was read from the consumer object that RocketMQ itself asks"),
        title=say(
            "{key} of group {group} is {actual} in the running consumer, not {value}",
            key=key,
            group=consumer.group,
            actual=actual,
            value=expected.value,
        ),
        subject=Subject(group=consumer.group, key=key),
        evidence={
            "key": key,
            "expected": expected.value,
            "actual": actual,
            "expected_by": expected.source,
            "object_id": consumer.object_id,
        },
        explanation=tuple(explanation),
        remedy=tuple(remedy),
    )

"""config-not-in-force and consumer-config-conflict."""

from __future__ import annotations

import re

import msgspec

from mqdiag.facts import Expectation, Facts
from mqdiag.facts.heap import ConfigValue
from mqdiag.findings import Report
from mqdiag.redact.report import redact_report
from mqdiag.report_json import to_values
from mqdiag.rules import config_not_in_force, consumer_config_conflict
from tests.folded import folded
from tests.rules.checks import findings, heap_of, reasons, said, with_consumer, with_heap
from tests.rules.examples import example_of


def _expecting(key: str, value: int | float | bool | str, group: str | None = None) -> Facts:
    expectation = Expectation(key=key, value=value, group=group)
    return msgspec.structs.replace(example_of(config_not_in_force).fires(), expectations=(expectation,))


def test_key_both_values_and_the_group() -> None:
    (finding,) = findings(config_not_in_force, example_of(config_not_in_force).fires())
    assert finding.subject.group == "CID_wash"
    assert finding.evidence["key"] == "pullThresholdForQueue"
    assert finding.evidence["expected"] == 40
    assert finding.evidence["actual"] == 100
    assert "breakpoint" in said(finding)


def test_a_named_group_that_is_absent_is_skipped() -> None:
    facts = _expecting("pullThresholdForQueue", 40, "CID_elsewhere")
    assert findings(config_not_in_force, facts) == ()
    assert reasons(config_not_in_force, facts) == [
        "group CID_elsewhere is not in this dump; its groups are CID_wash"
    ]


def test_only_the_named_group_is_compared() -> None:
    facts = _expecting("pullThresholdForQueue", 40, "CID_wash")
    other = msgspec.structs.replace(heap_of(facts).consumers[0], group="CID_other")
    facts = with_heap(facts, consumers=(*heap_of(facts).consumers, other))
    assert [found.subject.group for found in findings(config_not_in_force, facts)] == ["CID_wash"]
    everyone = msgspec.structs.replace(
        facts, expectations=(Expectation(key="pullThresholdForQueue", value=40),)
    )
    assert len(findings(config_not_in_force, everyone)) == 2


def test_a_key_that_no_consumer_has_is_skipped() -> None:
    facts = _expecting("popBatchNums", 32)
    assert reasons(config_not_in_force, facts) == ["no consumer in this dump has a setting popBatchNums"]


def test_without_expectations_it_says_so() -> None:
    facts = msgspec.structs.replace(example_of(config_not_in_force).fires(), expectations=())
    assert "--expect" in reasons(config_not_in_force, facts)[0]


@folded(
    "expected, actual, equal",
    [
        (40, 40, True),
        (40, 41, False),
        (40.0, 40, True),
        ("40", 40, False),
        (True, True, True),
        (True, False, False),
        ("true", True, True),
        (1, True, False),
        ("BROADCASTING", "BROADCASTING", True),
        ("broadcasting", "BROADCASTING", True),
        ("BROADCASTING", "CLUSTERING", False),
        ("a", None, False),
    ],
)
def test_values(expected: int | float | bool | str, actual: ConfigValue, equal: bool) -> None:
    facts = with_consumer(_expecting("vipChannelEnabled", expected), config={"vipChannelEnabled": actual})
    assert (findings(config_not_in_force, facts) == ()) is equal


def test_division_by_topic_is_named_as_the_reason() -> None:
    config: dict[str, ConfigValue] = {"pullThresholdForQueue": 18, "pullThresholdForTopic": 1000}
    facts = with_consumer(example_of(config_not_in_force).fires(), config=config, queues=55)
    (finding,) = findings(config_not_in_force, facts)
    assert "pullThresholdForTopic=1000 divided by 55 queues" in said(finding)


def test_one_finding_for_consumers_of_one_group_with_the_same_value() -> None:
    facts = example_of(config_not_in_force).fires()
    facts = with_heap(facts, consumers=heap_of(facts).consumers * 2)
    assert len(findings(config_not_in_force, facts)) == 1


def test_conflict_names_the_key() -> None:
    (finding,) = findings(consumer_config_conflict, example_of(consumer_config_conflict).fires())
    assert finding.evidence["key"] == "pullThresholdForQueue"
    assert finding.evidence["values"] == ("pullThresholdForQueue: 40 and 100",)
    assert finding.subject.group == "CID_wash"


def test_conflict_is_within_a_group_and_among_the_running() -> None:
    facts = example_of(consumer_config_conflict).fires()
    first, second = heap_of(facts).consumers
    elsewhere = msgspec.structs.replace(second, group="CID_other")
    assert findings(consumer_config_conflict, with_heap(facts, consumers=(first, elsewhere))) == ()
    stopped = msgspec.structs.replace(second, state={"serviceState": "SHUTDOWN_ALREADY"})
    assert findings(consumer_config_conflict, with_heap(facts, consumers=(first, stopped))) == ()
    unknown = tuple(msgspec.structs.replace(one, group="") for one in (first, second))
    assert findings(consumer_config_conflict, with_heap(facts, consumers=unknown)) == ()


def test_division_by_topic_is_no_conflict() -> None:
    facts = example_of(consumer_config_conflict).fires()
    divided = tuple(
        msgspec.structs.replace(one, config={**one.config, "pullThresholdForTopic": 1000})
        for one in heap_of(facts).consumers
    )
    assert findings(consumer_config_conflict, with_heap(facts, consumers=divided)) == ()


def test_a_text_setting_is_redacted_in_a_conflict() -> None:
    facts = example_of(consumer_config_conflict).fires()
    texts = tuple(
        msgspec.structs.replace(one, config={**one.config, "namespace": f"secret{place}"})
        for place, one in enumerate(heap_of(facts).consumers)
    )
    facts = with_heap(facts, consumers=texts)
    (finding,) = findings(consumer_config_conflict, facts)
    assert finding.evidence["namespace"] == ("secret0", "secret1")
    report = Report(mqdiag="0", inputs=(), findings=(finding,), heap=facts.heap)
    assert "secret0" in str(to_values(report))
    assert not {"secret0", "secret1"} & {*re.findall(r"secret\d", str(to_values(redact_report(report))))}

"""Who holds a consumer, and which numbers of the application equal its settings."""

from __future__ import annotations

import pytest

from mqdiag.facts.heap import ConsumerOwner
from mqdiag.facts.heap_classes import EqualNumber
from mqdiag.rocketmq.consumer_owners import likeliest
from tests.layers import one_in_each_run
from tests.rocketmq.conftest import case


def _owner(name: str) -> ConsumerOwner:
    (consumer,) = case(name).view.consumers
    assert consumer.owner is not None
    return consumer.owner


def test_the_constant_of_the_wrapper_that_overrides_is_named() -> None:
    owner = _owner("override-4.3.2")
    assert owner.label.startswith("org.mqdiag.rig.scenario.")
    assert owner.label.endswith(".consumers")
    assert owner.equal_numbers[0] == EqualNumber(
        field="org.mqdiag.rig.scenario.WrapperOverrides.WRAPPER_SETS",
        setting="pullThresholdForQueue",
        value=100,
    )


@one_in_each_run(3)
@pytest.mark.parametrize("name", ["oversized-oom-4.3.2", "stuck-one-5.3.3", "pop-5.3.3"])
def test_the_field_that_holds_a_consumer_is_the_applications(name: str) -> None:
    owner = _owner(name)
    assert owner.label.startswith("org.mqdiag.rig.")
    assert owner.object_id.startswith("0x")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["a.B.port", "a.Base.defaultThreshold"], ["a.Base.defaultThreshold"]),
        (["a.B.THRESHOLD_OF_QUEUE", "a.B.threshold"], ["a.B.THRESHOLD_OF_QUEUE", "a.B.threshold"]),
        (["a.B.d", "a.B.c", "a.B.b", "a.B.a"], ["a.B.a", "a.B.b", "a.B.c"]),
        ([], []),
    ],
)
def test_fields_with_words_of_the_setting_go_before_all_others(fields: list[str], expected: list[str]) -> None:
    assert likeliest(fields, "pullThresholdForQueue") == expected

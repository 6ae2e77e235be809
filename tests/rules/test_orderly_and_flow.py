"""orderly-suspended, orderly-lock-lost, retry-storm, flow-control, pull-service-dead in a heap."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts import Facts
from mqdiag.facts.heap import ClientInstance
from mqdiag.findings import Severity
from mqdiag.rules import flow_control, orderly_lock_lost, orderly_suspended, pull_service_dead, retry_storm
from tests.folded import folded
from tests.rules.checks import (
    findings,
    heap_of,
    reasons,
    said,
    severities,
    with_consumer,
    with_heap,
    with_queue,
)
from tests.rules.examples import example_of
from tests.rules.examples.consumer import CONSUMER, example

HOUR = 3_600_000


@pytest.mark.parametrize(
    ("times", "orderly", "fires"), [(15, True, False), (16, True, True), (99, False, False)]
)
def test_suspended(times: int, orderly: bool, fires: bool) -> None:
    facts = with_consumer(
        with_queue(example_of(orderly_suspended).fires(), most_redelivered=times), orderly=orderly
    )
    assert bool(findings(orderly_suspended, facts)) is fires


@folded(
    "queue, consumer, fires",
    [
        ({}, {}, True),
        ({"locked": True, "last_lock_age_ms": 60_000}, {}, True),
        ({"locked": True, "last_lock_age_ms": 59_999}, {}, False),
        ({"last_consume_age_ms": 59_999}, {}, False),
        ({"messages": 0}, {}, False),
        ({"in_flight": 1}, {}, False),
        ({"dropped": True}, {}, False),
        ({}, {"orderly": False}, False),
        ({}, {"message_model": "BROADCASTING"}, False),
    ],
)
def test_lock(queue: dict[str, object], consumer: dict[str, object], fires: bool) -> None:
    facts = with_consumer(with_queue(example_of(orderly_lock_lost).fires(), **queue), **consumer)
    assert bool(findings(orderly_lock_lost, facts)) is fires


@pytest.mark.parametrize(
    ("messages", "failed", "fires"), [(100, 100, True), (99, 99, False), (400, 120, True), (400, 119, False)]
)
def test_retries(messages: int, failed: int, fires: bool) -> None:
    facts = with_queue(example_of(retry_storm).fires(), messages=messages, redelivered=failed)
    assert bool(findings(retry_storm, facts)) is fires


@pytest.mark.parametrize(
    ("orderly", "named"),
    [
        (False, {"CONSUME_SUCCESS"}),
        (True, {"ConsumeOrderlyStatus.SUCCESS"}),
        (None, {"CONSUME_SUCCESS", "ConsumeOrderlyStatus.SUCCESS"}),
    ],
)
def test_the_status_that_ends_retries_is_that_of_the_listener(orderly: bool | None, named: set[str]) -> None:
    (found,) = findings(retry_storm, with_consumer(example_of(retry_storm).fires(), orderly=orderly))
    both = ("CONSUME_SUCCESS", "ConsumeOrderlyStatus.SUCCESS")
    assert {status for status in both if status in said(found)} == named


@pytest.mark.parametrize(
    ("times", "expected"),
    [(999, []), (1000, [Severity.INFO]), (57_599, [Severity.INFO]), (57_600, [Severity.WARNING])],
)
def test_flow_control_in_an_hour(times: int, expected: list[Severity]) -> None:
    state = {**heap_of(example_of(flow_control).fires()).consumers[0].state, "queueFlowControlTimes": times}
    assert severities(flow_control, with_consumer(example_of(flow_control).fires(), state=state)) == expected


def test_flow_control_says_which() -> None:
    state = {
        **heap_of(example_of(flow_control).fires()).consumers[0].state,
        "queueMaxSpanFlowControlTimes": 6000,
    }
    (finding,) = findings(flow_control, with_consumer(example_of(flow_control).fires(), state=state))
    assert finding.cause == "span"
    assert finding.evidence["uptime_ms"] == HOUR
    (finding,) = findings(flow_control, with_heap(example_of(flow_control).fires(), captured_at=None))
    assert finding.evidence["queues_held_back"] is None


DEAD = ClientInstance(
    object_id="0x10",
    client_id="10.0.0.7@1",
    service_state="RUNNING",
    consumer_groups=("CID_wash",),
    pull_thread="terminated",
    pull_stopped=False,
)


@folded(
    "changes, fires",
    [
        ({}, True),
        ({"pull_thread": "alive"}, False),
        ({"pull_thread": None}, False),
        ({"pull_stopped": True}, False),
        ({"pull_stopped": None}, False),
        ({"service_state": "SHUTDOWN_ALREADY"}, False),
        ({"consumer_groups": ()}, False),
    ],
)
def test_pull_thread(changes: dict[str, object], fires: bool) -> None:
    facts = with_heap(example(), instances=(msgspec.structs.replace(DEAD, **changes),))
    assert bool(findings(pull_service_dead, facts)) is fires


def test_pull_thread_without_evidence() -> None:
    assert reasons(pull_service_dead, Facts()) == ["needs a heap dump or thread dumps"]


@pytest.mark.parametrize(("spans", "most"), [(0, False), (1, True)])
def test_counts_that_a_span_is_among_tell_the_chain_best(spans: int, most: bool) -> None:
    state = {**CONSUMER.state, "queueFlowControlTimes": 5000, "queueMaxSpanFlowControlTimes": spans}
    (found,) = findings(flow_control, example(consumer={"state": state}))
    assert found.tells_most is most

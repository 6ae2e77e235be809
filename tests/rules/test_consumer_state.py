"""consumer-paused, queue-unassigned, duplicate-client-id, client-leak and others: what must not fire."""

from __future__ import annotations

import pytest

from mqdiag.rules import (
    client_leak,
    consumer_paused,
    duplicate_client_id,
    ghost_consumer,
    lite_pull_cache,
    queue_unassigned,
    send_back_failing,
)
from tests.folded import folded
from tests.rules.checks import findings, heap_of, of_kind, with_consumer, with_heap, with_queue
from tests.rules.examples import example_of
from tests.rules.examples.consumer import CONSUMER

START = 1_700_000_000_000
DOWN = {**CONSUMER.state, "serviceState": "SHUTDOWN_ALREADY"}


@pytest.mark.parametrize("state", [DOWN | {"pause": True}, {**CONSUMER.state, "pause": False}, {}])
def test_not_paused(state: dict[str, object]) -> None:
    assert findings(consumer_paused, with_consumer(example_of(consumer_paused).fires(), state=state)) == ()


@folded(
    "consumer, fires",
    [
        ({}, True),
        ({"message_model": "BROADCASTING"}, False),
        (of_kind("pop"), False),
        (of_kind("pull"), False),
        ({"state": DOWN}, False),
        ({"topic_queues": {"segments": 4, "refunds": 0}}, False),
        ({"topic_queues": {"segments": 4, "%RETRY%CID_wash": 1}}, False),
        ({"state": {**CONSUMER.state, "consumerStartTimestamp": START + 3_600_000 - 119_999}}, False),
        ({"state": {**CONSUMER.state, "consumerStartTimestamp": START + 3_600_000 - 120_000}}, True),
    ],
)
def test_unassigned(consumer: dict[str, object], fires: bool) -> None:
    assert (
        bool(findings(queue_unassigned, with_consumer(example_of(queue_unassigned).fires(), **consumer)))
        is fires
    )


def test_unassigned_here_and_assigned_to_the_other_consumer() -> None:
    facts = example_of(queue_unassigned).fires()
    assert findings(queue_unassigned, with_heap(facts, consumers=heap_of(facts).consumers * 2)) == ()


@pytest.mark.parametrize(
    "change", [{"instance_id": "0x20"}, {"state": DOWN}, {"client_id": None}, {"group": "other"}]
)
def test_ids_that_are_not_double(change: dict[str, object]) -> None:
    assert findings(duplicate_client_id, with_consumer(example_of(duplicate_client_id).fires(), **change)) == ()


@pytest.mark.parametrize(("count", "fires"), [(19, False), (20, True)])
def test_leak(count: int, fires: bool) -> None:
    facts = example_of(client_leak).fires()
    facts = with_heap(facts, instances=heap_of(facts).instances[:count])
    assert bool(findings(client_leak, facts)) is fires


@folded(
    "queue, consumer, fires",
    [
        ({"last_consume_age_ms": 60_000}, {}, True),
        ({"last_consume_age_ms": 59_999}, {}, False),
        ({"messages": 99}, {}, False),
        ({}, {"queued_requests": 0}, False),
        ({}, of_kind("push"), False),
    ],
)
def test_lite_pull(queue: dict[str, object], consumer: dict[str, object], fires: bool) -> None:
    facts = with_consumer(with_queue(example_of(lite_pull_cache).fires(), **queue), **consumer)
    assert bool(findings(lite_pull_cache, facts)) is fires


@pytest.mark.parametrize(
    ("consumer", "fires"),
    [
        ({"resubmits": 10}, True),
        ({"resubmits": 9}, False),
        ({"resubmits": None}, False),
        ({"state": DOWN}, False),
    ],
)
def test_send_back(consumer: dict[str, object], fires: bool) -> None:
    assert (
        bool(findings(send_back_failing, with_consumer(example_of(send_back_failing).fires(), **consumer)))
        is fires
    )


@folded(
    "queue, consumer, fires",
    [
        ({"last_pull_age_ms": 30_000}, {}, True),
        ({"last_pull_age_ms": 30_001}, {}, False),
        ({"dropped": True}, {}, False),
        ({"next_offset": None}, {}, False),
        ({}, {"registered": None}, False),
        ({}, of_kind("pop"), False),
        ({}, {"state": DOWN}, False),
    ],
)
def test_ghost(queue: dict[str, object], consumer: dict[str, object], fires: bool) -> None:
    facts = with_consumer(with_queue(example_of(ghost_consumer).fires(), **queue), **consumer)
    assert bool(findings(ghost_consumer, facts)) is fires

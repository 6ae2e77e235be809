"""messages-outside-queues, message-overhead, oversized-message."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts.heap import ConsumerFacts, MessageTotals
from mqdiag.findings import Severity
from mqdiag.language import english
from mqdiag.rules import message_overhead, messages_outside_queues, oversized_message
from tests.folded import folded
from tests.rules.checks import (
    findings,
    heap_of,
    of_kind,
    reasons,
    severities,
    with_consumer,
    with_heap,
    with_queue,
)
from tests.rules.examples import example_of

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("messages", "size", "expected"),
    [
        (500, 20_000_000, [Severity.ERROR]),
        (500, 19_999_999, [Severity.WARNING]),
        (499, 100_000_000, []),
        (500, None, [Severity.WARNING]),
    ],
)
def test_kept_messages(messages: int, size: int | None, expected: list[Severity]) -> None:
    totals = MessageTotals(in_queues=20, elsewhere=messages, elsewhere_bytes=size)
    facts = with_heap(example_of(messages_outside_queues).fires(), message_totals=totals)
    assert severities(messages_outside_queues, facts) == expected


def test_kept_messages_name_the_holder() -> None:
    (finding,) = findings(messages_outside_queues, example_of(messages_outside_queues).fires())
    assert finding.evidence["holder_class"] == "com.acme.Audit"
    assert finding.evidence["holder_field"] == "TRAIL"
    assert english()(finding.title).startswith(
        "com.acme.Audit.TRAIL keeps 2,000 messages that RocketMQ has released"
    )


def test_kept_messages_without_a_single_holder() -> None:
    facts = with_heap(example_of(messages_outside_queues).fires(), message_holders=())
    (finding,) = findings(messages_outside_queues, facts)
    assert finding.evidence["holder_class"] is None
    assert finding.confidence == "medium"


def test_messages_in_executors_are_in_their_place() -> None:
    totals = MessageTotals(in_executors=100_000, in_frames=20)
    assert (
        findings(
            messages_outside_queues,
            with_heap(example_of(messages_outside_queues).fires(), message_totals=totals),
        )
        == ()
    )


@pytest.mark.parametrize(
    ("bodies", "overhead", "fires"),
    [
        (100_000_000, 107_374_183, True),
        (100_000_000, 107_374_182, False),
        (200_000_000, 200_000_000, False),
        (200_000_000, 200_000_001, True),
    ],
)
def test_overhead(bodies: int, overhead: int, fires: bool) -> None:
    facts = with_consumer(
        example_of(message_overhead).fires(), body_bytes=bodies, retained_bytes=bodies + overhead
    )
    assert bool(findings(message_overhead, facts)) is fires


def test_overhead_share_needs_the_heaps_size() -> None:
    facts = with_heap(example_of(message_overhead).fires(), heap_bytes=None)
    assert findings(message_overhead, facts) == ()
    assert "--heap-limit" in reasons(message_overhead, facts)[0]
    assert findings(message_overhead, with_heap(facts, out_of_memory=True))


@folded(
    "body, heap, fires",
    [
        (4 * MIB, None, True),
        (4 * MIB - 1, None, False),
        (2 * MIB, 20 * MIB, True),
        (2 * MIB, 21 * MIB, False),
        (None, 20 * MIB, False),
    ],
)
def test_large_bodies(body: int | None, heap: int | None, fires: bool) -> None:
    facts = with_heap(example_of(oversized_message).fires(), heap_bytes=heap, shallow_bytes=10 * MIB)
    facts = with_queue(facts, largest_body_bytes=body)
    assert bool(findings(oversized_message, facts)) is fires


def test_one_finding_for_a_topic_about_its_largest() -> None:
    facts = example_of(oversized_message).fires()
    (queue,) = heap_of(facts).queues
    larger = msgspec.structs.replace(queue, queue_id=1, largest_body_bytes=9 * MIB, largest_body_offset=3)
    (finding,) = findings(oversized_message, with_heap(facts, queues=(queue, larger)))
    assert finding.evidence["largest_body_bytes"] == 9 * MIB
    assert finding.evidence["offset"] == 3


def test_large_bodies_of_a_pop_consumer() -> None:
    consumer = ConsumerFacts(group="g", **of_kind("pop"), largest_body_bytes=5 * MIB)
    facts = with_heap(example_of(oversized_message).silent(), consumers=(consumer,))
    assert len(findings(oversized_message, facts)) == 1

"""messages-outside-queues, heap-held-by-application, message-overhead, oversized-message."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts.heap import ConsumerFacts, MessageTotals
from mqdiag.findings import Severity
from mqdiag.rules.heap import (
    heap_held_by_application,
    message_overhead,
    messages_outside_queues,
    oversized_message,
)
from tests.rules.heap.checks import (
    findings,
    heap_of,
    of_kind,
    reasons,
    severities,
    with_consumer,
    with_heap,
    with_queue,
)

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
    facts = with_heap(messages_outside_queues.fires(), message_totals=totals)
    assert severities(messages_outside_queues, facts) == expected


def test_kept_messages_name_the_holder() -> None:
    (finding,) = findings(messages_outside_queues, messages_outside_queues.fires())
    assert finding.evidence["holder_class"] == "com.acme.Audit"
    assert finding.evidence["holder_field"] == "TRAIL"
    assert "com.acme.Audit.TRAIL" in finding.title


def test_kept_messages_without_a_single_holder() -> None:
    facts = with_heap(messages_outside_queues.fires(), message_holders=())
    (finding,) = findings(messages_outside_queues, facts)
    assert finding.evidence["holder_class"] is None
    assert finding.confidence == "medium"


def test_messages_in_executors_are_in_their_place() -> None:
    totals = MessageTotals(in_executors=100_000, in_frames=20)
    assert (
        findings(messages_outside_queues, with_heap(messages_outside_queues.fires(), message_totals=totals))
        == ()
    )


@pytest.mark.parametrize(
    ("retained", "reachable", "expected"),
    [
        (100 * MIB, 200 * MIB, [Severity.ERROR]),
        (100 * MIB, 201 * MIB, [Severity.WARNING]),
        (60 * MIB + 4 * MIB, 213 * MIB, [Severity.WARNING]),
        (64 * MIB, 214 * MIB, []),
        (64 * MIB - 1, 64 * MIB, []),
    ],
)
def test_application_share(retained: int, reachable: int, expected: list[Severity]) -> None:
    facts = heap_held_by_application.fires()
    suspect = msgspec.structs.replace(heap_of(facts).suspects[0], retained_bytes=retained)
    facts = with_heap(facts, suspects=(suspect,), shallow_bytes=reachable)
    assert severities(heap_held_by_application, facts) == expected


def test_a_small_heap_that_ran_out_is_told() -> None:
    facts = with_heap(heap_held_by_application.fires(), out_of_memory=True, shallow_bytes=58 * MIB)
    suspect = msgspec.structs.replace(heap_of(facts).suspects[0], retained_bytes=52 * MIB)
    assert severities(heap_held_by_application, with_heap(facts, suspects=(suspect,))) == [Severity.WARNING]
    rest = msgspec.structs.replace(suspect, retained_bytes=28 * MIB)
    assert severities(heap_held_by_application, with_heap(facts, suspects=(rest,))) == []


def test_rocketmqs_own_weight_is_not_the_applications() -> None:
    facts = heap_held_by_application.fires()
    suspect = msgspec.structs.replace(heap_of(facts).suspects[0], owner="rocketmq")
    assert findings(heap_held_by_application, with_heap(facts, suspects=(suspect,))) == ()


def test_consumers_below_an_application_object_are_not_the_applications() -> None:
    facts = heap_held_by_application.fires()
    consumer = ConsumerFacts(group="g", kind="push", retained_bytes=140_000_000)
    assert findings(heap_held_by_application, with_heap(facts, consumers=(consumer,))) == ()
    beside = msgspec.structs.replace(consumer, retained_bytes=40_000_000)
    assert severities(heap_held_by_application, with_heap(facts, consumers=(beside,))) == [Severity.ERROR]


def test_kept_messages_have_their_own_finding() -> None:
    facts = heap_held_by_application.fires()
    totals = MessageTotals(elsewhere=3000, elsewhere_bytes=140_000_000)
    assert findings(heap_held_by_application, with_heap(facts, message_totals=totals)) == ()


def test_application_evidence_names_class_and_field() -> None:
    (finding,) = findings(heap_held_by_application, heap_held_by_application.fires())
    assert finding.evidence["holder_class"] == "com.acme.ReportCache"
    assert finding.evidence["holder_field"] == "ENTRIES"
    assert finding.evidence["path"] == ("class com.acme.ReportCache", "ENTRIES java.util.HashMap")


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
    facts = with_consumer(message_overhead.fires(), body_bytes=bodies, retained_bytes=bodies + overhead)
    assert bool(findings(message_overhead, facts)) is fires


def test_overhead_share_needs_the_heaps_size() -> None:
    facts = with_heap(message_overhead.fires(), heap_bytes=None)
    assert findings(message_overhead, facts) == ()
    assert "--heap-limit" in reasons(message_overhead, facts)[0]
    assert findings(message_overhead, with_heap(facts, out_of_memory=True))


@pytest.mark.parametrize(
    ("body", "heap", "fires"),
    [
        (4 * MIB, None, True),
        (4 * MIB - 1, None, False),
        (2 * MIB, 20 * MIB, True),
        (2 * MIB, 21 * MIB, False),
        (None, 20 * MIB, False),
    ],
)
def test_large_bodies(body: int | None, heap: int | None, fires: bool) -> None:
    facts = with_queue(with_heap(oversized_message.fires(), heap_bytes=heap), largest_body_bytes=body)
    assert bool(findings(oversized_message, facts)) is fires


def test_one_finding_for_a_topic_about_its_largest() -> None:
    facts = oversized_message.fires()
    (queue,) = heap_of(facts).queues
    larger = msgspec.structs.replace(queue, queue_id=1, largest_body_bytes=9 * MIB, largest_body_offset=3)
    (finding,) = findings(oversized_message, with_heap(facts, queues=(queue, larger)))
    assert finding.evidence["largest_body_bytes"] == 9 * MIB
    assert finding.evidence["offset"] == 3


def test_large_bodies_of_a_pop_consumer() -> None:
    consumer = ConsumerFacts(group="g", **of_kind("pop"), largest_body_bytes=5 * MIB)
    facts = with_heap(oversized_message.silent(), consumers=(consumer,))
    assert len(findings(oversized_message, facts)) == 1

"""heap-held-by-application: how large an accumulation must be, and what is RocketMQ's own."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts import Facts
from mqdiag.facts.heap import ConsumerFacts, MessageTotals
from mqdiag.facts.recordings import OldObject, RecordedCollections, RecordingsFacts
from mqdiag.findings import Severity
from mqdiag.rules import heap_held_by_application
from tests.folded import folded
from tests.rules.checks import findings, heap_of, margins, severities, with_heap
from tests.rules.examples import example_of
from tests.rules.examples.recorded import recording

MIB = 1024 * 1024


@folded(
    "retained, reachable, expected",
    [
        (100 * MIB, 200 * MIB, [Severity.ERROR]),
        (100 * MIB, 201 * MIB, [Severity.WARNING]),
        (60 * MIB + 4 * MIB, 213 * MIB, [Severity.WARNING]),
        (64 * MIB, 214 * MIB, []),
        (64 * MIB - 1, 64 * MIB, []),
    ],
)
def test_application_share(retained: int, reachable: int, expected: list[Severity]) -> None:
    facts = example_of(heap_held_by_application).fires()
    suspect = msgspec.structs.replace(heap_of(facts).suspects[0], retained_bytes=retained)
    facts = with_heap(facts, suspects=(suspect,), shallow_bytes=reachable)
    assert severities(heap_held_by_application, facts) == expected


def test_a_small_heap_that_ran_out_is_told() -> None:
    facts = with_heap(example_of(heap_held_by_application).fires(), out_of_memory=True, shallow_bytes=58 * MIB)
    suspect = msgspec.structs.replace(heap_of(facts).suspects[0], retained_bytes=52 * MIB)
    assert severities(heap_held_by_application, with_heap(facts, suspects=(suspect,))) == [Severity.ERROR]
    part = msgspec.structs.replace(suspect, retained_bytes=28 * MIB)
    assert severities(heap_held_by_application, with_heap(facts, suspects=(part,))) == [Severity.WARNING]
    rest = msgspec.structs.replace(suspect, retained_bytes=17 * MIB)
    assert severities(heap_held_by_application, with_heap(facts, suspects=(rest,))) == []


@pytest.mark.parametrize(("heap_bytes", "expected"), [(104 * MIB, [Severity.ERROR]), (105 * MIB, [])])
def test_a_small_heap_counts_by_its_share_of_the_limit(heap_bytes: int, expected: list[Severity]) -> None:
    facts = example_of(heap_held_by_application).fires()
    suspect = msgspec.structs.replace(heap_of(facts).suspects[0], retained_bytes=52 * MIB)
    small = with_heap(facts, suspects=(suspect,), shallow_bytes=52 * MIB, heap_bytes=heap_bytes)
    assert severities(heap_held_by_application, small) == expected


def test_two_that_fill_the_heap_together_are_both_named() -> None:
    facts = example_of(heap_held_by_application).fires()
    both = tuple(
        msgspec.structs.replace(heap_of(facts).suspects[0], label=f"com.acme.{name}", retained_bytes=part * MIB)
        for name, part in (("A.MAP", 26), ("B.MAP", 24))
    )
    full = with_heap(facts, suspects=both, shallow_bytes=50 * MIB, heap_bytes=80 * MIB)
    assert severities(heap_held_by_application, full) == [Severity.ERROR, Severity.WARNING]


def test_beans_of_similar_size_are_told_and_are_no_fault() -> None:
    facts = example_of(heap_held_by_application).fires()
    even = msgspec.structs.replace(
        heap_of(facts).suspects[0],
        even=True,
        entries=60,
        entry_classes=("com.acme.Bean: 60",),
        largest_entry_share=0.02,
    )
    (finding,) = findings(heap_held_by_application, with_heap(facts, suspects=(even,)))
    assert (finding.severity, finding.cause) == (Severity.INFO, "spread-evenly")
    assert "spread evenly over {entries:count} entries" in finding.title.template


def test_without_rocketmq_no_sentence_is_about_it() -> None:
    (finding,) = findings(heap_held_by_application, example_of(heap_held_by_application).fires())
    assert not [
        one for one in (finding.title, *finding.explanation, *finding.remedy) if "RocketMQ" in one.template
    ]
    consumer = ConsumerFacts(group="g", kind="push", retained_bytes=1_000)
    (beside,) = findings(
        heap_held_by_application, with_heap(example_of(heap_held_by_application).fires(), consumers=(consumer,))
    )
    assert "thresholds" in beside.remedy[-1].template


def test_rocketmqs_own_weight_is_not_the_applications() -> None:
    facts = example_of(heap_held_by_application).fires()
    suspect = msgspec.structs.replace(heap_of(facts).suspects[0], owner="rocketmq")
    assert findings(heap_held_by_application, with_heap(facts, suspects=(suspect,))) == ()


def test_consumers_below_an_application_object_are_not_the_applications() -> None:
    facts = example_of(heap_held_by_application).fires()
    consumer = ConsumerFacts(group="g", kind="push", retained_bytes=140_000_000)
    assert findings(heap_held_by_application, with_heap(facts, consumers=(consumer,))) == ()
    beside = msgspec.structs.replace(consumer, retained_bytes=40_000_000)
    assert severities(heap_held_by_application, with_heap(facts, consumers=(beside,))) == [Severity.ERROR]


def test_kept_messages_have_their_own_finding() -> None:
    facts = example_of(heap_held_by_application).fires()
    totals = MessageTotals(elsewhere=3000, elsewhere_bytes=140_000_000)
    assert findings(heap_held_by_application, with_heap(facts, message_totals=totals)) == ()


def test_application_evidence_names_class_and_field() -> None:
    (finding,) = findings(heap_held_by_application, example_of(heap_held_by_application).fires())
    assert finding.evidence["holder_class"] == "com.acme.ReportCache"
    assert finding.evidence["holder_field"] == "ENTRIES"
    assert finding.evidence["path"] == ("class com.acme.ReportCache", "ENTRIES java.util.HashMap")


@pytest.mark.parametrize(
    ("retained", "expected"),
    [
        (50_000_000, [(0.25, 0.3, "percent")]),
        (63_000_000, [(63_000_000, 64 * MIB, "bytes")]),
        (150_000_000, []),
        (MIB - 1, []),
    ],
)
def test_a_healthy_heap_learns_how_close_its_largest_accumulation_is(
    retained: int, expected: list[tuple[float, float, str]]
) -> None:
    facts = example_of(heap_held_by_application).fires()
    suspect = msgspec.structs.replace(heap_of(facts).suspects[0], retained_bytes=retained)
    found = margins(heap_held_by_application, with_heap(facts, suspects=(suspect,)))
    assert [(one.value, one.limit, one.kind) for one in found] == expected


@folded(
    "heap_bytes, out_of_memory, expected",
    [
        (None, False, Severity.ERROR),
        (200 * MIB, False, Severity.ERROR),
        (201 * MIB, False, Severity.WARNING),
        (200 * MIB, True, Severity.ERROR),
        (201 * MIB, True, Severity.WARNING),
    ],
)
def test_a_large_cache_in_a_heap_with_room_is_no_error(
    heap_bytes: int | None, out_of_memory: bool, expected: Severity
) -> None:
    facts = example_of(heap_held_by_application).fires()
    suspect = msgspec.structs.replace(heap_of(facts).suspects[0], retained_bytes=100 * MIB)
    roomy = with_heap(
        facts,
        suspects=(suspect,),
        shallow_bytes=100 * MIB,
        heap_bytes=heap_bytes,
        heap_bytes_source=None if heap_bytes is None else "max-memory-static",
        out_of_memory=out_of_memory,
    )
    assert severities(heap_held_by_application, roomy) == [expected]


def test_a_leak_in_a_recording_names_its_file_and_its_holders() -> None:
    collected = RecordedCollections(
        collections=9,
        old_collections=1,
        pause_ms=90.0,
        longest_pause_ms=20.0,
        pause_share=0.01,
        heap_max_bytes=1000,
    )
    holders = ("app.Registry.entries",)
    old = OldObject(class_name="byte[]", samples=90, oldest_seconds=9.0, frame="app.Registry.add", path=holders)
    facts = recording(old_objects=(old,), collections=collected, heap=((0.0, 100), (10.0, 900)))
    (found,) = findings(heap_held_by_application, Facts(recordings=RecordingsFacts(recordings=(facts,))))
    assert (found.evidence["path"], found.evidence["held_by"]) == ("recording.jfr", holders)
    assert found.rests_on == ("recording.jfr",)
    assert [one.first for one in found.when] == [facts.began_at]

"""consumer-cache-exceeds-heap: its limits, its evidence, its arithmetic and its advice."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts.heap import MessageTotals
from mqdiag.findings import Confidence, Severity
from mqdiag.language import english
from mqdiag.rocketmq.clients.grpc_push import GrpcPush
from mqdiag.rules import consumer_cache_exceeds_heap as module
from tests.folded import folded
from tests.rules.checks import (
    findings,
    heap_of,
    margins,
    of_kind,
    reasons,
    said,
    severities,
    with_consumer,
    with_heap,
)
from tests.rules.examples import example_of

GIB = 1024**3
HEAP = 1000 * 1000 * 1000


def _holding(held: int, bound: int, **heap: object) -> object:
    """One consumer of 10 queues that holds and may hold so many bytes, in a heap of 1,000,000,000 bytes."""
    facts = with_consumer(
        example_of(module).fires(),
        body_bytes=held,
        bound_bytes=bound,
        bounded_queues=10,
        average_body_bytes=bound / 1000,
        config={"pullThresholdForQueue": 100},
    )
    parts = {
        "message_totals": MessageTotals(in_queues_body_bytes=held),
        "heap_bytes": HEAP,
        "shallow_bytes": held,
        "out_of_memory": False,
        **heap,
    }
    return with_heap(facts, **parts)


@folded(
    "held, bound, oom, expected",
    [
        (500_000_000, 600_000_000, False, [Severity.ERROR]),
        (499_999_999, 600_000_000, False, []),
        (499_999_999, 600_001_000, False, [Severity.WARNING]),
        (250_000_000, 1_000_001_000, False, [Severity.ERROR]),
        (249_999_999, 1_000_001_000, False, [Severity.WARNING]),
        (1000, 1_000_001_000, True, [Severity.ERROR]),
        (1000, 1_000_000_000, True, [Severity.WARNING]),
        (1000, 600_000_000, True, []),
    ],
)
def test_thresholds_to_the_letter(held: int, bound: int, oom: bool, expected: list[Severity]) -> None:
    facts = _holding(held, bound, out_of_memory=oom, shallow_bytes=HEAP if oom else held)
    assert severities(module, facts) == expected  # type: ignore[arg-type]


def test_an_error_in_a_heap_with_room_is_not_the_caches_fault() -> None:
    facts = _holding(
        1000, 1_000_001_000, out_of_memory=True, shallow_bytes=HEAP // 3, heap_bytes_source="max-memory-static"
    )
    assert severities(module, facts) == [Severity.WARNING]  # type: ignore[arg-type]


def test_evidence_has_the_contracts_names_and_the_articles_numbers() -> None:
    (finding,) = findings(module, example_of(module).fires())
    evidence = finding.evidence
    assert evidence["process_queues"] == 55
    assert evidence["threshold"] == 100
    assert evidence["threshold_bytes"] == 100 * 1024 * 1024
    assert evidence["average_body_bytes"] == 428_311
    assert evidence["largest_body_bytes"] == 500_000
    assert evidence["held_bytes"] == 55 * 70 * 428_311
    assert evidence["held_share"] == pytest.approx(0.7679, abs=1e-4)
    assert evidence["bound_bytes"] == 2_355_710_500
    assert (evidence["heap_bytes"], evidence["heap_bytes_source"]) == (2 * GIB, "option")
    assert (evidence["recommended_threshold"], evidence["recommended_threshold_mib"]) == (27, 10)


def test_shows_the_arithmetic_and_names_the_setters() -> None:
    (finding,) = findings(module, example_of(module).fires())
    assert english()(finding.explanation[0]) == (
        "55 queues x 100 messages x 428,311 bytes = 2,247 MiB; the heap is 2,048 MiB."
    )
    assert english()(finding.explanation[2]) == (
        "With 27 messages in each queue: 55 queues x 27 messages x 428,311 bytes = 607 MiB, 30 % of the heap."
        " The aim is at most 30 % (614 MiB)."
    )
    remedy = english()(finding.then[0].text)
    assert "setPullThresholdForQueue(27)" in remedy
    assert "setPullThresholdSizeForQueue(10)" in remedy
    assert "pullThresholdForQueue=100 and pullThresholdSizeForQueue=100" in remedy
    assert "rocketmq-spring" in english()(finding.then[1].text)


def test_unknown_heap_takes_the_dumps_total_after_an_out_of_memory_error() -> None:
    facts = with_heap(example_of(module).fires(), heap_bytes=None, heap_bytes_source=None)
    (finding,) = findings(module, facts)
    assert finding.severity is Severity.ERROR
    assert finding.confidence is Confidence.MEDIUM
    assert finding.evidence["heap_bytes"] is None
    assert finding.evidence["dump_total_bytes"] == 1_750_000_000
    assert "at least" in english()(finding.explanation[0])


def test_unknown_heap_of_a_dump_that_was_asked_for_is_said_and_not_guessed() -> None:
    facts = with_heap(example_of(module).fires(), heap_bytes=None, heap_bytes_source=None, out_of_memory=False)
    assert findings(module, facts) == ()
    assert "--heap-limit" in reasons(module, facts)[0]


def test_bounds_of_all_consumers_add_up() -> None:
    first = heap_of(_holding(1000, 400_000_000)).consumers[0]  # type: ignore[arg-type]
    second = msgspec.structs.replace(first, group="CID_other", body_bytes=500)
    one = with_heap(_holding(1000, 400_000_000), consumers=(first,))  # type: ignore[arg-type]
    assert severities(module, one) == []
    both = with_heap(one, consumers=(first, second))
    (finding,) = findings(module, both)
    assert finding.severity is Severity.WARNING
    assert finding.subject.group == first.group
    assert finding.evidence["bound_bytes"] == 800_000_000
    assert finding.evidence["consumers"] == 2
    first_sum, second_sum, together, *_ = map(english(), finding.explanation)
    assert first_sum.startswith(f"Group {first.group}: ")
    assert second_sum.startswith("Group CID_other: ")
    assert together.startswith("Together they may cache 763 MiB")


def test_pop_messages_in_the_executor_are_held_too() -> None:
    facts = with_consumer(example_of(module).fires(), **of_kind("pop"), config={"popThresholdForQueue": 96})
    facts = with_heap(facts, message_totals=MessageTotals())
    (finding,) = findings(module, facts)
    assert finding.evidence["threshold"] == 96
    assert "setPopThresholdForQueue" in english()(finding.then[0].text)


def test_held_alone_is_enough_when_the_bound_is_unknown() -> None:
    facts = with_consumer(
        example_of(module).fires(), measured_messages=3, bound_bytes=None, average_body_bytes=None, messages=3
    )
    (finding,) = findings(module, facts)
    assert finding.severity is Severity.ERROR
    assert finding.evidence["recommended_threshold"] is None


def test_size_limit_that_binds_is_shown() -> None:
    facts = with_consumer(
        example_of(module).fires(),
        config={"pullThresholdForQueue": 1000, "pullThresholdSizeForQueue": 100},
        bound_bytes=55 * 101 * 1024 * 1024,
    )
    (finding,) = findings(module, facts)
    assert "101 MiB" in english()(finding.explanation[0])


def test_division_by_topic_is_mentioned() -> None:
    facts = with_consumer(
        example_of(module).fires(), config={"pullThresholdForQueue": 100, "pullThresholdForTopic": 5600}
    )
    (finding,) = findings(module, facts)
    assert "pullThresholdForTopic=5600" in said(finding)


def test_limits_can_be_set() -> None:
    facts = _holding(400_000_000, 500_000_000)
    assert findings(module, facts) == ()  # type: ignore[arg-type]
    (finding,) = findings(module, facts, held_share_error=0.4)  # type: ignore[arg-type]
    assert finding.severity is Severity.ERROR


def test_a_pull_consumer_caches_nothing() -> None:
    assert findings(module, with_consumer(example_of(module).fires(), **of_kind("pull"))) == ()


def test_without_the_graph_it_is_skipped() -> None:
    assert "--quick" in reasons(module, with_heap(example_of(module).fires(), process_queues=None))[0]


def test_says_when_the_least_values_are_not_enough() -> None:
    facts = with_heap(example_of(module).fires(), heap_bytes=64 * 1024 * 1024, shallow_bytes=60 * 1024 * 1024)
    (finding,) = findings(module, facts)
    assert finding.evidence["recommended_threshold"] == 1
    assert finding.evidence["recommended_threshold_mib"] == 1
    assert "too small" in said(finding)
    assert "cannot go below 1 MiB" in said(finding)


def test_healthy_queues_a_pull_above_their_threshold_are_no_finding() -> None:
    assert findings(module, example_of(module).silent()) == ()


def test_a_healthy_heap_learns_how_close_both_limits_are() -> None:
    held, bound = margins(module, example_of(module).silent(), bound_share_warning=0.8)
    assert (held.value, held.limit) == (pytest.approx(55 * 28 * 428_311 / (2 * GIB)), 0.5)
    assert (bound.value, bound.limit) == (pytest.approx(55 * 27 * 428_311 / (2 * GIB)), 0.8)
    assert {held.kind, bound.kind} == {"percent"}


def test_a_bound_of_some_consumers_is_said_to_be_theirs() -> None:
    facts = example_of(module).silent()
    first = heap_of(facts).consumers[0]
    unmeasured = msgspec.structs.replace(first, group="CID_other", measured_messages=3, bound_bytes=None)
    _, bound = margins(module, with_heap(facts, consumers=(first, unmeasured)))
    assert "1 of 2 consumers" in english()(bound.label)


def test_a_heap_of_unknown_size_has_no_margins() -> None:
    assert margins(module, with_heap(example_of(module).silent(), heap_bytes=None)) == ()


def test_advice_that_the_size_limit_decides_shows_no_product() -> None:
    """100 messages of 2 MiB are twice what the size limit lets into a queue."""
    facts = with_consumer(
        example_of(module).fires(),
        average_body_bytes=2.0 * 1024 * 1024,
        bound_bytes=55 * 101 * 1024 * 1024,
    )
    (finding,) = findings(module, with_heap(facts, heap_bytes=20 * GIB), bound_share_warning=0.2)
    assert finding.evidence["recommended_threshold"] == 100
    assert "the limits on the size of a queue" in english()(finding.explanation[2])


def test_a_given_limit_that_the_dump_contradicts_hides_no_fault() -> None:
    roomy = with_heap(example_of(module).fires(), heap_bytes=64 * GIB)
    assert findings(module, roomy) == ()
    (finding,) = findings(
        module,
        with_heap(roomy, contradicting_heap_bytes=2 * GIB, contradicting_heap_bytes_source="jvm-arguments"),
    )
    assert finding.severity is Severity.ERROR
    assert (finding.evidence["heap_bytes"], finding.evidence["heap_bytes_source"]) == (
        2 * GIB,
        "jvm-arguments",
    )


def test_a_limit_below_the_live_objects_is_no_limit() -> None:
    facts = with_heap(example_of(module).silent(), heap_bytes=GIB)
    assert findings(module, facts) == ()
    assert margins(module, facts) == ()


def test_a_share_of_nothing_cannot_be_recommended() -> None:
    least, _ = module.RULE.texts.ranges["recommended_share"]
    assert least > 0
    (finding,) = findings(module, example_of(module).fires(), recommended_share=least)
    assert finding.evidence["recommended_threshold"] == 1


def test_a_size_limit_that_is_no_whole_number_of_mib_is_shown_in_tenths() -> None:
    facts = with_consumer(
        example_of(module).fires(),
        kind="grpc-push",
        traits=GrpcPush.traits,
        config={"maxCacheMessageCount": 1000, "maxCacheMessageSizeInBytes": 100 * 1024 * 1024 + (1 << 19)},
    )
    (finding,) = findings(module, facts)
    assert finding.evidence["threshold_mib"] == 100.5

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts.heap import MessageTotals
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.heap import consumer_cache_exceeds_heap as module
from tests.rules.heap.checks import findings, heap_of, of_kind, reasons, severities, with_consumer, with_heap

GIB = 1024**3
HEAP = 1000 * 1000 * 1000


def _holding(held: int, bound: int, **heap: object) -> object:
    """One consumer of 10 queues that holds and may hold so many bytes, in a heap of 1,000,000,000 bytes."""
    facts = with_consumer(
        module.fires(),
        body_bytes=held,
        bound_bytes=bound,
        bounded_queues=10,
        average_body_bytes=bound / 1000,
        config={"pullThresholdForQueue": 100},
    )
    parts = {
        "message_totals": MessageTotals(in_queues_body_bytes=held),
        "heap_bytes": HEAP,
        "out_of_memory": False,
        **heap,
    }
    return with_heap(facts, **parts)


@pytest.mark.parametrize(
    ("held", "bound", "oom", "expected"),
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
    assert severities(module, _holding(held, bound, out_of_memory=oom)) == expected  # type: ignore[arg-type]


def test_evidence_has_the_contracts_names_and_the_articles_numbers() -> None:
    (finding,) = findings(module, module.fires())
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
    (finding,) = findings(module, module.fires())
    assert finding.explanation[0] == (
        "55 queues x 100 messages x 428,311 bytes = 2,246 MiB; the heap is 2,048 MiB."
    )
    assert "setPullThresholdForQueue(27)" in finding.remedy[0]
    assert "setPullThresholdSizeForQueue(10)" in finding.remedy[0]
    assert any("rocketmq-spring" in step for step in finding.remedy)


def test_unknown_heap_takes_the_dumps_total_after_an_out_of_memory_error() -> None:
    facts = with_heap(module.fires(), heap_bytes=None, heap_bytes_source=None)
    (finding,) = findings(module, facts)
    assert finding.severity is Severity.ERROR
    assert finding.confidence is Confidence.MEDIUM
    assert finding.evidence["heap_bytes"] is None
    assert finding.evidence["dump_total_bytes"] == 1_750_000_000
    assert "at least" in finding.explanation[0]


def test_unknown_heap_of_a_dump_that_was_asked_for_is_said_and_not_guessed() -> None:
    facts = with_heap(module.fires(), heap_bytes=None, heap_bytes_source=None, out_of_memory=False)
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
    assert any("CID_other" in line for line in finding.explanation)


def test_pop_messages_in_the_executor_are_held_too() -> None:
    facts = with_consumer(module.fires(), **of_kind("pop"), config={"popThresholdForQueue": 96})
    facts = with_heap(facts, message_totals=MessageTotals())
    (finding,) = findings(module, facts)
    assert finding.evidence["threshold"] == 96
    assert "setPopThresholdForQueue" in finding.remedy[0]


def test_held_alone_is_enough_when_the_bound_is_unknown() -> None:
    facts = with_consumer(
        module.fires(), measured_messages=3, bound_bytes=None, average_body_bytes=None, messages=3
    )
    (finding,) = findings(module, facts)
    assert finding.severity is Severity.ERROR
    assert finding.evidence["recommended_threshold"] is None


def test_size_limit_that_binds_is_shown() -> None:
    facts = with_consumer(
        module.fires(),
        config={"pullThresholdForQueue": 1000, "pullThresholdSizeForQueue": 100},
        bound_bytes=55 * 101 * 1024 * 1024,
    )
    (finding,) = findings(module, facts)
    assert "101 MiB" in finding.explanation[0]


def test_division_by_topic_is_mentioned() -> None:
    facts = with_consumer(module.fires(), config={"pullThresholdForQueue": 100, "pullThresholdForTopic": 5600})
    (finding,) = findings(module, facts)
    assert any("pullThresholdForTopic=5600" in step for step in finding.remedy)


def test_limits_can_be_set() -> None:
    facts = _holding(400_000_000, 500_000_000)
    assert findings(module, facts) == ()  # type: ignore[arg-type]
    (finding,) = findings(module, facts, held_share_error=0.4)  # type: ignore[arg-type]
    assert finding.severity is Severity.ERROR


def test_a_pull_consumer_caches_nothing() -> None:
    assert findings(module, with_consumer(module.fires(), **of_kind("pull"))) == ()


def test_without_the_graph_it_is_skipped() -> None:
    assert "--quick" in reasons(module, with_heap(module.fires(), process_queues=None))[0]


def test_says_when_the_least_values_are_not_enough() -> None:
    facts = with_heap(module.fires(), heap_bytes=64 * 1024 * 1024)
    (finding,) = findings(module, facts)
    assert finding.evidence["recommended_threshold"] == 1
    assert finding.evidence["recommended_threshold_mib"] == 1
    assert any("too small" in line for line in finding.explanation)
    assert any("cannot go below 1 MiB" in line for line in finding.explanation)


def test_healthy_queues_a_pull_above_their_threshold_are_no_finding() -> None:
    assert findings(module, module.silent()) == ()

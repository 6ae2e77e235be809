"""stuck-consumer-thread: limits of time, what is no standstill, threads at the same place."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.language import english
from mqdiag.rules import stuck_consumer_thread as rule
from mqdiag.text import say
from tests.folded import folded
from tests.rules.checks import findings, heap_of, margins, said, severities, with_consumer, with_heap
from tests.rules.examples import example_of

MINUTE = 60_000


def _with_message(facts: Facts, **changes: object) -> Facts:
    thread = heap_of(facts).threads[0]
    message = msgspec.structs.replace(thread.message, **changes)  # type: ignore[type-var]
    return with_heap(facts, threads=(msgspec.structs.replace(thread, message=message),))


@folded(
    "age, expected",
    [
        (None, []),
        (MINUTE - 1, []),
        (MINUTE, [Severity.WARNING]),
        (15 * MINUTE - 1, [Severity.WARNING]),
        (15 * MINUTE, [Severity.ERROR]),
    ],
)
def test_ages(age: int | None, expected: list[Severity]) -> None:
    assert severities(rule, _with_message(example_of(rule).fires(), age_ms=age)) == expected


def test_who_waits_to_be_let_in_stands_behind_who_hangs() -> None:
    """Four threads before a monitor, and the one that has it in a query."""
    facts = example_of(rule).fires()
    (thread,) = heap_of(facts).threads
    assert thread.call is not None
    blocked = msgspec.structs.replace(thread.call, cause="stuck-holder", doing="monitor")
    waiting = tuple(
        msgspec.structs.replace(thread, name=f"ConsumeMessageThread_CID_wash_{number}", call=blocked)
        for number in range(10, 14)
    )
    root, behind = sorted(
        findings(rule, with_heap(facts, threads=(*waiting, thread))), key=lambda one: -one.weight
    )
    assert (root.cause, behind.cause) == ("missing-http-timeout", "stuck-holder")
    assert english()(behind.explanation[-1]).startswith("Another thread of the group")
    (alone,) = findings(rule, with_heap(facts, threads=waiting))
    assert (alone.weight, len(alone.explanation)) == (4.0, len(behind.explanation) - 1)


def test_a_slow_call_is_less_sure() -> None:
    (finding,) = findings(rule, _with_message(example_of(rule).fires(), age_ms=2 * MINUTE))
    assert finding.confidence is Confidence.MEDIUM


def test_evidence() -> None:
    (finding,) = findings(rule, example_of(rule).fires())
    assert finding.cause == "missing-http-timeout"
    assert finding.evidence["thread"] == "ConsumeMessageThread_CID_wash_7"
    assert finding.evidence["min_offset"] == finding.evidence["offset"] == 2101
    assert finding.evidence["msg_id"] == "7F0000010000"
    assert [action.text for action in finding.then] == [say("Set RequestConfig.setSocketTimeout.")]
    assert (finding.subject.topic, finding.subject.queue_id) == ("segments", 3)


def test_without_consume_timeout_as_before_3_5_3() -> None:
    facts = with_consumer(_with_message(example_of(rule).fires(), age_ms=10 * 60 * MINUTE), config={})
    assert severities(rule, facts) == [Severity.WARNING]


def test_a_worker_whose_listener_is_done_is_another_fault() -> None:
    thread = msgspec.structs.replace(heap_of(example_of(rule).fires()).threads[0], call=None)
    assert findings(rule, with_heap(example_of(rule).fires(), threads=(thread,))) == ()


def test_a_dump_without_stacks() -> None:
    thread = msgspec.structs.replace(heap_of(example_of(rule).fires()).threads[0], call=None, frames=())
    (finding,) = findings(rule, with_heap(example_of(rule).fires(), threads=(thread,)))
    assert finding.cause == "stuck-listener"
    assert finding.evidence["frame"] is None


def test_threads_at_the_same_place_are_one_finding() -> None:
    thread = heap_of(example_of(rule).fires()).threads[0]
    message = msgspec.structs.replace(thread.message, queue_id=1, age_ms=20 * MINUTE)  # type: ignore[type-var]
    other = msgspec.structs.replace(thread, name="ConsumeMessageThread_CID_wash_8", message=message)
    (finding,) = findings(rule, with_heap(example_of(rule).fires(), threads=(thread, other)))
    assert finding.evidence["thread"] == "ConsumeMessageThread_CID_wash_8"
    assert len(finding.evidence["threads"]) == 2  # type: ignore[arg-type]
    assert finding.subject.queue_id is None


def test_the_finding_reaches_back_to_when_the_thread_began() -> None:
    (finding,) = findings(rule, with_heap(example_of(rule).fires(), captured_at="2026-11-22T03:30:00+00:00"))
    assert [one.first for one in finding.when] == ["2026-11-22T03:14:00+00:00"]
    assert "had worked on this message for 16 min when the dump was taken" in said(finding)


def test_a_healthy_reader_learns_how_close_the_limit_is() -> None:
    (margin,) = margins(rule, example_of(rule).silent())
    assert (margin.rule, margin.value, margin.limit, margin.kind) == (
        "stuck-consumer-thread",
        30_000,
        MINUTE,
        "ms",
    )
    assert margins(rule, _with_message(example_of(rule).silent(), age_ms=None)) == ()

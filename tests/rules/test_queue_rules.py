"""offset-stuck-at-head, orphaned-queue, no-size-limit, the two small ones."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.language import english
from mqdiag.rules import (
    no_size_limit,
    offset_stuck_at_head,
    orphaned_queue,
    out_of_memory_thread,
    stuck_consumer_thread,
    unsupported_client,
)
from tests.folded import folded
from tests.rules.checks import (
    findings,
    heap_of,
    of_kind,
    severities,
    with_consumer,
    with_heap,
    with_queue,
)
from tests.rules.examples import example_of

MINUTE = 60_000


@folded(
    "age, span, finished, expected",
    [
        (60_000, 2001, 0, [Severity.ERROR]),
        (59_999, 2001, 5000, []),
        (60_000, 2000, 99, []),
        (60_000, 2000, 100, [Severity.WARNING]),
        (15 * MINUTE, 0, 0, [Severity.ERROR]),
        (15 * MINUTE - 1, 0, 99, []),
        (None, 5000, 5000, []),
        (60_000, None, None, []),
    ],
)
def test_head(age: int | None, span: int | None, finished: int | None, expected: list[Severity]) -> None:
    facts = with_queue(
        example_of(offset_stuck_at_head).fires(),
        oldest_consume_age_ms=age,
        span=span,
        finished_beyond_head=finished,
    )
    assert severities(offset_stuck_at_head, facts) == expected


@pytest.mark.parametrize(("offset", "named"), [(2101, True), (2102, False)])
def test_the_thread_that_holds_the_head_is_named(offset: int, named: bool) -> None:
    (thread,) = heap_of(example_of(stuck_consumer_thread).fires()).threads
    assert thread.message is not None
    message = msgspec.structs.replace(thread.message, offset=offset)
    facts = with_heap(
        example_of(offset_stuck_at_head).fires(), threads=(msgspec.structs.replace(thread, message=message),)
    )
    (found,) = findings(offset_stuck_at_head, facts)
    first = english()(found.remedy[0])
    assert ("ConsumeMessageThread_CID_wash_7" in first and "InventoryClient.reserve" in first) is named
    assert ("take five thread dumps" in first) is not named
    assert not any(english()(line).startswith("When consumeTimeout expires") for line in found.remedy)


@pytest.mark.parametrize(
    "consumer", [{"message_model": "BROADCASTING"}, {"orderly": True}], ids=["broadcasting", "orderly"]
)
def test_head_does_not_hold_back_an_offset(consumer: dict[str, object]) -> None:
    assert (
        findings(offset_stuck_at_head, with_consumer(example_of(offset_stuck_at_head).fires(), **consumer))
        == ()
    )


def test_head_of_a_dropped_queue_is_somebody_elses() -> None:
    assert (
        findings(offset_stuck_at_head, with_queue(example_of(offset_stuck_at_head).fires(), dropped=True)) == ()
    )


def test_head_evidence() -> None:
    (finding,) = findings(offset_stuck_at_head, example_of(offset_stuck_at_head).fires())
    assert {
        key: finding.evidence[key] for key in ("min_offset", "max_offset", "span", "finished_beyond_head")
    } == {
        "min_offset": 2101,
        "max_offset": 4300,
        "span": 2199,
        "finished_beyond_head": 2198,
    }
    assert finding.evidence["oldest_consume_age_ms"] == 240_000
    assert finding.evidence["msg_id"] == "7F0000010000"
    assert (finding.subject.topic, finding.subject.queue_id) == ("segments", 3)


def test_head_without_consume_timeout_as_before_3_5_3() -> None:
    facts = with_consumer(example_of(offset_stuck_at_head).fires(), config={"consumeConcurrentlyMaxSpan": 2000})
    facts = with_queue(facts, oldest_consume_age_ms=10 * 60 * MINUTE, span=0, finished_beyond_head=0)
    assert findings(offset_stuck_at_head, facts) == ()


def test_a_restart_delivers_again_what_is_done_behind_the_head() -> None:
    (finding,) = findings(offset_stuck_at_head, example_of(offset_stuck_at_head).fires())
    assert english()(finding.consequence) == (
        "if the process restarts now, 2,198 messages of this queue that are done are delivered again"
    )
    nothing_done = with_queue(example_of(offset_stuck_at_head).fires(), finished_beyond_head=0)
    (finding,) = findings(offset_stuck_at_head, nothing_done)
    assert not finding.consequence


@folded(
    "queue, fires",
    [
        ({}, True),
        ({"messages": 1}, True),
        ({"messages": 0}, False),
        ({"dropped": False}, False),
        ({"assigned": True}, False),
    ],
)
def test_orphans(queue: dict[str, object], fires: bool) -> None:
    assert bool(findings(orphaned_queue, with_queue(example_of(orphaned_queue).fires(), **queue))) is fires


def test_orphans_of_a_moment_ago_are_less_sure() -> None:
    (finding,) = findings(orphaned_queue, with_queue(example_of(orphaned_queue).fires(), last_pull_age_ms=2000))
    assert finding.confidence is Confidence.MEDIUM


def test_orphans_after_shutdown_are_by_design() -> None:
    stopped = ConsumerFacts(group="CID_wash", kind="push", state={"serviceState": "SHUTDOWN_ALREADY"})
    assert findings(orphaned_queue, with_heap(example_of(orphaned_queue).fires(), consumers=(stopped,))) == ()
    running = msgspec.structs.replace(stopped, state={"serviceState": "RUNNING"})
    assert findings(orphaned_queue, with_heap(example_of(orphaned_queue).fires(), consumers=(stopped, running)))


def test_orphans_of_a_group_are_one_finding() -> None:
    facts = example_of(orphaned_queue).fires()
    (finding,) = findings(orphaned_queue, with_heap(facts, queues=heap_of(facts).queues * 3))
    assert finding.evidence["dropped_queues"] == 3
    assert finding.evidence["messages"] == 210


def test_no_size_limit_is_for_push_consumers() -> None:
    facts = example_of(no_size_limit).fires()
    assert findings(no_size_limit, with_consumer(facts, **of_kind("pull"))) == ()
    assert findings(no_size_limit, with_consumer(facts, config={})) == ()
    assert len(findings(no_size_limit, with_heap(facts, consumers=heap_of(facts).consumers * 2))) == 1


def test_out_of_memory_thread_names_its_first_own_frame() -> None:
    (finding,) = findings(out_of_memory_thread, example_of(out_of_memory_thread).fires())
    assert finding.subject.thread == "NettyClientPublicExecutor_1"
    assert str(finding.evidence["frame"]).startswith("org.apache.rocketmq.common.message.MessageDecoder.decode")


def test_out_of_memory_thread_without_frames() -> None:
    facts = example_of(out_of_memory_thread).fires()
    thread = msgspec.structs.replace(heap_of(facts).threads[0], frames=())
    (finding,) = findings(out_of_memory_thread, with_heap(facts, threads=(thread,)))
    assert finding.evidence["frame"] is None


def test_unsupported_client_needs_the_graph() -> None:
    """Without it no client is read, of whatever library."""
    facts = with_heap(example_of(unsupported_client).fires(), process_queues=None)
    assert severities(unsupported_client, facts) == []

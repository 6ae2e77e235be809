"""A heap dump of the gRPC client does not tell when a listener began: no all-clear over messages that came long ago."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Facts, HeapFacts, StacksFacts
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.facts.heap_classes import KindTraits
from mqdiag.facts.heap_threads import HeapThread, ListenerCall, MessageInHand
from mqdiag.findings import Severity
from mqdiag.rules import progress_not_judged, stuck_consumer_thread
from tests.folded import folded
from tests.rules.checks import findings, reasons

GRPC = KindTraits(library="grpc")


def facts(age_ms: int | None, received_ms: int | None, traits: KindTraits = GRPC) -> Facts:
    message = MessageInHand(
        group="CID_orders", topic="orders", queue_id=-1, offset=3, age_ms=age_ms, received_age_ms=received_ms
    )
    call = ListenerCall(
        listener="com.acme.Orders.consume(Orders.java:9)", doing="wait", cause="missing-timeout"
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(ConsumerFacts(group="CID_orders", kind="grpc-push", traits=traits),),
        process_queues=1,
        threads=(
            HeapThread(name="RocketmqMessageConsumption-0-5", message=message, frames=("a.B.c",), call=call),
        ),
    )
    return Facts(heap=heap)


@folded(
    "age_ms, received_ms, undecided",
    [
        (None, 60_000, True),
        (None, 59_999, False),
        (None, None, True),
        (59_999, 80_000, True),
        (60_000, 80_000, False),
    ],
)
def test_a_message_that_came_long_ago(age_ms: int | None, received_ms: int | None, undecided: bool) -> None:
    found = findings(progress_not_judged, facts(age_ms, received_ms))
    assert [one.severity for one in found] == [Severity.INFO] * undecided
    assert all(one.undecides for one in found)


def test_thread_dumps_tell_more() -> None:
    given = msgspec.structs.replace(
        facts(None, 80_000), stacks=StacksFacts(samples=5, judged=True, has_cpu=True)
    )
    assert findings(progress_not_judged, given) == ()


def test_the_remoting_client_without_a_start_time_is_left_alone() -> None:
    assert findings(progress_not_judged, facts(None, None, KindTraits())) == ()


def test_the_rule_of_stuck_threads_says_why_it_cannot_tell() -> None:
    assert findings(stuck_consumer_thread, facts(None, 80_000)) == ()
    (reason,) = reasons(stuck_consumer_thread, facts(None, 80_000))
    assert "does not note when a listener began" in reason


def test_a_proven_time_is_a_finding() -> None:
    (found,) = findings(stuck_consumer_thread, facts(61_000, 80_000))
    assert found.severity is Severity.WARNING


def test_a_queue_that_stands_for_all_queues_has_no_number() -> None:
    (found,) = findings(stuck_consumer_thread, facts(61_000, 80_000))
    assert found.subject.queue_id is None
    assert found.evidence["queue_id"] is None

"""The gRPC client: every number that the rig read from live objects equals ours, and the rules speak of it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.facts.heap import HeapFacts
from mqdiag.findings import Finding, Report
from mqdiag.language import english
from mqdiag.text import Text
from tests.layers import CHECK, one_in_each_run

CASES = Path(__file__).parents[2] / "fixtures" / "grpc"
DUMPS = sorted(path.parent.name for path in CASES.glob("*/dump.hprof.gz"))
READ = [name for name in DUMPS if json.loads((CASES / name / "truth.json").read_text())["reading"]]
"""those whose live objects could be asked: not after an OutOfMemoryError"""


@cache
def report(name: str) -> Report:
    return diagnose_heap(str(CASES / name / "dump.hprof.gz")).report


def words(texts: tuple[Text, ...]) -> str:
    return " ".join(map(english(), texts))


def heap(name: str) -> HeapFacts:
    found = report(name).heap
    assert found is not None
    return found


def truth(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CASES / name / "truth.json").read_text())
    return found


def rule(name: str, wanted: str) -> Finding:
    (found,) = [one for one in report(name).findings if one.rule == wanted]
    return found


def of_group(row: dict[str, Any]) -> str:
    return str(row["group"])


@one_in_each_run(4)
@pytest.mark.parametrize("name", READ)
def test_consumers(name: str) -> None:
    ours = sorted((msgspec.to_builtins(one, enc_hook=str) for one in heap(name).consumers), key=of_group)
    theirs = sorted(truth(name)["reading"]["consumers"], key=of_group)
    assert [one["group"] for one in ours] == [one["group"] for one in theirs]
    for one, live in zip(ours, theirs, strict=True):
        live["state"].pop("receptionTimes", None)  # goes on while all else is still
        for key in ("config", "state"):
            assert {name: one[key].get(name) for name in live[key]} == live.pop(key)
        assert {name: one[name] for name in live} == live
        assert one["client_version"] == truth(name)["client_version"]
        assert one["state"]["serviceState"] == "RUNNING"


@one_in_each_run(4)
@pytest.mark.parametrize("name", READ)
def test_queues(name: str) -> None:
    ours = sorted((msgspec.to_builtins(row) for row in heap(name).queues), key=of_group)
    theirs = sorted(truth(name)["reading"]["queues"], key=of_group)
    for one, live in zip(ours, theirs, strict=True):
        live.pop("full_ms")
        # the queue stands for all queues of the broker: its offsets are of several and cannot be compared
        assert live["queue_id"] == -1
        assert (one["min_offset"], one["max_offset"], one["span"]) == (None, None, None)
        del live["min_offset"], live["max_offset"]
        assert {key: one[key] for key in live} == live
        assert one["assigned"]


@pytest.mark.parametrize("name", READ)
def test_totals(name: str) -> None:
    found, live = heap(name), truth(name)
    reading = live["reading"]
    kept = sum(row["messages"] for row in reading["kept"])
    assert found.messages == live["messages"]
    assert found.messages_in_queues == sum(row["messages"] for row in reading["queues"])
    assert found.process_queues == len(reading["queues"])
    assert found.message_totals is not None
    assert found.message_totals.elsewhere == kept
    assert found.sending is not None
    assert len(found.sending.producers) == reading["producers"]
    assert found.unknown == {}


@one_in_each_run(5)
@pytest.mark.parametrize("name", DUMPS)
def test_messages_in_hand(name: str) -> None:
    live = truth(name)
    rows = live["in_hand"] if live["reading"] is None else live["reading"]["in_hand"]
    ours = {
        (one.name, one.message.topic, one.message.queue_id, one.message.offset, one.message.msg_id)
        for one in heap(name).threads
        if one.message is not None
    }
    assert ours == {
        (row["thread"], row["topic"], row["queue_id"], row["offset"], row["msg_id"]) for row in rows
    }
    groups = {one.group for one in heap(name).consumers}
    for thread in heap(name).threads:
        if thread.message is not None:
            assert thread.message.group in groups
            assert thread.role == "consume-worker"
            assert thread.call is not None
            assert thread.call.listener.startswith("com.acme.shop.OrderListener.consume(")


def test_a_full_cache_tells_since_when_nothing_was_finished() -> None:
    """A lower bound of the time in hand, and never more than the time itself."""
    live = truth("stuck-5.2.0")
    since = {row["thread"]: row["since_ms"] for row in live["reading"]["in_hand"]}
    ages = {one.name: one.message for one in heap("stuck-5.2.0").threads if one.message is not None}
    for thread, began_ms in since.items():
        message = ages[thread]
        assert message.age_ms is not None
        assert message.received_age_ms is not None
        in_hand_ms = live["dump"]["ended_at_ms"] - began_ms
        assert 60_000 <= message.age_ms <= in_hand_ms
        assert message.received_age_ms >= live["dump"]["started_at_ms"] - began_ms - 1000


def test_stuck_workers() -> None:
    found = rule("stuck-5.2.0", "stuck-consumer-thread")
    live = truth("stuck-5.2.0")["reading"]
    assert found.severity.value == "warning"
    assert found.cause == "missing-http-timeout"
    assert found.subject.group == "CID_stuck-5_2_0"
    assert set(found.evidence["threads"]) == {row["thread"] for row in live["in_hand"]}
    assert str(found.evidence["frame"]).startswith("com.acme.shop.Warehouse.reserve(")
    assert report("stuck-5.2.0").answer.state == "fault"
    assert rule("stuck-5.2.0", "flow-control").evidence["limit"] == 200


def test_a_healthy_consumer() -> None:
    assert report("healthy-5.2.0").answer.state == "healthy"
    assert [one.rule for one in report("healthy-5.2.0").findings] == []


def test_a_cache_that_does_not_fit_the_heap() -> None:
    found, live = rule("oom-5.0.7", "consumer-cache-exceeds-heap"), truth("oom-5.0.7")
    consumer = heap("oom-5.0.7").consumers[0]
    assert found.severity.value == "error"
    assert found.evidence["heap_bytes"] == live["max_memory_bytes"]
    assert found.evidence["threshold"] == 1024
    assert found.evidence["threshold_bytes"] == consumer.bound_bytes == 64 * 1024 * 1024
    assert found.evidence["held_bytes"] == consumer.messages * 100_000
    assert consumer.bound_max_bytes is not None
    assert consumer.bound_max_bytes > consumer.bound_bytes
    assert "setMaxCacheMessageSizeInBytes(16777216)" in words(found.remedy)


@pytest.mark.parametrize(
    ("name", "holder"),
    [
        ("kept-by-simple-5.0.0", "com.acme.shop.Basket.ORDERS"),
        ("kept-by-listener-5.0.5", "com.acme.shop.OrderListener.AUDIT_TRAIL"),
    ],
)
def test_messages_that_the_application_keeps(name: str, holder: str) -> None:
    found = rule(name, "messages-outside-queues")
    (kept,) = [row for row in truth(name)["reading"]["kept"] if row["messages"]]
    assert f"{found.evidence['holder_class']}.{found.evidence['holder_field']}" == holder
    assert found.evidence["retained_messages"] == kept["messages"]
    assert ("SimpleConsumer" in words(found.explanation)) is ("simple" in name)


def test_the_largest_message_of_a_queue() -> None:
    """Its libraries are not shaded, so guava's own package is read."""
    (queue,) = heap("kept-by-listener-5.0.5").queues
    assert (
        queue.largest_body_bytes == heap("kept-by-listener-5.0.5").consumers[0].largest_body_bytes == 4_000_000
    )


def test_many_producers() -> None:
    found = rule("kept-by-simple-5.0.0", "client-leak")
    assert found.evidence["instances"] == truth("kept-by-simple-5.0.0")["reading"]["producers"]


@CHECK
def test_rules_that_do_not_apply_say_why() -> None:
    reasons = {one.rule: english()(one.reason) for one in report("stuck-5.2.0").skipped}
    assert "acknowledges each message" in reasons["offset-stuck-at-head"]
    assert "no consumeTimeout" in reasons["consume-timeout-exceeded"]


@CHECK
def test_no_client_is_left_unread() -> None:
    assert all(one.rule != "unsupported-client" for name in DUMPS for one in report(name).findings)

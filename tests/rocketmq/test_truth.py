"""Every number that the rig read from live objects (or, out of memory, an independent reader) equals ours."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.layers import one_in, one_in_each_run
from tests.rocketmq.conftest import Case, case, case_names

IN_TOTALS = ("process_queues", "messages", "messages_unreachable", "messages_in_queues", "body_bytes")
RENAMED = {"last_pull_timestamp_ms": "last_pull_age_ms", "last_consume_timestamp_ms": "last_consume_age_ms"}
NOT_ROWS = {"max_offset_property", "msg_acc_cnt", "queue_offset_max"}
"""what the lag is computed from; the rows of the report do not repeat it"""


@pytest.fixture(params=one_in(6, case_names()))
def read(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


@one_in_each_run(3)
def test_totals(read: Case) -> None:
    known = {key: value or 0 for key, value in read.truth["heap"].items() if key in IN_TOTALS}
    assert {key: getattr(read.view, key) for key in known} == known


@one_in_each_run(3)
def test_body_bytes_held(read: Case) -> None:
    popped = sum(one.body_bytes for one in read.view.consumers if one.kind == "pop")
    assert read.view.message_totals.in_queues_body_bytes + popped == read.truth["heap"]["body_bytes_held"]


def test_consumers(read: Case) -> None:
    ours = sorted((msgspec.to_builtins(one, enc_hook=str) for one in read.view.consumers), key=_consumer_key)
    theirs = sorted(read.truth["heap"].get("consumers", []), key=_consumer_key)
    assert [one["group"] for one in ours] == [one["group"] for one in theirs]
    for one, truth in zip(ours, theirs, strict=True):
        if one["kind"] in ("lite-pull", "pull"):
            truth.pop("queued_requests", None)  # the rig counts those of thread pools only
        for key, value in truth.items():
            if key.endswith("_range"):
                continue
            parts = {key: value} if not isinstance(value, dict) else value
            for name, expected in parts.items():
                if name.endswith("_range"):
                    continue
                actual = one[key].get(name) if parts is value else one[key]
                assert _agrees(actual, expected, parts.get(f"{name}_range")), (name, actual, expected)


def _consumer_key(one: dict[str, Any]) -> tuple[str, int, str]:
    return one["group"], one["messages"], str(one["config"].get("instanceName"))


def _agrees(ours: Any, theirs: Any, between: list[int] | None) -> bool:
    """Equal; or, for what moved while the dump was taken, between the readings before and after it."""
    return between[0] <= ours <= between[1] if between else ours == theirs


@one_in_each_run(3)
def test_queues(read: Case) -> None:
    ours = [msgspec.to_builtins(row) for row in read.view.queues]
    theirs = read.truth["heap"].get("queues", [])
    assert sorted(map(_queue_key, ours)) == sorted(map(_queue_key, theirs))
    now = read.header.captured_at_ms
    for one, truth in zip(sorted(ours, key=_queue_key), sorted(theirs, key=_queue_key), strict=True):
        for key, value in truth.items():
            if key.endswith("_range"):
                continue
            if key in RENAMED:
                assert _agrees(now - one[RENAMED[key]], value, truth.get(f"{key}_range")), (key, truth)
            elif key == "largest_body_bytes":
                assert (one[key] or 0) == value, (key, truth)
            elif key not in NOT_ROWS:
                assert one[key] == value, (key, truth)


def _queue_key(row: dict[str, Any]) -> tuple[str, str, str, int, bool, int]:
    return (
        row["group"] or "",
        row["topic"] or "",
        row["broker"] or "",
        row["queue_id"] or 0,
        row["dropped"],
        row["messages"],
    )


@one_in_each_run(3)
def test_lag(read: Case) -> None:
    """The broker's end, as the client last heard of it, less what is committed."""
    theirs = {_queue_key(row): row for row in read.truth["heap"].get("queues", [])}
    for row in read.view.queues:
        truth = theirs[_queue_key(msgspec.to_builtins(row))]
        end = truth["max_offset_property"]
        if end is None and truth["msg_acc_cnt"]:
            end = truth["queue_offset_max"] + truth["msg_acc_cnt"]
        done = row.commit_offset if row.commit_offset is not None else row.min_offset
        if end is None:
            assert row.lag is None
        elif done is not None:
            assert row.lag == max(0, end - done)


@one_in_each_run(3)
def test_version(read: Case) -> None:
    versions = {one.client_version for one in read.view.consumers}
    assert versions <= {read.truth["client_version"]}


def test_messages_in_hand(read: Case) -> None:
    names = {thread.node: thread.name for thread in read.threads}
    # before 4.9.3 the workers of all groups have the same names
    ours = {
        (names[node], one.topic, one.queue_id, one.offset, one.msg_id)
        for node, one in read.view.in_hand.items()
    }
    theirs = {
        (row["thread"], row["topic"], row["queue_id"], row["offset"], row["msg_id"])
        for row in read.truth.get("in_hand", [])
        if row["thread"].startswith("ConsumeMessageThread_")  # pull consumers work in the application's threads
    }
    assert theirs <= ours


@one_in_each_run(3)
def test_how_long_messages_are_in_hand(read: Case) -> None:
    """The listener notes when it is called; the client stamps the message, or an orderly one's queue, just before."""
    since = {row["thread"]: row["since_ms"] for row in read.truth.get("in_hand", []) if "since_ms" in row}
    names = {thread.node: thread.name for thread in read.threads}
    groups = {one.group for one in read.view.consumers}
    for node, one in read.view.in_hand.items():
        assert one.group in groups
        assert one.broker is not None or one.queue_topic is None
        if names[node] in since and len(groups) == 1:
            if read.truth["client_version"] == "3.2.6":
                assert one.age_ms is None  # stamped since 3.5.3
                continue
            assert one.age_ms is not None
            assert abs(read.header.captured_at_ms - one.age_ms - since[names[node]]) < 1000


@one_in_each_run(3)
def test_nothing_unknown(read: Case) -> None:
    assert read.view.unknown == {}
    assert all(row.found_by == "rebalance-table" for row in read.view.queues if row.assigned)


@one_in_each_run(3)
def test_rates(read: Case) -> None:
    """What the listeners finished since the start, in a consumer younger than a minute."""
    for one in read.view.consumers:
        for rate in one.rates:
            assert rate.window_ms > 0
            if rate.drain_seconds is not None:
                assert rate.lag is not None
                assert rate.consumed_per_second is not None
                assert rate.drain_seconds == pytest.approx(rate.lag / rate.consumed_per_second, abs=0.06)
    finished = read.truth.get("finished")
    young = [rate for one in read.view.consumers for rate in one.rates if rate.window_ms < 60_000]
    if read.name.startswith("healthy-busy") and finished is not None and young:
        done = sum(round((rate.consumed_per_second or 0) * rate.window_ms / 1000) for rate in young)
        assert done == finished

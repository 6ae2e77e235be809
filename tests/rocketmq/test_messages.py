"""Messages of a queue: bodies, properties, ages, ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts.heap import QueueFacts
from mqdiag.rocketmq.messages import hashes_are_true, spread_hashes
from tests.rocketmq.conftest import heap_of
from tests.rocketmq.written import WrittenClient, view_of
from tests.writers.hprof_records import BYTE
from tests.writers.hprof_writer import CAPTURED_AT_MS, DumpWriter


@pytest.fixture
def client() -> WrittenClient:
    return WrittenClient(DumpWriter(), family="5.3")


def _row(client: WrittenClient, messages: dict[int, int], folder: Path, **queue: int) -> QueueFacts:
    name = client.queue()
    client.push_consumer("CID_a", {name: client.process_queue(messages, **queue)})
    (row,) = view_of(client.dump, folder).queues
    return row


def test_shared_body_counts_once(client: WrittenClient, tmp_path: Path) -> None:
    body = client.dump.primitive_array(BYTE, bytes(1000))
    messages = {at: client.message(at, body=body) for at in range(3)}
    row = _row(client, messages, tmp_path)
    assert (row.body_bytes, row.largest_body_bytes) == (1000, 1000)


def test_a_body_that_the_file_lacks_is_no_null_body(client: WrittenClient, tmp_path: Path) -> None:
    assert _row(client, {0: client.message(0, body=0xDEAD_BEE8)}, tmp_path).incomplete


def test_a_queue_whose_messages_are_all_there_is_complete(client: WrittenClient, tmp_path: Path) -> None:
    assert not _row(client, {0: client.message(0, body=0), 1: client.message(1, 30)}, tmp_path).incomplete


def test_null_body(client: WrittenClient, tmp_path: Path) -> None:
    row = _row(client, {0: client.message(0, body=0), 1: client.message(1, 30)}, tmp_path)
    assert (row.messages, row.body_bytes, row.largest_body_offset) == (2, 30, 1)


def test_started_messages(client: WrittenClient, tmp_path: Path) -> None:
    def started(age: int) -> dict[str, str]:
        return {"CONSUME_START_TIME": str(CAPTURED_AT_MS - age)}

    messages = {
        10: client.message(10, properties={"UNIQ_KEY": "U10", "KEYS": "k1 k2", **started(65_000)}),
        11: client.message(11, properties=started(90_000), reconsumed=2),
        14: client.message(14, properties={"MAX_OFFSET": "99"}),
    }
    row = _row(client, messages, tmp_path, offset_max=20)
    assert row.started == 2
    assert row.oldest_consume_age_ms == 65_000, "the age is the head's"
    assert row.longest_consume_age_ms == 90_000
    assert (row.head_msg_id, row.head_keys) == ("U10", "k1 k2")
    assert row.redelivered == 1
    assert row.finished_beyond_head == (20 - 10 + 1) - 3
    assert row.lag == 99 - 10, "nothing is committed, so the head counts"


def test_head_that_has_not_begun(client: WrittenClient, tmp_path: Path) -> None:
    messages = {0: client.message(0), 1: client.message(1, properties={"CONSUME_START_TIME": "17"})}
    row = _row(client, messages, tmp_path)
    assert row.oldest_consume_age_ms is None
    assert row.head_msg_id == "ID0", "without UNIQ_KEY it is the offset id"


def test_nonsense_start_time_is_unknown(client: WrittenClient, tmp_path: Path) -> None:
    row = _row(client, {0: client.message(0, properties={"CONSUME_START_TIME": "soon"})}, tmp_path)
    assert (row.started, row.oldest_consume_age_ms) == (0, None)


def test_lag_of_an_empty_queue_is_from_the_counters(client: WrittenClient, tmp_path: Path) -> None:
    row = _row(client, {}, tmp_path, offset_max=299, behind=11)
    assert (row.lag, row.min_offset, row.span, row.body_bytes) == (10, None, None, 0)


def test_lag_of_a_queue_never_pulled_is_unknown(client: WrittenClient, tmp_path: Path) -> None:
    assert _row(client, {}, tmp_path).lag is None


@pytest.mark.parametrize("kind", ["colliding", "tree", "concurrent", "unmodifiable"])
def test_properties_in_any_map(client: WrittenClient, kind: str, tmp_path: Path) -> None:
    java = client.java
    pairs = [(java.string(key), java.string("1")) for key in ("A", "B", "MAX_OFFSET", "C", "D")]
    start = java.string(str(CAPTURED_AT_MS - 7))
    pairs.insert(1, (java.string("CONSUME_START_TIME"), start))
    made = {
        "colliding": lambda: java.hash_map(pairs, bins=1),
        "tree": lambda: java.hash_map(pairs, tree=True),
        "concurrent": lambda: java.concurrent_hash_map(pairs),
        "unmodifiable": lambda: java.wrapped(
            "java/util/Collections$UnmodifiableMap", "m", java.hash_map(pairs)
        ),
    }[kind]()
    row = _row(client, {0: client.message(0, properties_map=made)}, tmp_path)
    assert row.oldest_consume_age_ms == 7


def test_hash_beside_a_key() -> None:
    """What `HashMap.hash` gives; the hash codes are those that a JVM prints."""
    assert int(spread_hashes("A")[0]) == 65
    assert int(spread_hashes("CONSUME_START_TIME")[0]) == 65281261 ^ (65281261 >> 16)
    assert int(spread_hashes("polygenelubricants")[0]) == -(2**31) ^ 0x8000


def test_hashes_of_a_real_jvm_are_trusted() -> None:
    heap = heap_of("healthy-busy-4.9.8")
    messages = heap.instances(heap.classes.indices_ending(".common.message.MessageClientExt"))
    maps = heap.refs(messages, "properties")
    assert hashes_are_true(heap, heap.refs(maps, "table"))

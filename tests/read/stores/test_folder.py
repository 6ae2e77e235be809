"""Store folders: written ones at their edges, real ones against what the rig knew."""

from __future__ import annotations

import json
import random
import tarfile
from pathlib import Path

import pytest

from mqdiag.facts.stores import StoreFacts, StoreQueue
from mqdiag.language import english
from mqdiag.read.stores.config_file import NoConfig, consumer_offsets, parse_config
from mqdiag.read.stores.folder import is_store_folder, read_store
from mqdiag.read.stores.segments import segments_of
from tests.folded import folded
from tests.layers import one_in_each_run
from tests.read.stores.written import LOG_FILE_BYTES, QUEUE_FILE_BYTES, WrittenStore

FIXTURES = Path(__file__).parents[3] / "fixtures" / "stores"
CASES = sorted(path.name for path in FIXTURES.iterdir())


def only(store: StoreFacts) -> StoreQueue:
    (queue,) = store.queues
    return queue


@pytest.mark.parametrize("count", [1, 49, 50, 51, 100, 101, 317])
def test_the_end_of_a_queue_is_found_in_its_preallocated_file(count: int, tmp_path: Path) -> None:
    written = WrittenStore(tmp_path)
    written.send("orders", 0, count)
    store = read_store(written.write())
    assert is_store_folder(tmp_path)
    assert (only(store).min_offset, only(store).max_offset) == (0, count)
    assert (only(store).lost_entries, only(store).added_entries) == (0, 0)
    assert store.commit_log_max == written.end
    assert store.last_stored_at is not None
    assert store.unreadable == {}


def test_queues_are_told_apart_and_the_next_file_may_be_empty(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path)
    numbers = random.Random(7)
    for _ in range(200):
        written.send(numbers.choice(("orders", "%RETRY%CID")), numbers.randrange(3))
    written.write()
    (tmp_path / "consumequeue" / "orders" / "0" / f"{QUEUE_FILE_BYTES:020d}").write_bytes(
        bytes(QUEUE_FILE_BYTES)
    )
    found = {(queue.topic, queue.queue_id): queue.max_offset for queue in read_store(tmp_path).queues}
    assert found == {key: len(entries) for key, entries in written.queues.items()}


def test_messages_without_entries_are_counted_in(tmp_path: Path) -> None:
    """The broker dispatches them when it starts; prepared transactions get no entry."""
    written = WrittenStore(tmp_path)
    written.send("orders", 0, 3)
    kept = list(written.queues["orders", 0])
    written.send("orders", 0, 2)
    written.queues["orders", 0] = kept
    written.send("half", 0, 1, entry=False, flags=0x4)
    store = read_store(written.write())
    queues = {queue.topic: queue for queue in store.queues}
    assert (queues["orders"].max_offset, queues["orders"].added_entries) == (5, 2)
    assert "half" not in queues or queues["half"].max_offset == 0


def test_entries_whose_messages_are_gone_do_not_count(tmp_path: Path) -> None:
    """The queue reached the disk and the commit log did not: the broker truncates the queue."""
    written = WrittenStore(tmp_path)
    written.send("orders", 0, 60)
    written.write()
    last = max(written.log)
    (tmp_path / "commitlog" / f"{last:020d}").write_bytes(bytes(LOG_FILE_BYTES))
    whole = sum(1 for position, _, _ in written.queues["orders", 0] if position < last)
    queue = only(read_store(tmp_path))
    assert (queue.max_offset, queue.lost_entries) == (whole, 60 - whole)
    assert 0 < whole < 60


def test_deleted_commit_log_files_move_the_beginning(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path)
    written.send("orders", 0, 60)
    written.write()
    (tmp_path / "commitlog" / f"{0:020d}").unlink()
    gone = sum(1 for position, _, _ in written.queues["orders", 0] if position < LOG_FILE_BYTES)
    queue = only(read_store(tmp_path))
    assert (queue.min_offset, queue.max_offset) == (gone, 60)


def test_a_queue_may_begin_anywhere(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path, first={("orders", 2): 5000})
    written.send("orders", 2, 70)
    queue = only(read_store(written.write()))
    assert (queue.queue_id, queue.min_offset, queue.max_offset) == (2, 5000, 5070)


def test_a_commit_log_that_is_not_there_is_said(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path)
    written.send("orders", 0, 5)
    written.write()
    for file in (tmp_path / "commitlog").iterdir():
        file.unlink()
    store = read_store(tmp_path)
    assert only(store).max_offset == 5
    assert english()(store.unreadable["commitlog"]) == "has no files"
    assert store.commit_log_max is None


def test_settings_beside_a_store_are_read_below_what_was_given_alone(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path / "given" / "store")
    written.send("orders", 0, 1)
    path = written.write()
    (tmp_path / "given" / "broker.conf").write_text("brokerRole=SLAVE\n")
    assert read_store(path, within=tmp_path / "given").role == "slave"
    assert read_store(path).role is None
    (tmp_path / "given" / "broker.conf").unlink()
    (tmp_path / "outside.conf").write_text("brokerRole=SLAVE\n")
    (path / "config").mkdir(exist_ok=True)
    (path / "config" / "broker.conf").symlink_to(tmp_path / "outside.conf")
    assert read_store(path, within=tmp_path / "given").role is None


@one_in_each_run(2)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("moment", ["in-order", "tail-lost"])
def test_real_stores(case: str, moment: str, tmp_path: Path) -> None:
    truth = json.loads((FIXTURES / case / "truth.json").read_text())
    with tarfile.open(FIXTURES / case / f"{moment}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    master = read_store(tmp_path / "master")
    assert master.role == "master"
    assert master.version == ("5.x" if truth["version"].startswith("5") else "4.x")
    stored = {
        f"{one.topic}@{one.group}": {
            str(other.queue_id): other.offset for other in master.offsets if other.topic == one.topic
        }
        for one in master.offsets
        if one.group is not None
    }
    assert stored == truth["stored_offsets"]
    ends = {f"{queue.topic}/{queue.queue_id}": queue.max_offset for queue in master.queues}
    expected = truth["master_max_offsets"] if moment == "tail-lost" else stored["orders@CID_orders"]
    assert ends == (
        expected if moment == "tail-lost" else {f"orders/{key}": end for key, end in expected.items()}
    )


def test_the_bak_is_taken_as_the_broker_takes_it(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path, offsets={"orders@CID": {0: 7}})
    written.send("orders", 0, 7)
    written.write()
    config = tmp_path / "config"
    (config / "consumerOffset.json").rename(config / "consumerOffset.json.bak")
    store = read_store(tmp_path)
    assert store.offsets_from == "consumerOffset.json.bak"
    assert [one.offset for one in store.offsets] == [7]
    (config / "consumerOffset.json").write_bytes(b"\x1f\x8b\x00binary")
    assert english()(read_store(tmp_path).unreadable["consumerOffset.json"]).startswith("is not JSON")


def test_rocksdb_is_named(tmp_path: Path) -> None:
    WrittenStore(tmp_path).write()
    (tmp_path / "consumequeue").mkdir()
    (tmp_path / "config" / "consumerOffsets").mkdir()
    (tmp_path / "config" / "consumerOffsets" / "CURRENT").write_text("MANIFEST-000004\n")
    assert "RocksDB" in english()(read_store(tmp_path).unreadable["consumerOffsets"])


def test_delay_levels_are_offsets_of_their_queues(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path)
    written.send("SCHEDULE_TOPIC_XXXX", 2, 4)
    written.write()
    (tmp_path / "config" / "delayOffset.json").write_text('{"offsetTable":{3:9,18:0}}')
    levels = [(one.queue_id, one.offset, one.group) for one in read_store(tmp_path).offsets]
    assert levels == [(2, 9, None), (17, 0, None)]


@folded("text", ["", "[", "[1]", '{"offsetTable":3}', "{" * 100_000, '{"a":1}', "\0\0"])
def test_hostile_offset_files(text: str) -> None:
    with pytest.raises(NoConfig):
        consumer_offsets(parse_config(text))


def test_unusable_offsets_are_told_and_never_zero() -> None:
    text = '{"offsetTable":{"a@g":{0:5,1:-1,2:99999999999999999999,"x":3,4:null,5:true},"no group":{0:1},"@":{0:1}}}'
    read = consumer_offsets(parse_config(text))
    assert [(one.topic, one.queue_id, one.offset) for one in read.rows] == [("a", 0, 5), ("", 0, 1)]
    assert read.unusable == 6
    assert read.problem is not None
    assert english()(read.problem).startswith(
        "6 offsets of 8 cannot be used: group g, topic a, queue 1 has -1; "
    )
    assert english()(read.problem).endswith("; and 3 more")


def test_usable_offsets_have_no_problem() -> None:
    read = consumer_offsets(parse_config('{"offsetTable":{"a@g":{0:0,1:9223372036854775807}}}'))
    assert [one.offset for one in read.rows] == [0, (1 << 63) - 1]
    assert (read.unusable, read.problem) == (0, None)


def test_a_long_value_is_shown_in_part() -> None:
    read = consumer_offsets(parse_config('{"offsetTable":{"a@g":{0:"' + "9" * 5000 + '"}}}'))
    assert read.problem is not None
    assert len(english()(read.problem)) < 300


def test_unusable_offsets_of_a_store_are_listed_with_it(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path)
    written.send("orders", 0, 4)
    written.write()
    (tmp_path / "config" / "consumerOffset.json").write_text('{"offsetTable":{"orders@CID":{0:-7,1:2}}}')
    (tmp_path / "config" / "delayOffset.json").write_text('{"offsetTable":{3:-9}}')
    store = read_store(tmp_path)
    assert [one.offset for one in store.offsets] == [2]
    assert store.unusable_offsets == 2
    assert "queue 0 has -7" in english()(store.unreadable["consumerOffset.json"])
    assert "level 3 has -9" in english()(store.unreadable["delayOffset.json"])


def test_files_before_a_gap_do_not_count() -> None:
    found = segments_of([("0" * 20, 100), (f"{100:020d}", 100), (f"{400:020d}", 100), ("x" * 20, 5)])
    assert [(one.start, one.size) for one in found] == [(400, 100)]


def test_garbage_in_the_files_is_read_without_harm(tmp_path: Path) -> None:
    numbers = random.Random(3)
    for _ in range(20):
        folder = tmp_path / str(numbers.random())
        written = WrittenStore(folder, offsets={"orders@CID": {0: 4}})
        written.send("orders", 0, 60)
        written.write()
        for file in (*folder.glob("commitlog/*"), *folder.glob("consumequeue/orders/0/*")):
            data = bytearray(file.read_bytes())
            for _ in range(numbers.randrange(40)):
                data[numbers.randrange(len(data))] = numbers.randrange(256)
            file.write_bytes(data[: numbers.randrange(len(data))])
        store = read_store(folder)
        assert all(0 <= (queue.max_at_least or 0) < 1 << 62 for queue in store.queues)


def test_odd_places_of_files(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path)
    written.send("orders", 0, 3)
    written.write()
    (tmp_path / "consumequeue" / "orders" / "not-a-queue").mkdir()
    (tmp_path / "consumequeue" / "stray").write_text("x")
    (tmp_path / "consumequeue" / "orders" / "1").mkdir()
    (tmp_path / "consumequeue" / "orders" / "1" / ("0" * 20)).mkdir()
    found = {queue.queue_id: queue.max_offset for queue in read_store(tmp_path).queues}
    assert found == {0: 3, 1: 0}


def test_a_bound_on_queues_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.read.stores.queues.MOST_QUEUES", 3)
    written = WrittenStore(tmp_path)
    for queue_id in range(5):
        written.send("orders", queue_id, 1)
    store = read_store(written.write())
    assert "no others were read" in english()(store.unreadable["consumequeue"])

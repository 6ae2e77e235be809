"""What is read of brokers; the dumps are made by a writer after the layout of real ones (`written_broker.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts.broker import BrokerFacts, HeldQueue
from mqdiag.rocketmq.broker.broker_facts import broker_facts
from mqdiag.rocketmq.broker.controllers import find_controllers
from tests.rocketmq.broker.written_broker import FAMILIES, FILE_BYTES, File, Ref, WrittenBroker
from tests.rocketmq.written import opened, view_of
from tests.writers.hprof_records import OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import CAPTURED_AT_MS, DumpWriter

NOW = CAPTURED_AT_MS
every_family = pytest.mark.parametrize("family", FAMILIES)
since_4 = pytest.mark.parametrize("family", FAMILIES[1:])


def _read(dump: DumpWriter, folder: Path) -> BrokerFacts:
    (found,) = map(broker_facts, find_controllers(opened(dump, folder)))
    return found


@every_family
def test_identity(family: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, family)
    found = _read(dump, tmp_path)
    version = {"3.2": "3.2.6", "4.3": "4.3.2", "4.9": "4.9.7", "5.3": "5.3.3"}[family]
    assert (found.name, found.cluster, found.broker_id, found.version) == ("broker-a", "shop", 0, version)
    assert (found.role, found.flush) == ("ASYNC_MASTER", "ASYNC_FLUSH")
    assert found.store_config["brokerRole"] == "ASYNC_MASTER"
    assert found.store_flags == ("disk-full",)
    assert (found.consume_queue_topics, found.consume_queues) == (2, 6)


@every_family
def test_commit_log(family: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, family)
    log = _read(dump, tmp_path).commit_log
    assert log is not None
    assert (log.files, log.file_bytes, log.first_offset) == (2, FILE_BYTES, 0)
    assert (log.wrote_offset, log.unflushed_bytes) == (1400, 100)
    assert log.uncommitted_bytes is None


@since_4
def test_bytes_that_only_buffers_hold(family: str, tmp_path: Path) -> None:
    """The last file was made while the pool was empty: its bytes went to the page cache at once."""
    dump = DumpWriter()
    WrittenBroker(
        dump,
        family,
        store_config={"transientStorePoolEnable": True},
        files=[File(0, 1000, 300, buffer=True), File(1000, 400, 0)],
        committed=300,
        flushed=200,
        free_buffers=2,
    )
    found = _read(dump, tmp_path)
    pool, log = found.transient_store_pool, found.commit_log
    assert pool is not None
    assert log is not None
    assert (pool.enabled, pool.in_force, pool.pool_size) == (True, True, 5)
    assert (pool.available_buffers, pool.buffers_in_use) == (2, 1)
    assert (log.uncommitted_bytes, log.unflushed_bytes) == (700, 100)


@pytest.mark.parametrize(
    ("family", "role", "flush", "in_force"),
    [
        ("4.9", "ASYNC_MASTER", "ASYNC_FLUSH", True),
        ("4.9", "ASYNC_MASTER", "SYNC_FLUSH", False),
        ("4.9", "SLAVE", "ASYNC_FLUSH", False),
        ("5.3", "SYNC_MASTER", "SYNC_FLUSH", True),
        ("5.3", "SLAVE", "ASYNC_FLUSH", False),
    ],
)
def test_pool_is_in_force(family: str, role: str, flush: str, in_force: bool, tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, family, role=role, flush=flush, store_config={"transientStorePoolEnable": True})
    pool = _read(dump, tmp_path).transient_store_pool
    assert pool is not None
    assert pool.in_force is in_force


def test_a_slave_in_controller_mode_has_a_pool(tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(
        dump,
        "5.3",
        role="SLAVE",
        config={"enableControllerMode": True},
        store_config={"transientStorePoolEnable": True},
    )
    pool = _read(dump, tmp_path).transient_store_pool
    assert pool is not None
    assert pool.in_force


def test_no_pool_and_no_lock_time_in_3_2(tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, "3.2")
    found = _read(dump, tmp_path)
    assert found.transient_store_pool is None
    assert found.page_cache_lock_ms is None
    assert found.put_lock is None


@since_4
def test_lock_of_an_idle_broker(family: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, family)
    found = _read(dump, tmp_path)
    assert found.page_cache_lock_ms == 0
    assert found.put_lock is not None
    assert (found.put_lock.held, found.put_lock.holder, found.put_lock.writers) == (False, None, ())


@since_4
def test_lock_holder_and_those_who_wait_for_it(family: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    holder = dump.instance(dump.known("java/lang/Thread", name=OBJECT), name=0)
    made = WrittenBroker(dump, family, lock_began_ms=NOW - 3000, lock_owner=holder)
    put = "asyncPutMessage" if family == "5.3" else "putMessage"
    lock = "store/PutMessageSpinLock" if family == "4.3" else "store/PutMessageReentrantLock"
    dump.set(holder, name=made.java.string("SendMessageThread_2"))
    frames = [("store/AllocateMappedFileService", "putRequestAndReturnMappedFile"), ("store/CommitLog", put)]
    dump.thread(holder, 1, [dump.frame(dump.known(f"{made.root}/{owner}"), method) for owner, method in frames])
    made.thread("SendMessageThread_1", [(lock, "lock"), ("store/CommitLog", put)], 2)
    made.thread("SendMessageThread_3", [("store/CommitLog", "handleDiskFlush"), ("store/CommitLog", put)], 3)
    found = _read(dump, tmp_path)
    assert found.page_cache_lock_ms == 3000
    assert found.put_lock is not None
    assert (found.put_lock.held, found.put_lock.holder) == (True, "SendMessageThread_2")
    assert found.put_lock.writers == ("SendMessageThread_2",)
    assert "putRequestAndReturnMappedFile" in found.put_lock.holder_frames[0]


def test_lock_time_after_the_dumps_begin_is_no_negative_age(tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, lock_began_ms=NOW + 50)
    assert _read(dump, tmp_path).page_cache_lock_ms == 0


@since_4
def test_send_queue(family: str, tmp_path: Path) -> None:
    """The head is the oldest; it counts as BrokerFastFailure counts it."""
    dump = DumpWriter()
    made = WrittenBroker(dump, family)
    made.set_send([made.request(NOW - 450), made.request(NOW - 10)])
    queue = _read(dump, tmp_path).send_queue
    assert queue is not None
    assert (queue.size, queue.capacity, queue.head_wait_ms) == (2, 10_000, 450)


def test_requests_without_a_time(tmp_path: Path) -> None:
    """Before 3.5.8 a request does not say when it came; an empty queue waits for nobody all the same."""
    dump = DumpWriter()
    made = WrittenBroker(dump, "3.2")
    made.set_send([made.request(NOW)])
    found = _read(dump, tmp_path)
    assert found.send_queue is not None
    assert (found.send_queue.size, found.send_queue.head_wait_ms) == (1, None)
    assert found.request_queues["pull"].head_wait_ms == 0


@every_family
def test_long_polling(family: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, family)
    held = _read(dump, tmp_path).long_polling
    assert held is not None
    assert (held.requests, held.queues) == (3, 2)
    assert held.largest[0] == HeldQueue(topic="orders", queue_id=3, requests=2)


@every_family
def test_slaves(family: str, tmp_path: Path) -> None:
    """The master has written up to 1,400."""
    dump = DumpWriter()
    WrittenBroker(dump, family).slaves([1100, 1500, -1])
    replication = _read(dump, tmp_path).replication
    assert replication is not None
    assert [slave.behind_bytes for slave in replication.slaves] == [300, -100, None]
    assert replication.slaves[0].address == "10.0.0.0:4000"
    assert replication.fall_behind_max_bytes == 256 << 20


def test_tables_by_what_they_keep(tmp_path: Path) -> None:
    dump = DumpWriter()
    made = WrittenBroker(dump)
    made.set_send([made.request(NOW) for _ in range(50)])
    tables = {table.name: table for table in _read(dump, tmp_path).tables}
    assert tables["ProducerManager.groupChannelTable"].entries == 3
    queue = tables["BrokerController.sendThreadPoolQueue"]
    assert queue.entries == 50
    assert queue.retained_bytes > tables["ProducerManager.groupChannelTable"].retained_bytes
    assert "BrokerController.pullThreadPoolQueue" not in tables


def test_keys_are_not_shown(tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, "5.3", config={"metricsGrpcExporterHeader": "Authorization: Bearer abc", "ratio": 0.5})
    config = _read(dump, tmp_path).config
    assert config["metricsGrpcExporterHeader"] == "(not shown)"
    assert config["ratio"] == 0.5


def test_relocated_classes(tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, "4.9", root="com.acme.shaded.mq")
    found = _read(dump, tmp_path)
    assert (found.version, found.name) == ("4.9.7", "broker-a")


def test_a_container_holds_several_brokers(tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenBroker(dump, "5.3", config={"brokerName": "broker-a"})
    WrittenBroker(dump, "5.3", config={"brokerName": "broker-b"})
    assert [broker_facts(one).name for one in find_controllers(opened(dump, tmp_path))] == [
        "broker-a",
        "broker-b",
    ]
    assert len(view_of(dump, tmp_path).further_brokers) == 1


def test_store_inside_a_plugin(tmp_path: Path) -> None:
    """AbstractPluginMessageStore.next is the store that writes."""
    dump = DumpWriter()
    made = WrittenBroker(dump, "5.3")
    plugin = made.ours("tieredstore/TieredMessageStore", next=Ref(made.store))
    dump.set(made.node, messageStore=plugin)
    log = _read(dump, tmp_path).commit_log
    assert log is not None
    assert log.wrote_offset == 1400


def test_broker_classes_without_a_broker(tmp_path: Path) -> None:
    """Clients have broker jars on their class path, too."""
    dump = DumpWriter()
    dump.known("org/apache/rocketmq/broker/BrokerController", messageStore=OBJECT)
    made = dump.instance(dump.known("java/lang/Object", ""))
    dump.root(STICKY_CLASS, made)
    assert find_controllers(opened(dump, tmp_path)) == []


def test_a_controller_of_null_references(tmp_path: Path) -> None:
    """One that was not initialized, or whose objects a cut dump lacks: unknown, not wrong."""
    dump = DumpWriter()
    known = dump.known(
        "org/apache/rocketmq/broker/BrokerController",
        messageStore=OBJECT, brokerConfig=OBJECT, messageStoreConfig=OBJECT, sendThreadPoolQueue=OBJECT,
    )  # fmt: skip
    dump.root(STICKY_CLASS, dump.instance(known))
    found = _read(dump, tmp_path)
    assert found.name is None
    assert found.send_queue is None
    assert found.commit_log is None
    assert found.page_cache_lock_ms is None
    assert found.replication is None

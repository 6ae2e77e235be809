"""Every version family is recognised by its structure, under any package root."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.rocketmq.client import find_clients
from tests.rocketmq.written import FAMILIES, WrittenClient, opened, view_of
from tests.writers.hprof_writer import CAPTURED_AT_MS, DumpWriter


def _busy(dump: DumpWriter, root: str, family: str) -> WrittenClient:
    """A consumer with one queue: three messages cached, one of them in flight."""
    client = WrittenClient(dump, root, family)
    cached = {5: client.message(5), 6: client.message(6, properties={"MAX_OFFSET": "20"})}
    in_flight = {4: client.message(4)}
    queue = client.queue()
    process_queue = client.process_queue(cached, in_flight, offset_max=6, last_pull_ms=CAPTURED_AT_MS - 1500)
    client.push_consumer("CID_a", {queue: process_queue}, offsets={client.queue(): 4}, orderly=True)
    return client


@pytest.mark.parametrize("family", FAMILIES)
def test_family(family: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    _busy(dump, "org.apache.rocketmq", family)
    heap = opened(dump, tmp_path)
    (client,) = find_clients(heap)
    assert client.family == family
    assert client.unknown == {}


@pytest.mark.parametrize("family", FAMILIES)
def test_queue_of_each_family(family: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    client = _busy(dump, "com.alibaba.rocketmq", family)
    view = view_of(dump, tmp_path)
    (row,) = view.queues
    assert (row.group, row.topic, row.broker, row.queue_id) == ("CID_a", "orders", "broker-a", 0)
    assert (row.messages, row.in_flight, row.msg_count) == (3, 1, 3)
    assert row.msg_size == (300 if client.since("4.2") else None)
    assert (row.min_offset, row.max_offset, row.span) == (5, 6, 1)
    assert row.commit_offset == 4
    assert row.lag == 16
    assert row.last_pull_age_ms == 1500
    assert row.finished_beyond_head is None, "an orderly queue does not run ahead"
    (consumer,) = view.consumers
    assert consumer.layout == family
    assert consumer.config["pullThresholdForQueue"] == 1000
    assert ("pullThresholdSizeForQueue" in consumer.config) is client.since("4.2")
    assert (consumer.messages, consumer.body_bytes) == (3, 300)
    assert view.messages_in_queues == view.messages == 3


@pytest.mark.parametrize(
    "root", ["com.acme.shaded.rocketmq", "com.aliyun.openservices.shade.com.alibaba.rocketmq"]
)
def test_relocated(root: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    _busy(dump, root, "4.9")
    view = view_of(dump, tmp_path)
    assert [row.group for row in view.consumers] == ["CID_a"]
    assert view.process_queues == 1


def test_two_clients_in_one_heap(tmp_path: Path) -> None:
    dump = DumpWriter()
    _busy(dump, "org.apache.rocketmq", "5.3")
    _busy(dump, "com.alibaba.rocketmq", "3.2")
    view = view_of(dump, tmp_path)
    assert sorted(str(row.layout) for row in view.consumers) == ["3.2", "5.3"]
    assert view.process_queues == 2
    assert view.messages_in_queues == 6


def test_unknown_structure_is_read_as_the_nearest_and_said(tmp_path: Path) -> None:
    dump = DumpWriter()
    client = WrittenClient(dump, family="3.2")
    queue = client.process_queue(
        {1: client.message(1)},
        {2: client.message(2)},
        renamed={"msgTreeMap": "messages", "lockTreeMap": "lock"},
    )
    client.hold(queue)
    view = view_of(dump, tmp_path)
    assert view.unknown["layout"].values["name"] == "4.0", (
        "the newest family whose queues have the names that are there"
    )
    (row,) = view.queues
    assert row.in_flight == 1
    assert row.incomplete, "what is in the map of an unknown name is not known, and not nothing"


def test_map_of_another_kind_is_not_an_empty_one(tmp_path: Path) -> None:
    dump = DumpWriter()
    client = WrittenClient(dump)
    whole = client.process_queue()
    other = dump.instance(dump.known("java/util/concurrent/ConcurrentSkipListMap"))
    for queue in (whole, client.process_queue(in_map=other)):
        client.hold(queue)
    view = view_of(dump, tmp_path)
    assert sorted(row.incomplete for row in view.queues) == [False, True]


def test_no_rocketmq(tmp_path: Path) -> None:
    dump = DumpWriter()
    known = dump.known("org/glassfish/jersey/client/ClientConfig")
    WrittenClient(dump).hold(dump.instance(known))
    view = view_of(dump, tmp_path)
    assert (view.consumers, view.queues, view.process_queues, view.messages) == ((), (), 0, 0)
    assert view.grpc_client is False


@pytest.mark.parametrize(
    "name",
    ["org/apache/rocketmq/client/java/impl/ClientImpl", "com/shaded/rocketmq/client/java/impl/ClientImpl"],
)
def test_grpc_client(name: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    WrittenClient(dump).hold(dump.instance(dump.known(name)))
    assert view_of(dump, tmp_path).grpc_client is True

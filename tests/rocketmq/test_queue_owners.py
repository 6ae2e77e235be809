"""All ways from a ProcessQueue to its name, in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts.heap import QueueFacts
from tests.rocketmq.written import WrittenClient, view_of
from tests.writers.hprof_writer import DumpWriter


@pytest.fixture
def dump() -> DumpWriter:
    return DumpWriter()


@pytest.fixture
def client(dump: DumpWriter) -> WrittenClient:
    return WrittenClient(dump, family="4.9")


def _orphan(dump: DumpWriter, folder: Path) -> QueueFacts:
    (row,) = [row for row in view_of(dump, folder).queues if row.dropped]
    return row


def test_table_is_surest(dump: DumpWriter, client: WrittenClient, tmp_path: Path) -> None:
    queue = client.process_queue()
    client.push_consumer("CID_a", {client.queue("in_table"): queue})
    client.pull_request("CID_b", client.queue("in_request"), queue, 42)
    (row,) = view_of(dump, tmp_path).queues
    assert (row.group, row.topic, row.next_offset, row.found_by, row.assigned) == (
        "CID_a", "in_table", 42, "rebalance-table", True,
    )  # fmt: skip


def test_dropped_queue_in_the_pull_loop(dump: DumpWriter, client: WrittenClient, tmp_path: Path) -> None:
    client.push_consumer("CID_a", {})
    orphan = client.process_queue({1: client.message(1)}, dropped=True)
    client.pull_request("CID_a", client.queue(queue_id=3), orphan, 2)
    row = _orphan(dump, tmp_path)
    assert (row.group, row.queue_id, row.found_by, row.assigned) == ("CID_a", 3, "pull-request", False)


def test_dropped_queue_that_only_work_holds(dump: DumpWriter, client: WrittenClient, tmp_path: Path) -> None:
    consumer = client.push_consumer("CID_a", {})
    message = client.message(1)
    orphan = client.process_queue({1: message}, dropped=True)
    client.consume_request(consumer, "CID_a", client.queue(queue_id=4), orphan, [message])
    view = view_of(dump, tmp_path)
    (row,) = view.queues
    assert (row.group, row.queue_id, row.found_by) == ("CID_a", 4, "consume-request")
    assert view.consumers[0].messages == 1, "an orphan still weighs on its consumer"
    assert view.consumers[0].bounded_queues == 0, "and no threshold bounds it"


def test_lite_pull_assignment(dump: DumpWriter, client: WrittenClient, tmp_path: Path) -> None:
    orphan = client.process_queue(dropped=True)
    client.message_queue_state("CID_lite", client.queue(queue_id=5), orphan)
    row = _orphan(dump, tmp_path)
    assert (row.group, row.queue_id, row.found_by) == ("CID_lite", 5, "assigned")


def test_the_queues_own_message_is_last(dump: DumpWriter, client: WrittenClient, tmp_path: Path) -> None:
    client.hold(client.process_queue({1: client.message(1, topic="told")}, dropped=True))
    row = _orphan(dump, tmp_path)
    assert (row.group, row.topic, row.broker, row.queue_id, row.found_by) == (
        None, "told", "broker-of-message", 7, "message",
    )  # fmt: skip


def test_nobody_knows_an_empty_queue(dump: DumpWriter, client: WrittenClient, tmp_path: Path) -> None:
    client.hold(client.process_queue(dropped=True))
    row = _orphan(dump, tmp_path)
    assert (row.group, row.topic, row.found_by) == (None, None, None)


def test_two_consumers_of_one_group_keep_their_own_queues(
    dump: DumpWriter, client: WrittenClient, tmp_path: Path
) -> None:
    one = client.process_queue({1: client.message(1)})
    two = client.process_queue({number: client.message(number) for number in range(3)})
    client.push_consumer("CID_a", {client.queue(queue_id=0): one}, threshold=40)
    client.push_consumer("CID_a", {client.queue(queue_id=1): two}, threshold=100)
    found = {row.config["pullThresholdForQueue"]: row.messages for row in view_of(dump, tmp_path).consumers}
    assert found == {40: 1, 100: 3}

"""Reading by role: ways of several fields, older names, numbers in boxes, and where a way ends early."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mqdiag.graph import Heap
from mqdiag.rocketmq import fields
from tests.rocketmq.written import WrittenClient, opened
from tests.writers.hprof_writer import DumpWriter


def heap_with_queues(folder: Path, family: str) -> Heap:
    """One ProcessQueue with two messages, and one with none."""
    dump = DumpWriter()
    client = WrittenClient(dump, family=family)
    client.hold(client.process_queue({5: client.message(5), 6: client.message(6)}, offset_max=6))
    client.hold(client.process_queue())
    return opened(dump, folder)


@pytest.mark.parametrize("family", ["3.2", "5.3"])
def test_numbers_are_read_from_fields_and_from_boxes(family: str, tmp_path: Path) -> None:
    heap = heap_with_queues(tmp_path, family)
    queues = fields.instances(heap, "org.apache.rocketmq", "ProcessQueue")
    assert fields.numbers(heap, queues, "ProcessQueue.highest_offset").tolist() == [6, 0]
    assert fields.numbers(heap, queues, "ProcessQueue.count").tolist() == [2, 0], "an AtomicLong"
    sizes = fields.numbers(heap, queues, "ProcessQueue.size").tolist()
    assert sizes == ([200, 0] if family == "5.3" else [heap.MISSING] * 2), "no such field before 4.2.0"


@pytest.mark.parametrize("family", ["3.2", "4.2", "4.9"])
def test_all_names_of_a_role_are_tried(family: str, tmp_path: Path) -> None:
    heap = heap_with_queues(tmp_path, family)
    queues = fields.instances(heap, "org.apache.rocketmq", "ProcessQueue")
    assert (fields.refs(heap, queues, "ProcessQueue.in_flight") >= 0).all()


def test_a_way_that_ends_early(tmp_path: Path) -> None:
    heap = heap_with_queues(tmp_path, "5.3")
    queue = int(fields.instances(heap, "org.apache.rocketmq", "ProcessQueue")[0])
    assert fields.ref(heap, queue, "ProcessQueue.map_lock", "Lock.sync", "Synchronizer.owner") == -1
    assert fields.number(heap, queue, "ProcessQueue.map_lock", "Lock.sync", "Synchronizer.state") is None
    assert fields.number(heap, -1, "ProcessQueue.count") is None
    assert fields.flag(heap, -1, "ProcessQueue.dropped") is None
    assert fields.text(heap, -1, "Message.topic") is None
    assert fields.constant(heap, -1, "MQClientInstance.state") is None
    assert fields.members(heap, -1, "ThreadPool.workers").tolist() == []


def test_texts_keep_their_places(tmp_path: Path) -> None:
    heap = heap_with_queues(tmp_path, "5.3")
    messages = fields.instances(heap, "org.apache.rocketmq", "MessageExt")
    asked = np.array([messages[1], -1, messages[0], messages[1]], np.int32)
    assert fields.texts(heap, asked, "MessageExt.id") == ["ID6", None, "ID5", "ID6"]


def test_places_in_an_ascending_array() -> None:
    among = np.array([3, 7, 9], np.int32)
    assert fields.place_of(among, np.array([9, 3, 4, -1, 11], np.int32)).tolist() == [2, 0, -1, -1, -1]
    assert fields.place_of(among[:0], np.array([3], np.int32)).tolist() == [-1]

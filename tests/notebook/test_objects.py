"""Classes and objects: look-up, decoded fields, collections, and the ways around an object."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mqdiag.notebook.heap
from mqdiag.errors import InputError
from mqdiag.notebook import Heap, JavaObject, open_dump
from tests.layers import CHECK
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import BOOLEAN, BYTE, CHAR, DOUBLE, INT, LONG, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

QUEUE = "org.apache.rocketmq.client.impl.consumer.ProcessQueue"


def test_the_example_of_the_docstring_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    done = doctest.testmod(mqdiag.notebook.heap)
    assert (done.failed, done.attempted) == (0, 2)


def test_classes_by_name(heap: Heap, truth: Any) -> None:
    queues = heap.classes["ProcessQueue"]
    assert queues == heap.classes[QUEUE]
    assert hash(queues) == hash(heap.classes[QUEUE])
    assert queues.name == QUEUE
    assert (queues.instance_count, queues.shallow_bytes) == tuple(truth["histogram"][QUEUE].values())
    assert repr(queues) == f"<class {QUEUE}, {queues.instance_count} instances>"
    assert queues in heap.classes.matching("PROCESSQUEUE")
    assert queues.field_types["msgTreeMap"] == "reference"
    assert queues.field_types["dropped"] == "boolean"
    assert queues.superclasses == ["java.lang.Object"]
    assert queues.statics["PULL_MAX_IDLE_TIME"] == 120_000
    assert QUEUE in list(heap.classes)
    assert "NoSuchThing" not in heap.classes
    with pytest.raises(KeyError, match=r"did you mean .*ProcessQueue"):
        heap.classes["ProcesQueue"]
    message = heap.classes["org.apache.rocketmq.common.message.MessageExt"]
    assert message.subclasses == ["org.apache.rocketmq.common.message.MessageClientExt"]
    assert len(list(message.instances(subclasses=True, reachable=True))) == truth["heap"]["messages"]
    (root, *_) = message.paths_to_roots(subclasses=True)
    assert root.instances == truth["heap"]["messages"]


@CHECK
def test_queues_and_their_messages(heap: Heap, truth: Any) -> None:
    bodies = 0
    counts = []
    for queue in heap.classes["ProcessQueue"].instances():
        messages = queue["msgTreeMap"].to_python()
        assert list(messages) == sorted(messages)
        assert list(queue["msgTreeMap"]) == list(messages)
        assert queue["msgCount"] == len(messages)
        counts.append(len(messages))
        for offset, message in messages.items():
            assert message["queueOffset"] == offset
            assert isinstance(message["topic"], str)
            body = message["body"].to_python()
            assert isinstance(body, bytes)
            assert len(body) == message["body"].length
            bodies += len(body)
    assert sorted(counts) == sorted(queue["messages"] for queue in truth["heap"]["queues"])
    assert bodies == truth["heap"]["body_bytes_held"]


def test_the_ways_around_an_object(heap: Heap) -> None:
    queue = heap.classes["ProcessQueue"].largest(1)[0]
    tree = queue["msgTreeMap"]
    assert tree.dominator == queue
    assert tree in queue.dominated()
    weights = [each.retained_bytes for each in queue.dominated()]
    assert weights == sorted(weights, reverse=True)
    assert queue.retained_bytes == queue.shallow_bytes + sum(weights)
    assert ("msgTreeMap", tree) in queue.references()
    assert (f"{QUEUE}.msgTreeMap", queue) in tree.referrers()
    assert len(tree.referrers(limit=1)) == 1
    path = tree.path_to_root()
    assert path[-1] == f"{QUEUE}.msgTreeMap -> java.util.TreeMap"
    assert tree.paths_to_roots()[0].root is not None
    assert heap.object(hex(queue.id)) == heap.object(queue.id) == queue
    assert {root for _, root in heap.roots() if root.class_name == "java.lang.Thread"}
    with pytest.raises(KeyError, match="no object with the id 0x1"):
        heap.object(1)
    with pytest.raises(KeyError, match=r"has no field 'nope'; it has: .*msgTreeMap"):
        queue["nope"]
    with pytest.raises(TypeError, match="is not an array"):
        queue[0]
    with pytest.raises(TypeError, match="nor a collection"):
        list(queue)


@pytest.fixture
def made(tmp_path: Path) -> tuple[Heap, dict[str, int]]:
    dump = DumpWriter()
    java = JavaObjects(dump)
    dump.known("java/lang/Class")
    arrays = dump.known("[Ljava/lang/Object;")
    text = java.string("größe €")
    ids = {
        "text": text,
        "long": java.string("x" * 10_000),
        "list": java.array_list([text, 0, java.boxed(3)]),
        "bytes": dump.primitive_array(BYTE, b"\x00\xff"),
        "chars": dump.primitive_array(CHAR, "añ".encode("utf-16-be")),
        "ints": dump.primitive_array(INT, b"\xff\xff\xff\xfe\x00\x00\x00\x01"),
        "doubles": dump.primitive_array(DOUBLE, b"\x3f\xe0" + bytes(6)),
        "flags": dump.primitive_array(BOOLEAN, b"\x01\x00"),
    }
    inner = java.hash_map([(java.string("k"), ids["list"])])
    ids["nested"] = java.hash_map([(java.boxed(1), inner), (text, 0)])
    ids["objects"] = dump.object_array(arrays, [text, 0, inner])
    ids["gone"] = dump.instance(dump.known("Gone", at=LONG), at=-9)
    enum = dump.known("java/lang/Enum", name=OBJECT, ordinal=INT)
    ids["enum"] = dump.instance(dump.java_class("Colour\x1b", superclass=enum), name=java.string("RED\x1b[2J"))
    node = dump.java_class("Loop", fields={"next": OBJECT})
    ids["loop"] = java.array_list([text])
    array = next(item for item in dump.items if getattr(item, "elements", None) == [text])
    array.elements = [ids["loop"]]  # type: ignore[union-attr]
    ids["node"] = dump.instance(node)
    dump.set(ids["node"], next=ids["node"])
    for name, object_id in ids.items():
        if name != "gone":
            dump.root(hprof.JNI_GLOBAL, object_id)
    dump.write(tmp_path / "made.hprof")
    return open_dump(tmp_path / "made.hprof"), ids


def test_decoding(made: tuple[Heap, dict[str, int]]) -> None:
    heap, ids = made
    at = {name: heap.object(object_id) for name, object_id in ids.items()}
    assert at["text"].to_python() == at["text"].text == "größe €"
    assert at["long"].to_python() == "x" * 10_000
    assert at["list"].to_python() == ["größe €", None, 3]
    assert at["bytes"].to_python() == b"\x00\xff"
    assert at["chars"].to_python() == "añ"
    assert at["ints"].to_python().tolist() == [-2, 1]
    assert at["ints"].to_python().dtype == np.dtype("int32")
    assert at["doubles"].to_python().tolist() == [0.5]
    assert at["flags"].to_python().tolist() == [True, False]
    assert (at["ints"][0], at["ints"][-1], at["objects"][0], at["objects"][1]) == (-2, 1, "größe €", None)
    assert [type(each) for each in (at["ints"][0], at["flags"][0])] == [int, bool]
    with pytest.raises(IndexError, match="2 elements has no element 2"):
        at["ints"][2]
    flat = at["nested"].to_python()
    assert set(flat) == {1, "größe €"}
    assert isinstance(flat[1], JavaObject)
    assert at["nested"].to_python(3) == {1: {"k": ["größe €", None, 3]}, "größe €": None}
    assert [name for name, _ in at["objects"].references()] == ["[0]", "[2]"]


def test_cycles_and_the_unreachable(made: tuple[Heap, dict[str, int]]) -> None:
    heap, ids = made
    loop = heap.object(ids["loop"])
    assert loop.to_python(50) != []
    node = heap.object(ids["node"])
    assert node["next"] == node
    assert node.referrers() == [("Loop.next", node)]
    gone = heap.object(ids["gone"])
    assert (gone.reachable, gone.retained_bytes, gone.dominator) == (False, 0, None)
    assert (gone.dominated(), gone.path_to_root(), gone.paths_to_roots(), gone["at"]) == ([], [], (), -9)


def test_nothing_hostile_reaches_the_screen(made: tuple[Heap, dict[str, int]]) -> None:
    heap, ids = made
    enum = heap.object(ids["enum"])
    assert enum.text == "RED\x1b[2J"
    assert "\x1b" not in repr(enum)
    assert "\x1b" not in repr(heap.classes["Colour\x1b"])
    assert "xff" not in repr(heap.object(ids["bytes"]))
    assert len(repr(heap.object(ids["long"]))) < 130


def test_no_dump_and_half_a_dump(tmp_path: Path, made: tuple[Heap, dict[str, int]]) -> None:
    with pytest.raises(InputError, match="no such file"):
        open_dump(tmp_path / "missing.hprof")
    content = (tmp_path / "made.hprof").read_bytes()
    (tmp_path / "cut.hprof").write_bytes(content[:-30])
    heap = open_dump(tmp_path / "cut.hprof")
    assert not heap.complete
    assert repr(heap).endswith("objects, incomplete>")
    assert heap.object(made[1]["list"]).to_python() == ["größe €", None, 3]

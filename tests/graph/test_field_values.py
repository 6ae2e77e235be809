"""Values of fields: of one class and of several, of every type, and where there is nothing to read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mqdiag.graph import Heap
from tests.graph.opening import heap_of, nodes_of
from tests.writers.hprof_records import BOOLEAN, BYTE, CHAR, DOUBLE, INT, LONG, OBJECT, SHORT
from tests.writers.hprof_writer import DumpWriter

VALUES = {
    BOOLEAN: (0, 1),
    CHAR: (0, 0x7FFF, 0x8000, 0xFFFF),
    BYTE: (0, 127, -128, -1),
    SHORT: (0, 0x7FFF, -0x8000, -1),
    INT: (0, 0x7FFF_FFFF, -0x8000_0000, -1),
    LONG: (0, 0x7FFF_FFFF_FFFF_FFFF, -0x7FFF_FFFF_FFFF_FFFF, -1),
}
ABSENT = Heap.MISSING


@pytest.mark.parametrize("id_size", [4, 8])
@pytest.mark.parametrize("kind", VALUES)
def test_numbers_of_each_type(kind: int, id_size: int, tmp_path: Path) -> None:
    """With a field before and one behind, whose bytes are all set."""
    dump = DumpWriter(id_size=id_size)
    of_kind = dump.java_class("a/A", fields={"before": INT, "value": kind, "after": LONG})
    given = [dump.instance(of_kind, before=-1, value=value, after=-1) for value in VALUES[kind]]
    heap = heap_of(dump, tmp_path)
    assert heap.numbers(nodes_of(heap, given), "value").tolist() == list(VALUES[kind])


@pytest.mark.parametrize("id_size", [4, 8])
def test_objects_of_several_classes_and_none(id_size: int, tmp_path: Path) -> None:
    """The field stands elsewhere in each class, or is of another type, or is not there at all."""
    dump = DumpWriter(id_size=id_size)
    first = dump.java_class("a/First", fields={"next": OBJECT, "count": INT})
    other = dump.java_class("a/Other", fields={"first": LONG, "count": SHORT, "next": OBJECT})
    typed = dump.java_class("a/Typed", fields={"next": INT, "count": DOUBLE})
    plain = dump.java_class("a/Plain", fields={"nothing": INT})
    last = dump.instance(plain, nothing=1)
    given = [
        dump.instance(first, next=last, count=-5),
        dump.instance(other, first=-1, count=7, next=last),
        dump.instance(first, next=0, count=6),
        dump.instance(typed, next=9, count=1.5),
        last,
        dump.instance(other, first=-1, count=-8, next=0xDEAD0),
        first.id,
    ]
    heap = heap_of(dump, tmp_path)
    nodes = np.insert(nodes_of(heap, given), 3, -1)
    at = int(nodes[5])
    assert heap.class_name(at) == "a.Plain"
    assert heap.refs(nodes, "next").tolist() == [at, at, -1, -1, -1, -1, -1, -1]
    assert heap.numbers(nodes, "count").tolist() == [-5, 7, 6, ABSENT, ABSENT, ABSENT, -8, ABSENT]
    for node in nodes:
        one = np.array([node], np.int32)
        assert heap.refs(one, "next").tolist() == heap.refs(nodes, "next")[nodes == node].tolist()
        assert heap.numbers(one, "count").tolist() == heap.numbers(nodes, "count")[nodes == node].tolist()
    for few in (nodes[:0], nodes[3:4]):
        assert heap.refs(few, "next").tolist() == [-1] * few.size
        assert heap.numbers(few, "count").tolist() == [ABSENT] * few.size


def test_an_instance_that_ends_before_its_field_has_none(tmp_path: Path) -> None:
    dump = DumpWriter(id_size=8)
    cut = dump.java_class("a/Cut", fields={"next": OBJECT, "count": INT})
    whole = dump.instance(cut, count=3)
    dump.set(whole, next=whole)
    values = whole.to_bytes(8, "big") + (5).to_bytes(4, "big")
    short = [whole + 1024 * (missing + 1) for missing in range(6)]
    for missing, object_id in enumerate(short):
        dump.items.append(dump.encode.instance_dump(object_id, cut.id, values[: len(values) - missing]))
    heap = heap_of(dump, tmp_path)
    nodes = nodes_of(heap, [whole, *short])
    assert heap.numbers(nodes, "count").tolist() == [3, 5, *[ABSENT] * 5]
    at = int(nodes[0])
    assert heap.refs(nodes, "next").tolist() == [at] * 6 + [-1]


def test_a_class_has_no_fields_of_an_instance(tmp_path: Path) -> None:
    """Its record has a loader where an instance has the length of its body."""
    dump = DumpWriter(id_size=4)
    dump.known("java/lang/Class", count=INT, next=OBJECT)
    loaded = dump.java_class("a/Loaded")
    loaded.loader = loaded.signers = dump.instance(loaded)
    heap = heap_of(dump, tmp_path)
    nodes = nodes_of(heap, [loaded.id])
    assert heap.class_name(int(nodes[0])) == "java.lang.Class"
    assert heap.numbers(nodes, "count").tolist() == [ABSENT]
    assert heap.refs(nodes, "next").tolist() == [-1]

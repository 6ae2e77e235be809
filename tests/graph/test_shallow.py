"""Shallow sizes learned from addresses laid out by JVMs of all kinds (traps 34, 42 to 44 and 50 of naive readers)."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from mqdiag.graph import Heap, open_heap
from tests.graph.opening import heap_of, nodes_of
from tests.layers import CHECK
from tests.writers import hprof_records as hprof
from tests.writers import jvm_layout
from tests.writers.hprof_records import BOOLEAN, BYTE, CHAR, DOUBLE, INT, LONG, OBJECT, WIDTHS
from tests.writers.hprof_writer import DumpWriter, JavaClass
from tests.writers.jvm_layout import JvmLayout

JVMS = {
    "compressed": jvm_layout.COMPRESSED,
    "all wide": jvm_layout.WIDE,
    "wide references": jvm_layout.WIDE_REFERENCES,
    "compact headers": jvm_layout.COMPACT_HEADERS,
    "aligned to 16": jvm_layout.ALIGNED_16,
    "aligned to 32": replace(jvm_layout.ALIGNED_16, alignment=32),
    "compact, wide references": JvmLayout(8, 8, 8, 12, 0x7F00_0000_0000),
    "32 bits": jvm_layout.BITS_32,
}
KINDS: list[dict[str, int]] = [
    {},
    {"a": OBJECT},
    {"a": OBJECT, "b": OBJECT, "c": INT},
    {"a": LONG},
    {"a": BOOLEAN},
    {"a": OBJECT, "b": DOUBLE, "c": BYTE},
    {f"r{i}": OBJECT for i in range(7)},
    {f"i{i}": INT for i in range(5)},
    {"a": CHAR, "b": LONG, "c": OBJECT},
    {f"l{i}": LONG for i in range(4)},
]


def written(jvm: JvmLayout, *, each: int = 12, extra: int = 0) -> tuple[DumpWriter, list[int]]:
    """Instances of ten classes and arrays of all kinds, shuffled, in the layout of a JVM."""
    dump = DumpWriter(id_size=4 if jvm is jvm_layout.BITS_32 else 8, jvm=jvm)
    above = dump.java_class("java/lang/Object")
    kinds = [dump.java_class(f"app/C{i}", fields=fields, superclass=above) for i, fields in enumerate(KINDS)]
    arrays = dump.java_class("[Lapp/C0;", superclass=above)
    if extra:
        padded = dump.java_class("app/Padded", fields={"x": INT}, superclass=above, extra_bytes=extra)
        kinds.append(padded)
    chance = random.Random(5)
    plan = [number % len(kinds) for number in range(each * len(kinds))] + [-1] * 60
    chance.shuffle(plan)
    ids = []
    for choice in plan:
        if choice >= 0:
            ids.append(dump.instance(kinds[choice]))
        else:
            ids.append(any_array(dump, arrays, chance))
    return dump, ids


def any_array(dump: DumpWriter, arrays: JavaClass, chance: random.Random) -> int:
    kind, length = chance.choice((BYTE, CHAR, LONG, OBJECT)), chance.randrange(30)
    if kind == OBJECT:
        return dump.object_array(arrays, [0] * length)
    return dump.primitive_array(kind, bytes(WIDTHS[kind] * length))


def wrong(heap: Heap, dump: DumpWriter, ids: list[int]) -> list[tuple[str, int, int]]:
    """(class, size as read, size as written) of what differs; the last object has nothing behind it."""
    nodes = nodes_of(heap, ids)
    sizes = heap.shallow_sizes(nodes).tolist()
    return [
        (heap.class_name(int(node)), size, dump.sizes[object_id])
        for node, size, object_id in zip(nodes, sizes, ids, strict=True)
        if size != dump.sizes[object_id]
    ]


@pytest.mark.parametrize("jvm", JVMS.values(), ids=JVMS.keys())
def test_trap_42_every_layout_is_learned(jvm: JvmLayout, tmp_path: Path) -> None:
    dump, ids = written(jvm)
    heap = heap_of(dump, tmp_path)
    assert heap.sizes.source == "gaps"
    assert heap.sizes.alignment == jvm.alignment
    assert wrong(heap, dump, ids) == []


@pytest.mark.parametrize("extra", [8, 16, 128, 256])
def test_trap_43_holes_and_padding_are_seen_in_the_gaps(extra: int, tmp_path: Path) -> None:
    dump, ids = written(jvm_layout.COMPRESSED, extra=extra)
    assert wrong(heap_of(dump, tmp_path), dump, ids) == []


def test_trap_43_holes_between_objects_do_not_count(tmp_path: Path) -> None:
    dump, ids = written(jvm_layout.COMPRESSED)
    for number in range(20):
        dump.hole(64 * (number + 1))
        ids.append(dump.instance(dump.classes[f"app/C{number % len(KINDS)}"]))
    assert wrong(heap_of(dump, tmp_path), dump, ids) == []


def test_trap_43_a_single_instance_before_a_hole_gets_the_formula(tmp_path: Path) -> None:
    dump, ids = written(jvm_layout.WIDE_REFERENCES)
    single = dump.java_class("app/Single", fields={"a": OBJECT, "b": OBJECT, "c": INT})
    ids.append(dump.instance(single))
    dump.hole(4096)
    dump.instance(dump.classes["app/C0"])
    assert wrong(heap_of(dump, tmp_path), dump, ids) == []


def test_one_damaged_id_does_not_change_all_sizes(tmp_path: Path) -> None:
    dump, ids = written(jvm_layout.ALIGNED_16)
    dump.items.append(dump.encode.instance_dump(0x8_0000_0001, dump.classes["app/C0"].id, b""))
    heap = heap_of(dump, tmp_path)
    assert heap.sizes.alignment == 16
    assert wrong(heap, dump, ids) == []


def test_few_objects_do_not_teach_a_wide_alignment(tmp_path: Path) -> None:
    dump = DumpWriter(jvm=JvmLayout(alignment=256))
    kind = dump.java_class("app/A", fields={"x": INT})
    ids = [dump.instance(kind) for _ in range(3)]
    assert heap_of(dump, tmp_path).shallow_sizes(nodes_of(heap_of(dump, tmp_path), ids)).tolist() == [16] * 3


TRUNCATED = (0xFFFFFFFF - 18) // 8
"""elements that HotSpot writes of a long[] with more (heapDumper.cpp, calculate_array_max_length)"""


def two_arrays(path: Path, length: int, next_id: int) -> Heap:
    """A long[] with holes for a body, and a small object at another address."""
    encode = hprof.Encoder(8)
    size = 18 + 8 * length
    with path.open("wb") as file:
        file.write(hprof.header("1.0.1", 8, 0))
        file.write(hprof.record(hprof.HEAP_DUMP, b"", length=(size + 18) % (1 << 32)))
        start = file.tell()
        file.write(encode.primitive_array_dump(0x1_0000_0000, LONG, b"", length=length))
        file.seek(start + size)
        file.write(encode.primitive_array_dump(next_id, LONG, b"", length=0))
    return open_heap(str(path))


@CHECK
def test_trap_34_array_bytes_beyond_32_bits(tmp_path: Path) -> None:
    length = (1 << 29) + 5  # times 8 is 40 in 32 bits
    heap = two_arrays(tmp_path / "large.hprof", length, 0x7_0000_0000)
    assert heap.dump.complete
    assert heap.count == 2
    assert heap.shallow_sizes(nodes_of(heap, [0x1_0000_0000])).tolist() == [16 + 8 * length]


@CHECK
def test_trap_34_a_truncated_huge_array_has_the_size_up_to_the_next_object(tmp_path: Path) -> None:
    true_bytes = 16 + 8 * (TRUNCATED + 50_000_000)
    heap = two_arrays(tmp_path / "truncated.hprof", TRUNCATED, 0x1_0000_0000 + true_bytes)
    assert heap.shallow_sizes(nodes_of(heap, [0x1_0000_0000])).tolist() == [true_bytes]
    heap = two_arrays(tmp_path / "whole.hprof", TRUNCATED - 1, 0x1_0000_0000 + true_bytes)
    assert heap.shallow_sizes(nodes_of(heap, [0x1_0000_0000])).tolist() == [16 + 8 * (TRUNCATED - 1)]


def test_trap_44_class_objects_have_the_size_of_mirror_and_statics(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.known("java/lang/Class")
    kinds = [
        dump.java_class(f"app/C{i}", statics={f"s{j}": (LONG, 0) for j in range(i % 3)}) for i in range(30)
    ]
    dump.instance(kinds[0])
    heap = heap_of(dump, tmp_path)
    ids = [kind.id for kind in kinds]
    assert heap.shallow_sizes(nodes_of(heap, ids)).tolist() == [dump.sizes[each] for each in ids]


@pytest.mark.parametrize("start", [1, 0x12C0_0004])
def test_trap_50_ids_that_are_no_addresses_give_the_formula(start: int, tmp_path: Path) -> None:
    dump = DumpWriter(id_size=4)
    kind = dump.java_class("app/A", fields={"x": OBJECT, "y": INT})
    ids = [start + 4 * number if start > 1 else 2 * number + 1 for number in range(50)]
    dump.items += [dump.encode.instance_dump(each, kind.id, bytes(8)) for each in ids]
    heap = heap_of(dump, tmp_path)
    assert heap.sizes.source == "formula"
    assert set(heap.shallow_sizes(nodes_of(heap, ids)).tolist()) == {16}

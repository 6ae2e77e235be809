"""Sub-records of all kinds (traps 12 to 15 and 38 of naive readers)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.language import english
from mqdiag.text import NOTHING
from tests.graph.opening import counts, dump_of, heap_of, nodes_of
from tests.writers import hprof_records as hprof
from tests.writers.hprof_writer import DumpWriter

ROOTS = (0xFF, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08)


def with_object(id_size: int = 8) -> tuple[DumpWriter, int]:
    dump = DumpWriter(id_size=id_size)
    return dump, dump.instance(dump.java_class("app/A"))


@pytest.mark.parametrize("id_size", [4, 8])
@pytest.mark.parametrize("tag", ROOTS)
def test_trap_12_every_root_has_its_own_body(tag: int, id_size: int, tmp_path: Path) -> None:
    dump, held = with_object(id_size)
    dump.root(tag, held, thread=0xFFFFFFF0, frame=3)
    dump.instance(dump.classes["app/A"])
    read = dump_of(dump, tmp_path)
    assert read.complete
    assert counts(read) == {"app.A": 2}
    assert (read.roots.types.tolist(), read.roots.ids.tolist()) == ([tag], [held])
    of_thread = tag in (0x02, 0x03, 0x04, 0x06, 0x08)
    assert read.roots.threads.tolist() == [0xFFFFFFF0 if of_thread else -1]
    assert read.roots.frames.tolist() == [3 if tag in (0x02, 0x03, 0x08) else -1]


@pytest.mark.parametrize("id_size", [4, 8])
def test_trap_13_android_tags(id_size: int, tmp_path: Path) -> None:
    dump, held = with_object(id_size)
    encode = dump.encode
    dump.items += [encode.root(tag, held) for tag in hprof.ANDROID_ROOTS]
    dump.items.append(encode.root(hprof.ANDROID_JNI_MONITOR, held, thread=1, frame=2))
    dump.items.append(encode.heap_info(1, dump.name("app")))
    dump.items.append(encode.array_without_data(0x5000, hprof.INT, 1 << 30))
    dump.instance(dump.classes["app/A"])
    read = dump_of(dump, tmp_path)
    assert read.complete
    assert counts(read)["app.A"] == 2
    assert sorted(read.roots.types.tolist()) == sorted([*hprof.ANDROID_ROOTS, hprof.ANDROID_JNI_MONITOR])
    heap = heap_of(dump, tmp_path)
    assert heap.reachable(nodes_of(heap, [held, 0x5000])).tolist() == [True, False]


def test_trap_14_roots_before_the_objects_and_of_threads_that_never_appear(tmp_path: Path) -> None:
    dump, held = with_object()
    dump.root(hprof.NATIVE_STACK, held, thread=708)
    dump.items.insert(0, dump.items.pop())
    heap = heap_of(dump, tmp_path)
    assert heap.threads == []
    assert heap.retained_sizes(nodes_of(heap, [held])).tolist() == [16]


def test_trap_15_many_roots_of_one_object_and_roots_of_none(tmp_path: Path) -> None:
    dump, held = with_object()
    for _ in range(3):
        dump.root(hprof.JNI_GLOBAL, held)
        dump.root(hprof.MONITOR_USED, held)
    dump.root(hprof.JNI_GLOBAL, 0xDEAD_BEE8)
    dump.root(hprof.JNI_GLOBAL, 0)
    heap = heap_of(dump, tmp_path)
    assert heap.roots.dangling == 2
    assert heap.roots.nodes.tolist().count(heap.node(held)) == 1
    assert heap.retained_sizes(nodes_of(heap, [held])).tolist() == [16]


@pytest.mark.parametrize("kind", [0, 2, 3, 12, 255])
def test_trap_38_an_illegal_element_type_ends_the_segment(kind: int, tmp_path: Path) -> None:
    dump, _ = with_object()
    dump.items.append(dump.encode.primitive_array_dump(0x5000, kind, bytes(8)))
    read = dump_of(dump, tmp_path)
    assert (read.complete, counts(read)) == (False, {"app.A": 1})
    assert "element type" in english()(read.problem or NOTHING)


def test_trap_38_an_illegal_type_of_a_static_ends_the_segment(tmp_path: Path) -> None:
    dump, _ = with_object()
    broken = bytearray(dump.encode.class_dump(0x9000, statics=[(1, hprof.LONG, 0)]))
    broken[-11] = 99
    dump.items.append(bytes(broken))
    assert not dump_of(dump, tmp_path).complete

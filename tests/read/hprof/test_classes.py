"""Classes in any order, twice, or not at all (traps 21 to 32 of naive readers)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mqdiag.read.hprof.classes import MAX_MISSING
from tests.graph.opening import counts, dump_of, heap_of, nodes_of, targets
from tests.layers import CHECK
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import INT, LONG, OBJECT
from tests.writers.hprof_writer import DumpWriter, JavaClass


def family(id_size: int = 8) -> tuple[DumpWriter, list[int]]:
    """Three levels with a reference and a number each, and one instance of each level; all hold the first."""
    dump = DumpWriter(id_size=id_size)
    above, ids = None, []
    for level in range(3):
        above = dump.java_class(
            f"app/Level{level}", fields={f"ref{level}": OBJECT, f"number{level}": INT}, superclass=above
        )
    for level in range(3):
        kind = dump.classes[f"app/Level{level}"]
        values = {f"ref{i}": ids[0] if ids else 0 for i in range(level + 1)}
        ids.append(dump.instance(kind, **values, **{f"number{i}": 10 * level + i for i in range(level + 1)}))
    return dump, ids


def check_family(dump: DumpWriter, ids: list[int], folder: Path) -> None:
    heap = heap_of(dump, folder)
    for level in range(3):
        assert targets(heap, ids[level]) == [ids[0]] * (level + 1 if level else 0)
        node = nodes_of(heap, [ids[level]])
        for i in range(level + 1):
            assert heap.numbers(node, f"number{i}").tolist() == [10 * level + i]


@pytest.mark.parametrize("id_size", [4, 8])
def test_trap_21_classes_behind_instances_and_superclasses_behind_subclasses(
    id_size: int, tmp_path: Path
) -> None:
    dump, ids = family(id_size)
    check_family(dump, ids, tmp_path)
    dump.items.reverse()
    check_family(dump, ids, tmp_path)


def test_trap_22_the_instance_size_of_a_class_is_not_believed(tmp_path: Path) -> None:
    dump, ids = family()
    for number, item in enumerate(dump.items):
        if isinstance(item, JavaClass):
            body = bytearray(dump.sub_record(item))
            body[1 + 8 + 4 + 6 * 8 :][:4] = b"\xff\xff\xff\xff"
            at = 1 + 8 + 4 + 6 * 8
            body[at : at + 4] = b"\xff\xff\xff\xff"
            dump.items[number] = bytes(body)
    check_family(dump, ids, tmp_path)


def test_trap_23_references_of_superclasses_are_followed(tmp_path: Path) -> None:
    dump, ids = family()
    dump.root(hprof.JNI_GLOBAL, ids[2])
    heap = heap_of(dump, tmp_path)
    assert heap.reachable(nodes_of(heap, ids)).tolist() == [True, False, True]


def test_trap_24_one_name_in_several_loaders(tmp_path: Path) -> None:
    dump = DumpWriter()
    loaders = [dump.instance(dump.known("app/Loader")) for _ in range(2)]
    kinds = [
        dump.java_class("app/Same", fields={name: INT}, loader=loader)
        for name, loader in zip(("x", "y"), loaders, strict=True)
    ]
    ids = [dump.instance(kind, **{name: 7}) for kind, name in zip(kinds, ("x", "y"), strict=True)]
    heap = heap_of(dump, tmp_path)
    rows = heap.classes.indices_named("app.Same")
    assert len(rows) == 2
    assert [heap.object_ids(heap.instances([row])).tolist() for row in rows] == [[ids[0]], [ids[1]]]
    assert heap.numbers(nodes_of(heap, ids), "x").tolist() == [7, heap.MISSING]


def test_trap_24_a_class_without_a_name_and_a_name_without_a_class(tmp_path: Path) -> None:
    dump = DumpWriter()
    nameless = dump.java_class("app/A", fields={"x": INT}, loaded=False)
    undumped = dump.java_class("app/B", fields={"x": INT}, dumped=False)
    dump.instance(nameless, x=1)
    dump.instance(undumped, x=1)
    assert counts(dump_of(dump, tmp_path)) == {f"unknown-class@0x{nameless.id:x}": 1, "app.B": 1}


def test_trap_26_a_class_dumped_twice_is_one(tmp_path: Path) -> None:
    dump, ids = family()
    again = [item for item in dump.items if isinstance(item, JavaClass)]
    once = heap_of(dump, tmp_path).count
    dump.items += again
    dump.items[:0] = again
    check_family(dump, ids, tmp_path)
    assert heap_of(dump, tmp_path).count == once


def test_trap_26_an_object_dumped_twice_is_one(tmp_path: Path) -> None:
    dump, ids = family()
    once = heap_of(dump, tmp_path).count
    dump.items += dump.items[-3:]
    check_family(dump, ids, tmp_path)
    assert heap_of(dump, tmp_path).count == once


def test_trap_27_objects_of_missing_classes_get_placeholders_with_their_bytes(tmp_path: Path) -> None:
    dump = DumpWriter()
    lost = dump.java_class("app/Lost", fields={"a": LONG, "b": LONG, "c": INT}, dumped=False, loaded=False)
    arrays = dump.java_class("[Lapp/Lost;", dumped=False, loaded=False)
    instance = dump.instance(lost)
    array = dump.object_array(arrays, [instance] * 9)
    numbers = dump.primitive_array(LONG, bytes(80))
    dump.items.remove(dump.classes["[J"])
    heap = heap_of(dump, tmp_path)
    nodes = nodes_of(heap, [instance, array, numbers])
    assert [heap.class_name(int(node)) for node in nodes] == [
        f"unknown-class@0x{lost.id:x}", f"unknown-class@0x{arrays.id:x}", "long[]"
    ]  # fmt: skip
    assert heap.array_lengths(nodes).tolist() == [-1, 9, 10]
    assert heap.shallow_sizes(nodes).tolist() == [dump.sizes[each] for each in (instance, array, numbers)]
    assert targets(heap, array) == [instance] * 9


def test_trap_27_an_instance_shorter_than_its_class_says(tmp_path: Path) -> None:
    dump, ids = family()
    longest = dump.classes["app/Level2"]
    dump.items.append(dump.encode.instance_dump(0xE0F0_0000, longest.id, dump.encode.id(ids[0]) + bytes(3)))
    dump.items.append(dump.encode.instance_dump(0xE0F0_0100, longest.id, b""))
    heap = heap_of(dump, tmp_path)
    assert targets(heap, 0xE0F0_0000) == [ids[0]]
    assert targets(heap, 0xE0F0_0100) == []
    assert heap.numbers(nodes_of(heap, [0xE0F0_0000]), "number0").tolist() == [heap.MISSING]


def test_trap_27_more_missing_classes_than_damage_leaves_share_one_row(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.items += [
        dump.encode.instance_dump(0xE000_0000 + 16 * i, 0x9_0000_0000 + i, b"")
        for i in range(MAX_MISSING + 100)
    ]
    heap = heap_of(dump, tmp_path)
    assert heap.count == MAX_MISSING + 100
    assert heap.classes.count < MAX_MISSING + 20
    (row,) = heap.classes.indices_named("unknown-class@0x0")
    assert heap.instances([row]).size == 100


@pytest.mark.parametrize("length", [1, 2, 3])
def test_trap_27_cyclic_superclasses_end_where_they_close(length: int, tmp_path: Path) -> None:
    dump = DumpWriter()
    kinds = [dump.java_class(f"app/C{i}", fields={f"f{i}": OBJECT}) for i in range(length)]
    for i, kind in enumerate(kinds):
        kind.superclass = kinds[(i + 1) % length]
    ids = [dump.instance(kind) for kind in kinds]
    for object_id in ids:
        dump.set(object_id, **{f"f{i}": object_id for i in range(length)})
    heap = heap_of(dump, tmp_path)
    for object_id in ids:
        assert targets(heap, object_id) == [object_id] * length
    assert length - 1 in heap.classes.ancestors(0)
    assert heap.sizes.units.size == heap.count


def test_trap_28_the_name_of_an_unloaded_class_dies_with_it(tmp_path: Path) -> None:
    dump = DumpWriter()
    old = dump.java_class("app/Old", dumped=False)
    dump.unload(old)
    dump._loads.append(dump.encode.unload_class(4711))
    dump.items.append(dump.encode.class_dump(old.id))
    dump.items.append(dump.encode.instance_dump(0xE0F0_0000, old.id, b""))
    assert counts(dump_of(dump, tmp_path)) == {f"unknown-class@0x{old.id:x}": 1}
    new = dump.encode.load_class(99, old.id, dump.name("app/New"))
    dump._loads.append(new)
    assert counts(dump_of(dump, tmp_path)) == {"app.New": 1}


@pytest.mark.parametrize("id_size", [4, 8])
def test_trap_29_what_a_class_object_refers_to(id_size: int, tmp_path: Path) -> None:
    dump = DumpWriter(id_size=id_size)
    above = dump.java_class("java/lang/Object")
    held = [dump.instance(above) for _ in range(5)]
    kind = dump.java_class(
        "app/A",
        superclass=above,
        loader=held[0],
        pool=[(1, LONG, 5), (2, OBJECT, held[4]), (3, hprof.BYTE, 1)],
        statics={"one": (OBJECT, held[3]), "n": (LONG, held[4]), "<resolved_references>": (OBJECT, held[4])},
    )
    kind.signers, kind.protection_domain = held[1], held[2]
    heap = heap_of(dump, tmp_path)
    assert targets(heap, kind.id) == [above.id, held[0], held[1], held[2], held[3], held[4]]
    (row,) = heap.classes.indices_named("app.A")
    assert heap.classes.static_names(row) == ["one", "n", "<resolved_references>"]
    assert heap.object_id(heap.classes.static_ref(row, "one")) == held[3]


def test_trap_30_a_mirror_written_as_class_and_as_instance_keeps_both(tmp_path: Path) -> None:
    dump = DumpWriter()
    mirrors = dump.java_class("java/lang/Class", fields={"name": OBJECT})
    held = [dump.instance(mirrors) for _ in range(2)]
    kind = dump.java_class("app/A", statics={"one": (OBJECT, held[0])})
    dump.items.append(dump.encode.instance_dump(kind.id, mirrors.id, dump.encode.id(held[1])))
    dump.root(hprof.STICKY_CLASS, kind.id)
    heap = heap_of(dump, tmp_path)
    node = nodes_of(heap, [kind.id])
    assert heap.object_ids(heap.refs(node, "name")).tolist() == [held[1]]
    assert sorted(targets(heap, kind.id)) == sorted(held)
    assert heap.reachable(nodes_of(heap, held)).all()


def test_trap_31_a_boot_loader_with_an_id_that_no_object_has(tmp_path: Path) -> None:
    dump = DumpWriter()
    system = dump.java_class("java/lang/System", loader=0x4242_4242)
    loader = dump.instance(system)
    other = dump.java_class("app/Other", loader=loader)
    heap = heap_of(dump, tmp_path)
    assert heap.reachable(nodes_of(heap, [system.id, other.id])).tolist() == [True, False]


def test_trap_32_fields_of_flattened_values_are_fields(tmp_path: Path) -> None:
    dump = DumpWriter()
    kind = dump.java_class("app/Line", fields={"p1.x": INT, "p1.y": INT})
    point = dump.instance(kind, **{"p1.x": 3, "p1.y": 4})
    heap = heap_of(dump, tmp_path)
    assert heap.numbers(nodes_of(heap, [point]), "p1.y").tolist() == [4]


@CHECK
def test_more_classes_than_the_first_tables_hold(tmp_path: Path) -> None:
    dump = DumpWriter()
    ids = [dump.instance(dump.java_class(f"app/C{i}", fields={"x": INT}), x=i) for i in range(9000)]
    heap = heap_of(dump, tmp_path)
    assert heap.numbers(nodes_of(heap, ids), "x").tolist() == list(range(9000))
    assert len(np.unique(heap.class_index(nodes_of(heap, ids)))) == 9000

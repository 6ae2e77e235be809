"""Collections read by structure, of JDK 8 and 17, whole and damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mqdiag.graph import Heap, collections
from tests.graph.opening import heap_of, nodes_of
from tests.layers import CHECK
from tests.writers.hprof_records import OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import Entry, JavaObjects

MAPS: dict[str, Callable[[JavaObjects, list[Entry]], int]] = {
    "HashMap": lambda java, entries: java.hash_map(entries),
    "HashMap, one bin": lambda java, entries: java.hash_map(entries, bins=1),
    "HashMap, tree bins": lambda java, entries: java.hash_map(entries, bins=4, tree=True),
    "ConcurrentHashMap": lambda java, entries: java.concurrent_hash_map(entries),
    "ConcurrentHashMap, tree bins": lambda java, entries: java.concurrent_hash_map(entries, tree=True),
    "ConcurrentHashMap, in resize": lambda java, entries: java.concurrent_hash_map(
        entries[:9], moved=entries[9:]
    ),
    "TreeMap": lambda java, entries: java.tree_map(entries),
    "synchronizedMap": lambda java, entries: java.wrapped(
        "java/util/Collections$SynchronizedMap", "m", java.hash_map(entries)
    ),
    "Properties": lambda java, entries: java.wrapped(
        "java/util/Properties", "map", java.concurrent_hash_map(entries)
    ),
}
LISTS: dict[str, Callable[[JavaObjects, list[int]], int]] = {
    "ArrayList": lambda java, items: java.array_list(items),
    "ArrayList with room": lambda java, items: java.array_list(items, 100),
    "LinkedList": lambda java, items: java.linked_list(items),
    "LinkedBlockingQueue": lambda java, items: java.linked_blocking_queue(items),
    "HashSet": lambda java, items: java.wrapped(
        "java/util/HashSet", "map", java.tree_map([(i, 0) for i in items])
    ),
    "unmodifiableList": lambda java, items: java.wrapped(
        "java/util/Collections$UnmodifiableList", "list", java.linked_list(items)
    ),
}


def numbers(heap: Heap, nodes: collections.Nodes) -> list[int]:
    return [int(each) for each in heap.numbers(nodes, "value")]


@pytest.mark.parametrize("jdk", [8, 17])
@pytest.mark.parametrize("make", MAPS.values(), ids=MAPS.keys())
def test_entries_of_maps(make: Callable[[JavaObjects, list[Entry]], int], jdk: int, tmp_path: Path) -> None:
    dump = DumpWriter(id_size=8 if jdk > 8 else 4)
    java = JavaObjects(dump, jdk)
    wanted = [{i: 100 + i for i in range(start, start + size)} for start, size in ((0, 20), (50, 0), (60, 30))]
    maps = [
        make(java, [(java.boxed(key), java.boxed(value)) for key, value in each.items()]) for each in wanted
    ]
    heap = heap_of(dump, tmp_path)
    owners, keys, values = collections.map_entries(heap, nodes_of(heap, [0, *maps]))
    read: list[dict[int, int]] = [{}, {}, {}, {}]
    for owner, key, value in zip(owners, numbers(heap, keys), numbers(heap, values), strict=True):
        assert key not in read[owner]
        read[owner][key] = value
    assert read == [{}, *wanted]
    assert collections.sizes(heap, nodes_of(heap, maps)).tolist() == [20, 0, 30]


@pytest.mark.parametrize("jdk", [8, 17])
@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS.keys())
def test_items_of_lists_and_queues_in_order(
    make: Callable[[JavaObjects, list[int]], int], jdk: int, tmp_path: Path
) -> None:
    dump = DumpWriter(id_size=8 if jdk > 8 else 4)
    java = JavaObjects(dump, jdk)
    wanted = [list(range(7)), [], list(range(50, 10, -1))]
    lists = [make(java, [java.boxed(number) for number in each]) for each in wanted]
    heap = heap_of(dump, tmp_path)
    owners, items = collections.items(heap, nodes_of(heap, [*lists, 0]))
    read: list[list[int]] = [[], [], [], []]
    for owner, number in zip(owners, numbers(heap, items), strict=True):
        read[owner].append(number)
    if make is LISTS["HashSet"]:
        read = [sorted(each) for each in read]
        wanted = [sorted(each) for each in wanted]
    assert read == [*wanted, []]


def test_a_bin_that_a_resize_has_just_copied_counts_once(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    entries = [(java.boxed(i), java.boxed(i)) for i in range(4)]
    resizing, copy = (java.concurrent_hash_map(entries) for _ in range(2))
    next_table = next(item.values["table"] for item in dump.items if getattr(item, "id", 0) == copy)
    dump.set(resizing, nextTable=next_table)
    heap = heap_of(dump, tmp_path)
    assert collections.sizes(heap, nodes_of(heap, [resizing])).tolist() == [4]


def test_a_node_taken_out_of_a_queue_points_to_itself(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    queue = java.linked_blocking_queue([java.boxed(1), java.boxed(2)])
    head = next(item.values["head"] for item in dump.items if getattr(item, "id", 0) == queue)
    dump.set(int(head), next=head)
    heap = heap_of(dump, tmp_path)
    assert collections.items(heap, nodes_of(heap, [queue]))[1].size == 0


def test_cycles_end_themselves(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    one, two = java.boxed(1), java.boxed(2)
    linked, hashed, tree = (
        java.linked_list([one, two]),
        java.hash_map([(one, two)]),
        java.tree_map([(one, two)]),
    )
    for name, field in (("LinkedList$Node", "next"), ("HashMap$Node", "next"), ("TreeMap$Entry", "left")):
        kind = dump.classes[f"java/util/{name}"]
        links = [item.id for item in dump.items if getattr(item, "java_class", None) is kind]
        dump.set(links[-1], **{field: links[0]})
    outer = [java.wrapped("java/util/Collections$SynchronizedList", "list", 0) for _ in range(2)]
    dump.set(outer[0], list=outer[1])
    dump.set(outer[1], list=outer[0])
    maps = [java.wrapped("java/util/Collections$SynchronizedMap", "m", 0) for _ in range(2)]
    dump.set(maps[0], m=maps[1])
    dump.set(maps[1], m=maps[0])
    heap = heap_of(dump, tmp_path)
    assert numbers(heap, collections.items(heap, nodes_of(heap, [linked]))[1]) == [1, 2]
    assert collections.sizes(heap, nodes_of(heap, [hashed, tree])).tolist() == [1, 1]
    assert collections.items(heap, nodes_of(heap, outer))[1].size == 0
    assert collections.sizes(heap, nodes_of(heap, maps)).tolist() == [0, 0]


def test_what_is_no_collection_gives_nothing(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.instance(dump.java_class("app/A", fields={"x": OBJECT}))
    heap = heap_of(dump, tmp_path)
    everything = np.arange(-1, heap.count, dtype=np.int32)
    assert collections.items(heap, everything)[1].size == 0
    assert all(part.size == 0 for part in collections.map_entries(heap, everything))


@CHECK
def test_trap_48_a_list_of_100_000_nodes(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    long_list = java.linked_list([java.boxed(7)] * 100_000)
    dump.root(0x01, long_list)
    heap = heap_of(dump, tmp_path)
    assert collections.items(heap, nodes_of(heap, [long_list]))[1].size == 100_000
    assert heap.dominance.count > 100_000
    assert int(heap.retained_sizes(nodes_of(heap, [long_list]))[0]) > 100_000 * 24
    assert len(heap.path_to_root(heap.node(long_list))) == 1

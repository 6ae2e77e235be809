"""Reachability, dominators and retained sizes against the plain twins (traps 33 and 45 to 49 of naive readers)."""

from __future__ import annotations

import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Event, Lock
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqdiag.graph import dominance, index, paths
from mqdiag.graph.histogram import class_rows
from tests.graph.new_arrays import fill_new_arrays
from tests.graph.opening import heap_of, nodes_of, targets
from tests.graph.random_heap import RandomHeap, random_heap
from tests.layers import CHECK, examples, one_in_each_run
from tests.oracles import graphs
from tests.waiting import wait_until
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import OBJECT
from tests.writers.hprof_writer import DumpWriter

SEEDS = st.integers(0, 10**9)


def dominator_nodes(given_heap: RandomHeap) -> dict[int, int]:
    """Immediate dominators by node, -1 for the virtual root."""
    tree = given_heap.heap.dominance
    return {
        int(tree.order[place]): int(tree.order[tree.dominator[place]]) if tree.dominator[place] else -1
        for place in range(1, tree.count + 1)
    }


@CHECK
@examples(150)
@given(SEEDS)
def test_random_graphs_against_the_oracle(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given_heap = random_heap(Path(folder), seed)
        heap, graph, roots, sizes = given_heap.heap, given_heap.graph, given_heap.roots, given_heap.sizes
        everything = np.arange(heap.count, dtype=np.int32)
        alive = graphs.reachable(graph, roots)
        assert set(np.flatnonzero(heap.reachable(everything)).tolist()) == alive
        assert dominator_nodes(given_heap) == graphs.dominators(graph, roots)
        assert heap.retained_sizes(everything).tolist() == graphs.retained_sizes(graph, roots, sizes)
        assert heap.dominance.total_bytes == sum(sizes[node] for node in alive)


@one_in_each_run(4)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("value", [0x00, 0x01, 0xFF])
def test_what_earlier_arrays_have_left_in_memory_tells_nothing(
    seed: int, value: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_new_arrays(monkeypatch, value)
    given_heap = random_heap(tmp_path, seed)
    heap, graph, roots = given_heap.heap, given_heap.graph, given_heap.roots
    everything = np.arange(heap.count, dtype=np.int32)
    assert dominator_nodes(given_heap) == graphs.dominators(graph, roots)
    assert heap.retained_sizes(everything).tolist() == graphs.retained_sizes(graph, roots, given_heap.sizes)
    # Holders on the shortest ways are those of a search in fresh memory.
    lengths = heap.path_lengths
    assert set(np.flatnonzero(lengths >= 0).tolist()) == graphs.reachable(graph, roots)
    holders = heap.shortest_paths
    held = np.flatnonzero(lengths > 0)
    assert (lengths[holders[held]] == lengths[held] - 1).all()


@pytest.mark.parametrize("seed", range(4))
def test_ids_that_are_spread_thinly(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are searched for among all ids, in whose memory nothing else may be then."""
    monkeypatch.setattr(index, "_MIN_PAGES", 0)
    monkeypatch.setattr(index, "_PAGES_PER_OBJECT", 0)
    given_heap = random_heap(tmp_path, seed)
    heap = given_heap.heap
    assert dominator_nodes(given_heap) == graphs.dominators(given_heap.graph, given_heap.roots)
    assert heap.index.lookup.directory.size == 0
    everything = np.arange(heap.count, dtype=np.int32)
    assert heap.index.lookup.find(heap.object_ids(everything)).tolist() == everything.tolist()


@settings(max_examples=8, deadline=None)
@given(SEEDS)
def test_random_graphs_of_up_to_200_objects(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given_heap = random_heap(Path(folder), seed, 200)
        assert dominator_nodes(given_heap) == graphs.dominators(given_heap.graph, given_heap.roots)


@CHECK
@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_ways_around_a_long_chain(seed: int) -> None:
    """What the end of a chain and its beginning refer to: so many steps that the search leaps over dominators."""
    chance = random.Random(seed)
    dump = DumpWriter()
    arrays = dump.java_class("[Ljava/lang/Object;")
    dump.root(hprof.STICKY_CLASS, arrays.id)
    chain, leaves = ([dump.object_array(arrays, []) for _ in range(size)] for size in (60, 120))
    edges = {object_id: [] for object_id in (*chain, *leaves)}
    for above, below in pairwise(chain):
        edges[above].append(below)
    for place in (0, chance.randrange(5), -1):
        edges[chain[place]] += leaves
    for _ in range(chance.randrange(12)):
        edges[chance.choice(chain + leaves)].append(chance.choice(chain[-9:] + leaves))
    for item in dump.items:
        if getattr(item, "java_class", None) is arrays:
            item.elements = edges[item.id]
    dump.root(hprof.JNI_GLOBAL, chain[0])
    with tempfile.TemporaryDirectory() as folder:
        heap = heap_of(dump, Path(folder))
        graph: graphs.Graph = [[] for _ in range(heap.count)]
        for object_id, found in edges.items():
            graph[heap.node(object_id)] = nodes_of(heap, [arrays.id, *found]).tolist()
        roots = nodes_of(heap, [arrays.id, chain[0]]).tolist()
        expected = graphs.dominators(graph, roots)
        assert heap.dominators(np.array(list(expected), np.int32)).tolist() == list(expected.values())


@examples(60)
@given(SEEDS)
def test_trap_46_retained_by_class_counts_nested_instances_once(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given_heap = random_heap(Path(folder), seed)
        wanted = graphs.class_retained(given_heap.graph, given_heap.roots, given_heap.sizes, given_heap.rows)
        names = given_heap.heap.classes.names
        read = {row.name: row.retained_bytes for row in class_rows(given_heap.heap) if row.retained_bytes}
        assert read == {names[row]: size for row, size in wanted.items()}


@CHECK
@examples(100)
@given(SEEDS, st.data())
def test_retained_by_sets_against_the_oracle(seed: int, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given_heap = random_heap(Path(folder), seed)
        nodes = st.lists(st.integers(-1, given_heap.count - 1), max_size=8)
        sets = data.draw(st.lists(nodes, min_size=1, max_size=3))
        read = given_heap.heap.retained_of_sets([np.array(each, np.int32) for each in sets])
        for each, (count, size) in zip(sets, read, strict=True):
            dead = graphs.retained(given_heap.graph, given_heap.roots, set(each))
            assert (count, size) == (len(dead), sum(given_heap.sizes[node] for node in dead))


@examples(60)
@given(SEEDS)
def test_shortest_paths_are_paths_and_shortest(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given_heap = random_heap(Path(folder), seed, 25)
        distance = dict.fromkeys(given_heap.roots, 1)
        waiting = list(distance)
        for node in waiting:
            for after in given_heap.graph[node]:
                if after not in distance:
                    distance[after] = distance[node] + 1
                    waiting.append(after)
        for node in range(given_heap.count):
            assert len(given_heap.heap.path_to_root(node)) == distance.get(node, 0)


def test_several_threads_ask_for_paths_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searching, original = Lock(), paths.breadth_first

    def alone(*arguments: Any) -> Any:
        assert searching.acquire(blocking=False), "two threads search at once"
        try:
            time.sleep(0.01)
            return original(*arguments)
        finally:
            searching.release()

    monkeypatch.setattr(paths, "breadth_first", alone)
    monkeypatch.setattr(paths, "_STEP", 4)
    given_heap = random_heap(tmp_path, 5, 200)
    assert given_heap.heap.path_nodes(given_heap.roots[0]) == [given_heap.roots[0]]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(given_heap.heap.path_nodes, range(given_heap.count)))
    assert sum(map(bool, found)) == len(graphs.reachable(given_heap.graph, given_heap.roots))


def test_what_the_trees_of_two_roots_lead_to_has_no_dominator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The references that were counted before the second tree led there must not shift those of other objects."""
    fill_new_arrays(monkeypatch, 0)
    dump = DumpWriter()
    kind = dump.java_class("app/A", fields={"x": OBJECT, "y": OBJECT, "z": OBJECT})
    first, side, shared, held, second = (dump.instance(kind) for _ in range(5))
    dump.set(first, x=shared, y=side, z=held)
    dump.set(side, x=shared, y=held)
    dump.set(second, x=shared)
    for object_id in (first, second, kind.id):
        dump.root(hprof.JNI_GLOBAL, object_id)
    heap = heap_of(dump, tmp_path)
    dominators = heap.dominators(nodes_of(heap, [side, shared, held])).tolist()
    assert dominators == [heap.node(first), -1, heap.node(first)]


def test_trap_33_dangling_ids_are_counted_and_not_followed(tmp_path: Path) -> None:
    dump = DumpWriter()
    kind = dump.java_class("app/A", fields={"x": OBJECT})
    held = dump.instance(kind, x=0xDEAD_BEE8)
    array = dump.object_array(dump.known("[Ljava/lang/Object;"), [0xDEAD_BEF0] * 781 + [held, 0, 1])
    kind.statics["s"] = (OBJECT, 0xFFFF_FFFF_FFFF_FFFF)
    heap = heap_of(dump, tmp_path)
    assert targets(heap, array) == [held]
    assert targets(heap, held) == []
    assert heap.references.dangling == 781 + 1 + 1 + 1
    assert heap.problem is None


def test_a_dump_with_many_dangling_references_lacks_objects(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.object_array(dump.known("[Ljava/lang/Object;"), [0xDEAD_BEF0] * 1_001)
    assert heap_of(dump, tmp_path).problem is not None


@pytest.mark.parametrize("extreme", [1, 2**32 - 1, 2**63, 2**64 - 1])
def test_ids_at_the_extremes(extreme: int, tmp_path: Path) -> None:
    dump = DumpWriter()
    kind = dump.java_class("app/A", fields={"x": OBJECT})
    ordinary = dump.instance(kind, x=extreme)
    dump.items.append(dump.encode.instance_dump(extreme, kind.id, dump.encode.id(ordinary)))
    dump.items.append(dump.encode.instance_dump(0, kind.id, dump.encode.id(ordinary)))
    dump.root(hprof.JNI_GLOBAL, ordinary)
    heap = heap_of(dump, tmp_path)
    assert targets(heap, ordinary) == [extreme]
    assert targets(heap, extreme) == [ordinary]
    assert heap.node(0) == -1
    assert heap.retained_sizes(nodes_of(heap, [ordinary]))[0] >= 2 * 16


def test_trap_45_a_weak_referent_is_reachable_but_no_path_goes_through_it(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.known("java/lang/ref/Reference", referent=OBJECT)
    weak = dump.known("java/lang/ref/WeakReference", "java/lang/ref/Reference")
    strong = dump.java_class("app/Holder", fields={"a": OBJECT})
    held = dump.instance(dump.known("app/Held"))
    reference = dump.instance(weak, referent=held)
    last = dump.instance(strong, a=held)
    for object_id in (reference, dump.instance(strong, a=last)):
        dump.root(hprof.JNI_GLOBAL, object_id)
    heap = heap_of(dump, tmp_path)
    assert heap.reachable(nodes_of(heap, [held])).all()
    assert [step.split(": ")[-1] for step in heap.path_to_root(heap.node(held))] == [
        "app.Holder", "app.Holder.a -> app.Holder", "app.Holder.a -> app.Held"
    ]  # fmt: skip


@CHECK
def test_trap_47_sums_beyond_32_bits(tmp_path: Path) -> None:
    path = tmp_path / "large.hprof"
    encode = hprof.Encoder(8)
    length, size = 3 << 30, 18 + (3 << 30)
    ids = [0x1_0000_0000, 0x2_0000_0000, 0x3_0000_0000]
    with path.open("wb") as file:
        file.write(hprof.header("1.0.1", 8, 0))
        for object_id in ids:
            start = file.tell()
            file.write(hprof.record(hprof.HEAP_DUMP_SEGMENT, b"", length=size))
            file.write(encode.primitive_array_dump(object_id, hprof.BYTE, b"", length=length))
            file.seek(start + 9 + size)
        roots = b"".join(encode.root(hprof.JNI_GLOBAL, 0x4_0000_0000) for _ in ids)
        held = encode.object_array_dump(0x4_0000_0000, 0x5_0000_0000, ids)
        file.write(hprof.record(hprof.HEAP_DUMP_SEGMENT, held + roots))
        file.write(hprof.record(hprof.HEAP_DUMP_END, b""))
    from mqdiag.graph import open_heap

    heap = open_heap(str(path))
    assert heap.dump.complete
    retained = int(heap.retained_sizes(nodes_of(heap, [0x4_0000_0000]))[0])
    assert 9 << 30 < retained < (9 << 30) + (1 << 20)
    assert heap.dominance.total_bytes == retained
    assert next(row for row in class_rows(heap) if row.name == "byte[]").shallow_bytes > 9 << 30


def test_trap_49_garbage_is_counted_apart(tmp_path: Path) -> None:
    dump = DumpWriter()
    kind = dump.java_class("app/A", fields={"x": OBJECT})
    alive = dump.instance(kind)
    garbage = [dump.primitive_array(hprof.INT, bytes(4000)) for _ in range(5)]
    dump.instance(kind, x=alive)
    dump.root(hprof.JNI_GLOBAL, alive)
    dump.root(hprof.STICKY_CLASS, kind.id)
    heap = heap_of(dump, tmp_path)
    assert not heap.reachable(nodes_of(heap, garbage)).any()
    assert heap.dominance.count == 2
    assert heap.retained_sizes(nodes_of(heap, garbage)).tolist() == [0] * 5
    (row,) = (row for row in class_rows(heap) if row.name == "int[]")
    assert (row.instances, row.retained_bytes) == (5, 0)
    assert row.shallow_bytes == 5 * 4016


def test_trap_10_parallel_dumps_are_out_of_address_order(tmp_path: Path) -> None:
    dump = DumpWriter(segment_bytes=2000)
    kind = dump.java_class("app/A", fields={"x": OBJECT})
    objects = [dump.instance(kind) for _ in range(1000)]
    for before, after in pairwise(objects):
        dump.set(before, x=after)
    for _ in range(2):
        dump.items[1:] = reversed(dump.items[1:])
        assert heap_of(dump, tmp_path).references.edges.size == 999
    halves = dump.items[1:]
    dump.items[1:] = halves[1::2] + halves[::2]
    heap = heap_of(dump, tmp_path)
    assert targets(heap, objects[0]) == [objects[1]]
    assert targets(heap, objects[998]) == [objects[999]]


def test_after_an_error_nothing_more_begins_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    ended, shut_down = Event(), Event()

    def fail() -> None:
        with dominance._one_beside(dominance.LEAST_OBJECTS) as beside:
            beside.submit(wait_until, shut_down.is_set, "the end")
            beside.submit(ended.set)
            shutdown = beside.shutdown

            def shut(**how: Any) -> None:
                # What waits is thrown away before what runs is waited for.
                shutdown(wait=False, **how)
                shut_down.set()
                shutdown()

            monkeypatch.setattr(beside, "shutdown", shut)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not ended.is_set()

"""The dump of any number of objects that speed is measured with has the graph that it says."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mqdiag.config import Settings
from mqdiag.diagnose.heap_facts import graph_facts
from mqdiag.graph import dominance
from mqdiag.graph.memory_need import memory_need
from mqdiag.graph.open import open_heap
from mqdiag.kernel.call import Kernel
from mqdiag.kernel.definition import flat_values
from mqdiag.progress import Silent
from mqdiag.read import array_memory
from mqdiag.read.array_memory import ArrayMemory
from tests.bench.many_objects import write_dump
from tests.graph.new_arrays import fill_new_arrays


def test_the_graph_of_many_objects(tmp_path: Path) -> None:
    path = tmp_path / "many.hprof"
    written = write_dump(path, 1000, block=64)
    heap = open_heap(str(path))
    assert heap.count == written == 2 * (6 * 64 + 1) + 9
    assert heap.references.dangling == 0
    orders = heap.instances(heap.classes.indices_named("app.Order"))
    assert heap.strings(heap.refs(orders, "text"))[:2] == ["0000000000000000", "0000000000000001"]
    assert heap.strings(heap.refs(orders, "text"))[-1] == "0000000000000127"
    # The first order of a chain holds the seven others; the last one holds itself.
    retained = heap.retained_sizes(orders)
    assert retained[:9].tolist() == [8 * 160 - 160 * at for at in range(8)] + [8 * 160]
    lines = heap.instances(heap.classes.indices_named("app.Line"))
    assert (np.unique(heap.refs(lines, "order"), return_counts=True)[1] == 2).all()


def test_an_object_that_is_of_its_own_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The class object of java.lang.Class refers to itself: that must not make it a predecessor of itself."""
    path = tmp_path / "many.hprof"
    write_dump(path, 1000, block=64)
    fill_new_arrays(monkeypatch, 0)
    heap = open_heap(str(path))
    rows = [row for name in ("java.lang.Class", "app.Store") for row in heap.classes.indices_named(name)]
    of_class, of_store = heap.index.lookup.find(heap.dump.classes.ids[rows]).tolist()
    assert heap.dominators(np.array([of_class], np.int32)).tolist() == [of_store]


def test_the_passes_of_a_report_over_the_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are what it takes today. A change that needs more must be worth it."""
    path = tmp_path / "many.hprof"
    write_dump(path, 50_000, block=1024)
    monkeypatch.setattr(dominance, "worker_count", lambda: 2)
    taken: list[tuple[str, tuple[Any, ...]]] = []
    original = Kernel.__call__

    def noted(kernel: Kernel, *arguments: Any) -> Any:
        taken.append((kernel.__name__, arguments))
        return original(kernel, *arguments)

    monkeypatch.setattr(Kernel, "__call__", noted)
    with open_heap(str(path)) as heap:
        graph_facts(heap, Settings(), Silent())
    passes = Counter(
        name
        for name, arguments in taken
        if any(argument is heap.references.edges for argument in flat_values(arguments))
    )
    # Two threads look for predecessors, each for those of one half. A search for paths stops where it is far enough.
    # Only references of texts and of collections are read for what these waste.
    assert passes == {
        "depth_first": 1, "predecessors": 2, "breadth_first": 1, "hash_texts": 1, "spare_room": 1
    }  # fmt: skip


@pytest.mark.parametrize(("in_files", "most_bytes"), [(False, 33), (True, 26)])
def test_the_bytes_of_an_object_at_the_peak(
    in_files: bool, most_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bounds are what it takes today. A change that needs more must be worth it."""
    path = tmp_path / "many.hprof"
    objects = write_dump(path, 50_000, block=1024)
    if in_files:
        monkeypatch.setattr(array_memory, "_LARGE_BYTES", 1)
        monkeypatch.setattr(array_memory, "_SMALLEST_BYTES", 1 << 10)
    monkeypatch.setattr(ArrayMemory, "reserve", lambda room, most_objects: None)
    _ = open_heap(str(path)).dominance  # kernels are loaded at their first call
    heap = open_heap(str(path))
    _ = heap.references, heap.class_nodes
    tracemalloc.start()
    try:
        _ = heap.dominance
        # Arrays in memory that are allocated count, whether or not they are touched.
        assert tracemalloc.get_traced_memory()[1] <= most_bytes * objects
    finally:
        tracemalloc.stop()
    need = memory_need(heap.dump)
    assert need.total <= 47 * objects
    assert need.any_order <= 25 * objects


def test_the_bytes_that_the_search_for_dominators_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is what it takes today, used again or not: the system clears what is new before its first use."""
    path = tmp_path / "many.hprof"
    objects = write_dump(path, 50_000, block=1024)
    heap = open_heap(str(path))
    _ = heap.references, heap.class_nodes, heap.sizes.units
    asked: list[int] = []
    for way in ("empty", "zeros"):
        original = getattr(ArrayMemory, way)

        def noted(
            room: ArrayMemory,
            count: int,
            dtype: type,
            original: Callable[..., NDArray[Any]] = original,
            **how: bool,
        ) -> NDArray[Any]:
            if not how.get("sparse"):
                asked.append(count * np.dtype(dtype).itemsize)
            return original(room, count, dtype, **how)

        monkeypatch.setattr(ArrayMemory, way, noted)
    _ = heap.dominance
    assert sum(asked) <= 34 * objects


def test_the_bytes_of_an_object_in_memory_that_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is what a report takes today, with the walk and with places that arrays have but do not touch."""
    path = tmp_path / "many.hprof"
    objects = write_dump(path, 50_000, block=1024)
    monkeypatch.setattr(array_memory, "_LARGE_BYTES", 1)
    monkeypatch.setattr(array_memory, "_SMALLEST_BYTES", 1 << 10)
    with open_heap(str(path)) as heap:
        graph_facts(heap, Settings(), Silent())
        assert heap.dump.room.reused_bytes <= 28 * objects


def test_a_heap_that_stays_open_gives_back_what_its_search_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "many.hprof"
    write_dump(path, 50_000, block=1024)
    monkeypatch.setattr(array_memory, "_LARGE_BYTES", 1)
    monkeypatch.setattr(array_memory, "_SMALLEST_BYTES", 1 << 10)
    given: list[bool] = []
    original = ArrayMemory.give_back

    def noted(room: ArrayMemory) -> None:
        given.append(True)
        original(room)

    monkeypatch.setattr(ArrayMemory, "give_back", noted)
    usual, open_for_long = open_heap(str(path)), open_heap(str(path))
    open_for_long.stays_open = True
    _ = usual.dominance
    assert given == []
    _ = open_for_long.dominance
    assert given == [True]
    assert np.array_equal(usual.shortest_paths, open_for_long.shortest_paths)
    assert np.array_equal(usual.dominance.order, open_for_long.dominance.order)

"""Empty and sparse collections against a plain count."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.graph.waste import sample
from mqdiag.graph.waste.spare_room import wasteful_collections
from tests.graph.opening import heap_of
from tests.layers import CHECK
from tests.oracles import waste as oracle
from tests.writers.hprof_records import INT, JNI_GLOBAL, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

SIZES = [
    (0, 1),
    (0, 16),
    (0, 64),
    (1, 4),
    (1, 8),
    (2, 16),
    (3, 16),
    (4, 16),
    (6, 32),
    (7, 32),
    (12, 16),
    (1, 1024),
]


def keep(dump: DumpWriter, ids: list[int]) -> None:
    dump.root(JNI_GLOBAL, dump.object_array(dump.known("[Lapp/Keeper;"), ids))


def test_lists_and_maps_are_counted_as_the_twin_does(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    item = java.string("item")
    lists = [java.array_list([item] * size, capacity) for size, capacity in SIZES]
    maps = [java.hash_map([(item, item)] * size, bins=capacity) for size, capacity in SIZES]
    keep(dump, lists + maps)
    java.array_list([], 1000)  # garbage does not count
    found = wasteful_collections(heap_of(dump, tmp_path))
    by_class = {each.class_name: each for each in found.classes}
    assert set(by_class) == {"java.util.ArrayList", "java.util.HashMap"}
    total = 0
    for ids, name, table in ((lists, "java.util.ArrayList", False), (maps, "java.util.HashMap", True)):
        each = by_class[name]
        truth = oracle.spare(SIZES, dump.sizes[ids[0]], table=table)
        assert (each.empty, each.empty_bytes, each.sparse, each.spare_bytes) == truth
        assert each.collections == len(SIZES)
        total += truth[1] + truth[3]
    assert found.wasted_bytes == total
    assert found.collections == 2 * len(SIZES)


def test_a_concurrent_map_is_as_full_as_its_bins_at_least(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    item = java.string("item")
    # baseCount is 0 in these: what threads counted elsewhere is not seen, its bins are.
    full = java.concurrent_hash_map([(item, item)] * 8, bins=16)
    empty = java.concurrent_hash_map([], bins=16)
    keep(dump, [full, empty])
    (each,) = wasteful_collections(heap_of(dump, tmp_path)).classes
    assert (each.collections, each.empty, each.sparse) == (2, 1, 0)
    assert each.empty_bytes == dump.sizes[empty] + oracle.array_bytes(16)


def test_of_two_arrays_a_list_s_own_one_is_meant(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    plain = java.array_list([], 4)
    sub = dump.java_class(
        "app/Items", fields={"others": OBJECT, "size": INT}, superclass=dump.classes["java/util/ArrayList"]
    )
    objects = dump.known("[Ljava/lang/Object;")
    own, others = dump.object_array(objects, [0] * 100), dump.object_array(objects, [0] * 2000)
    keep(dump, [plain, dump.instance(sub, others=others, size=7, elementData=own)])
    found = {each.class_name: each for each in wasteful_collections(heap_of(dump, tmp_path)).classes}
    # Fields of one name take one value in the writer: the list's own size is 7 too.
    assert found["app.Items"].spare_bytes == oracle.array_bytes(100) - oracle.array_bytes(7)


@CHECK
def test_many_are_projected_from_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a large array wastes is known, however few of the collections are drawn."""
    monkeypatch.setattr(sample, "WHOLE", 1000)
    monkeypatch.setattr(sample, "DRAWN", 1000)
    dump = DumpWriter()
    java = JavaObjects(dump)
    lists = [java.array_list([], 10 + number % 5) for number in range(8000)]
    keep(dump, [*lists, java.array_list([lists[0]], 1 << 20), java.array_list([], 1 << 20)])
    found = wasteful_collections(heap_of(dump, tmp_path))
    large = 24 + 2 * oracle.array_bytes(1 << 20) - oracle.array_bytes(1)
    truth = large + sum(24 + oracle.array_bytes(10 + number % 5) for number in range(8000))
    assert found.sampled_one_in == 8
    assert found.error_bytes is not None
    assert abs(found.wasted_bytes - truth) <= found.error_bytes <= 0.1 * (truth - large)
    assert found.collections == pytest.approx(8002, rel=0.15)
    assert found.classes[0].sparse == 1


def test_a_cut_file_gives_what_is_there(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    keep(dump, [java.array_list([], 10) for _ in range(50)])
    whole = dump.to_bytes()
    for end in range(len(whole) - 1500, len(whole), 37):
        found = wasteful_collections(heap_of(whole[:end], tmp_path))
        assert found.collections <= 50

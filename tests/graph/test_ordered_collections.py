"""Collections in the order of iteration, nulls in their places."""

from __future__ import annotations

from pathlib import Path

from mqdiag.graph import Heap
from mqdiag.graph.ordered_collections import is_collection, is_map, ordered_entries, ordered_items
from tests.graph.opening import heap_of
from tests.layers import CHECK
from tests.writers.hprof_records import INT, LONG, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects


def texts(heap: Heap, nodes: list[int]) -> list[str | None]:
    return [None if node < 0 else heap.string(node) for node in nodes]


@CHECK
def test_a_tree_map_is_in_the_order_of_its_keys(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    words = [f"{number:04}" for number in range(1_000)]
    made = java.tree_map([(java.string(word), java.string(f"v{word}")) for word in words])
    heap = heap_of(dump, tmp_path)
    keys, values = ordered_entries(heap, heap.node(made))
    assert texts(heap, keys.tolist()) == words
    assert texts(heap, values.tolist()) == [f"v{word}" for word in words]


def test_a_damaged_tree_ends(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    made = java.tree_map([(java.string(word), 0) for word in "abc"])
    entries = [
        item.id
        for item in dump.items
        if getattr(getattr(item, "java_class", None), "name", "").endswith("Entry")
    ]
    for entry in entries:
        dump.set(entry, left=entries[0], right=entries[-1])
    heap = heap_of(dump, tmp_path)
    keys, _ = ordered_entries(heap, heap.node(made))
    found = texts(heap, keys.tolist())
    assert 2 <= len(found) == len(set(found)) <= 3


def linked_hash_map(dump: DumpWriter, java: JavaObjects, words: str, cyclic: bool = False) -> int:
    dump.known("java/util/AbstractMap", keySet=OBJECT, values=OBJECT)
    dump.known("java/util/HashMap", "java/util/AbstractMap", table=OBJECT, size=INT)
    layout = dump.known("java/util/LinkedHashMap", "java/util/HashMap", head=OBJECT)
    dump.known("java/util/HashMap$Node", hash=INT, key=OBJECT, value=OBJECT, next=OBJECT)
    entry = dump.known("java/util/LinkedHashMap$Entry", "java/util/HashMap$Node", before=OBJECT, after=OBJECT)
    made = [dump.instance(entry, key=java.string(word), value=java.string(word.upper())) for word in words]
    for at, link in enumerate(made):
        dump.set(link, after=made[(at + 1) % len(made)] if cyclic or at + 1 < len(made) else 0)
    table = dump.object_array(dump.known("[Ljava/util/HashMap$Node;"), sorted(made, reverse=True))
    return dump.instance(layout, table=table, size=len(made), head=made[0])


def test_a_linked_hash_map_is_in_the_order_of_insertion(tmp_path: Path) -> None:
    for cyclic in (False, True):
        dump = DumpWriter()
        made = linked_hash_map(dump, JavaObjects(dump), "zxya", cyclic)
        heap = heap_of(dump, tmp_path)
        keys, values = ordered_entries(heap, heap.node(made))
        assert texts(heap, keys.tolist()) == list("zxya")
        assert texts(heap, values.tolist()) == list("ZXYA")


def test_lists_keep_nulls_and_leave_spare_room_out(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    a, b = java.string("a"), java.string("b")
    made = java.array_list([a, 0, b, 0], capacity=10)
    synchronized = java.wrapped("java/util/Collections$SynchronizedList", "list", made)
    heap = heap_of(dump, tmp_path)
    for node in (heap.node(made), heap.node(synchronized)):
        assert is_collection(heap, node)
        assert texts(heap, ordered_items(heap, node).tolist()) == ["a", None, "b", None]


def test_an_array_deque_begins_at_its_head(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    a, b, c = (java.string(word) for word in "abc")
    layout = dump.known("java/util/ArrayDeque", elements=OBJECT, head=INT, tail=INT)
    array = dump.object_array(dump.known("[Ljava/lang/Object;"), [b, c, 0, a])
    made = dump.instance(layout, elements=array, head=3, tail=2)
    heap = heap_of(dump, tmp_path)
    assert texts(heap, ordered_items(heap, heap.node(made)).tolist()) == ["a", "b", "c"]


def test_enum_map_and_enum_set(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    constants = [java.string(word) for word in ("RED", "GREEN", "BLUE")]
    arrays = dump.known("[Ljava/lang/Object;")
    universe = dump.object_array(arrays, constants)
    vals = dump.object_array(arrays, [0, java.string("leaf"), 0])
    colours = dump.instance(
        dump.known("java/util/EnumMap", keyUniverse=OBJECT, vals=OBJECT, size=INT),
        keyUniverse=universe, vals=vals, size=1,
    )  # fmt: skip
    some = dump.instance(
        dump.known("java/util/RegularEnumSet", elements=LONG, universe=OBJECT),
        elements=0b101,
        universe=universe,
    )
    heap = heap_of(dump, tmp_path)
    keys, values = ordered_entries(heap, heap.node(colours))
    assert (texts(heap, keys.tolist()), texts(heap, values.tolist())) == (["GREEN"], ["leaf"])
    assert texts(heap, ordered_items(heap, heap.node(some)).tolist()) == ["RED", "BLUE"]


def test_a_skip_list_map_follows_its_lowest_level(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    name = "java/util/concurrent/ConcurrentSkipListMap"
    node = dump.known(f"{name}$Node", key=OBJECT, val=OBJECT, next=OBJECT)
    last = dump.instance(node, key=java.string("b"), val=java.string("2"))
    marker = dump.instance(node, next=last)
    first = dump.instance(node, key=java.string("a"), val=java.string("1"), next=marker)
    base = dump.instance(node, next=first)
    head = dump.instance(dump.known(f"{name}$Index", node=OBJECT, down=OBJECT, right=OBJECT), node=base)
    made = dump.instance(dump.known(name, head=OBJECT, comparator=OBJECT), head=head)
    heap = heap_of(dump, tmp_path)
    keys, values = ordered_entries(heap, heap.node(made))
    assert (texts(heap, keys.tolist()), texts(heap, values.tolist())) == (["a", "b"], ["1", "2"])


def test_what_is_no_collection(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    plain = [
        dump.instance(dump.known("app/Cache", map=OBJECT, list=OBJECT), map=java.hash_map([])),
        dump.instance(dump.known("app/TaskList", items=OBJECT)),
        dump.instance(dump.known("java/util/BitSet", words=OBJECT)),
        dump.instance(dump.known("java/util/HashMap$KeySet", **{"this$0": OBJECT})),
        dump.instance(dump.known("java/util/ArrayList$SubList", root=OBJECT)),
        java.string("x"),
    ]
    heap = heap_of(dump, tmp_path)
    for made in plain:
        node = heap.node(made)
        assert not is_map(heap, node)
        assert not is_collection(heap, node)

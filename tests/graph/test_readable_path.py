"""The way that names a class of its own, where the shortest one is a thread's local variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.graph import readable_path as module
from mqdiag.graph.readable_path import readable_path
from mqdiag.graph.suspects import suspects
from tests.graph.opening import heap_of
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import BYTE, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects


def filled(dump: DumpWriter) -> int:
    """A list that is nearly all of the heap, in hand of a worker."""
    java = JavaObjects(dump)
    kept = java.array_list([dump.primitive_array(BYTE, bytes(40_000)) for _ in range(8)])
    worker = java.thread("worker")
    dump.thread(worker, 1)
    dump.local(kept, 1)
    return kept


@pytest.mark.parametrize("in_static", [True, False])
def test_a_list_that_a_listener_fills_is_named_by_its_static_field(tmp_path: Path, in_static: bool) -> None:
    dump = DumpWriter()
    kept = filled(dump)
    # one step more than the local variable
    cache = dump.java_class("app/Cache", statics={"kept": (OBJECT, kept if in_static else 0)})
    classes = dump.object_array(dump.known("[Ljava/lang/Object;"), [cache.id])
    dump.root(hprof.JNI_GLOBAL, classes)
    dump.root(hprof.STICKY_CLASS, dump.classes["java/lang/Thread"].id)
    (found,) = suspects(heap_of(dump, tmp_path), lambda name: False)
    assert found.share > 0.9
    if in_static:
        assert (found.label, found.owner) == ("app.Cache.kept", "application")
        assert found.path[0] == "class app.Cache"
        assert any(step.startswith("app.Cache.kept") for step in found.path)
    else:
        assert (found.label, found.owner, found.kind) == ("java.util.ArrayList", "jdk", "local-variable")
        assert (found.thread, found.frame) == ("worker", None)
        assert found.path[0].startswith("thread")


def test_what_the_jdk_wraps_around_it_hides_no_name(tmp_path: Path) -> None:
    """Collections.synchronizedList, Executors.newSingleThreadExecutor."""
    dump = DumpWriter()
    wrapped = JavaObjects(dump).wrapped("java/util/Collections$SynchronizedList", "list", filled(dump))
    cache = dump.java_class("app/Cache", statics={"kept": (OBJECT, wrapped)})
    classes = dump.object_array(dump.known("[Ljava/lang/Object;"), [cache.id])
    dump.root(hprof.JNI_GLOBAL, classes)
    dump.root(hprof.STICKY_CLASS, dump.classes["java/lang/Thread"].id)
    (found,) = suspects(heap_of(dump, tmp_path), lambda name: False)
    assert (found.label, found.owner) == ("app.Cache.kept", "application")
    assert [step for step in found.path if "SynchronizedList" in step]


def test_what_the_object_itself_keeps_is_no_holder_of_it(tmp_path: Path) -> None:
    dump = DumpWriter()
    kept = filled(dump)
    order = dump.instance(dump.known("app/Order", list=OBJECT), list=kept)
    body = dump.primitive_array(BYTE, bytes(300_000))
    dump.set(kept, elementData=dump.object_array(dump.known("[Ljava/lang/Object;"), [order, body]))
    dump.root(hprof.STICKY_CLASS, dump.classes["java/lang/Thread"].id)
    found = suspects(heap_of(dump, tmp_path), lambda name: False)
    assert found[0].path[0].startswith("thread")
    assert "app.Order" not in " ".join(found[0].path)


def test_a_second_look_costs_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dump = DumpWriter()
    kept = filled(dump)
    cache = dump.java_class("app/Cache", statics={"kept": (OBJECT, kept)})
    dump.root(hprof.JNI_GLOBAL, dump.object_array(dump.known("[Ljava/lang/Object;"), [cache.id]))
    dump.root(hprof.STICKY_CLASS, dump.classes["java/lang/Thread"].id)
    heap = heap_of(dump, tmp_path)
    way = readable_path(heap, heap.node(kept))
    assert len(way) == 3
    monkeypatch.delattr(module, "breadth_first")
    assert readable_path(heap, heap.node(kept)) == way


@pytest.mark.parametrize(
    ("outermost", "kind", "label"),
    [
        ("org/apache/lucene/index/IndexWriter", "field", "app.Index.writer"),
        ("app/Index", "local-variable", "app.Index.add"),
    ],
)
def test_a_field_wins_over_the_frame_of_a_library_and_not_over_a_frame_of_the_application(
    outermost: str, kind: str, label: str, tmp_path: Path
) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    kept = java.array_list([dump.primitive_array(BYTE, bytes(40_000)) for _ in range(8)])
    inside = kept
    for depth in range(6):
        inside = dump.instance(dump.known(f"org/apache/lucene/index/Part{depth}", part=OBJECT), part=inside)
    index = dump.known("app/Index", writer=OBJECT)
    writer = dump.known("org/apache/lucene/index/IndexWriter")
    own = dump.instance(index, writer=inside)
    frames = [
        dump.frame(dump.known(outermost), "add", "Any.java", 7),
        dump.frame(index, "add", "Index.java", 39),
    ]
    thread = java.thread("main")
    dump.thread(thread, 1, frames)
    dump.local(kept, 1, 0, hprof.JAVA_FRAME)
    dump.local(own, 1, 1, hprof.JAVA_FRAME)
    dump.root(hprof.STICKY_CLASS, writer.id)
    largest = suspects(heap_of(dump, tmp_path), lambda name: False)[0]
    assert (largest.kind, largest.label) == (kind, label)

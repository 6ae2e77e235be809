"""Roots, threads and their stacks (traps 16 to 20 of naive readers)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.graph.opening import heap_of, nodes_of
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects


def test_trap_16_without_system_class_roots_the_boot_loaders_classes_are_roots(tmp_path: Path) -> None:
    dump = DumpWriter()
    held = dump.instance(dump.known("app/Held"))
    loader = dump.instance(dump.known("app/Loader"))
    system = dump.java_class("java/lang/System", statics={"props": (OBJECT, held)})
    own = dump.java_class(
        "app/Own", loader=loader, statics={"own": (OBJECT, dump.instance(dump.known("app/Gone")))}
    )
    heap = heap_of(dump, tmp_path)
    assert heap.reachable(nodes_of(heap, [system.id, held, own.id])).tolist() == [True, True, False]
    assert heap.roots.added_system_classes == 5
    dump.root(hprof.STICKY_CLASS, own.id)
    heap = heap_of(dump, tmp_path)
    assert heap.reachable(nodes_of(heap, [system.id, held, own.id])).tolist() == [False, False, True]
    assert heap.roots.added_system_classes == 0


@pytest.mark.parametrize("tag", [hprof.JNI_LOCAL, hprof.JAVA_FRAME, hprof.NATIVE_STACK, hprof.THREAD_BLOCK])
def test_trap_17_what_a_frame_holds_hangs_on_its_thread(tag: int, tmp_path: Path) -> None:
    dump = DumpWriter()
    held = dump.object_array(dump.known("[Lapp/Held;"), [0] * 100)
    thread = JavaObjects(dump).thread("worker")
    dump.thread(thread, 5)
    dump.local(held, 5, 0, tag)
    dump.root(hprof.STICKY_CLASS, dump.classes["java/lang/Thread"].id)
    heap = heap_of(dump, tmp_path)
    node = heap.node(thread)
    held_bytes, own_bytes = (dump.sizes[each] for each in (held, thread))
    assert int(heap.retained_sizes(nodes_of(heap, [thread]))[0]) > held_bytes + own_bytes
    assert heap.node(held) not in heap.roots.nodes
    (found,) = heap.threads
    assert (found.node, np.concatenate([*found.locals.values()]).tolist()) == (node, [heap.node(held)])


def test_trap_17_a_local_of_two_threads_is_retained_by_neither(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    held = dump.object_array(dump.known("[Lapp/Held;"), [0] * 100)
    threads = [java.thread(name) for name in ("a", "b")]
    for serial, thread in enumerate(threads, 1):
        dump.thread(thread, serial)
        dump.local(held, serial)
    dump.root(hprof.STICKY_CLASS, dump.classes["java/lang/Thread"].id)
    heap = heap_of(dump, tmp_path)
    assert heap.reachable(nodes_of(heap, [held])).all()
    assert (heap.retained_sizes(nodes_of(heap, threads)) < dump.sizes[held]).all()


def test_trap_17_an_empty_stack_and_the_inserted_out_of_memory_frame(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    error = dump.known("java/lang/OutOfMemoryError")
    app = dump.known("app/Listener")
    held, empty_held = (dump.instance(app) for _ in range(2))
    # The JDK puts the constructor on top and shifts the numbers of the frames by one.
    frames = [dump.frame(error, "<init>"), dump.frame(app, "consume", "Listener.java", 42)]
    hit, empty = java.thread("hit"), java.thread("empty")
    dump.thread(hit, 1, frames)
    dump.thread(empty, 2)
    dump.local(held, 1, 1)
    dump.local(empty_held, 2, -1)
    heap = heap_of(dump, tmp_path)
    first, second = heap.threads
    assert first.frames == (
        "java.lang.OutOfMemoryError.<init>(Unknown Source)",
        "app.Listener.consume(Listener.java:42)",
    )
    assert {frame: nodes.tolist() for frame, nodes in first.locals.items()} == {1: [heap.node(held)]}
    assert second.frames == ()
    assert {frame: nodes.tolist() for frame, nodes in second.locals.items()} == {-1: [heap.node(empty_held)]}


@pytest.mark.parametrize(
    ("line", "source", "text"),
    [
        (7, "A.java", "(A.java:7)"),
        (0, "A.java", "(A.java)"),
        (0, "", "(Unknown Source)"),
        (-1, "A.java", "(Unknown Source)"),
        (-2, "A.java", "(Compiled Method)"),
        (-3, "A.java", "(Native Method)"),
        (-9, "A.java", "(A.java)"),
    ],
)
def test_trap_18_line_numbers_are_signed(line: int, source: str, text: str, tmp_path: Path) -> None:
    dump = DumpWriter()
    thread = JavaObjects(dump).thread("t")
    dump.thread(thread, 1, [dump.frame(dump.known("app/A"), "run", source, line)])
    assert heap_of(dump, tmp_path).threads[0].frames == (f"app.A.run{text}",)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 70_000, 0xFFFFFFFF])
def test_trap_18_the_frame_count_may_lie(count: int, tmp_path: Path) -> None:
    dump = DumpWriter()
    thread = JavaObjects(dump).thread("t")
    frames = [dump.frame(dump.known("app/A"), name) for name in ("one", "two")]
    dump.root(hprof.THREAD_OBJECT, thread, thread=1, frame=dump.trace(frames, 1, count=count))
    assert len(heap_of(dump, tmp_path).threads[0].frames) == min(count, 2)


def test_trap_18_frames_of_unknown_ids_classes_and_names(tmp_path: Path) -> None:
    dump = DumpWriter()
    thread = JavaObjects(dump).thread("t")
    lost = dump.java_class("app/Lost", loaded=False)
    frames = [dump.frame(lost, "run"), 0x777]
    dump._stacks.append(dump.encode.stack_frame(0x888, 0x999, 0, 0x999, 1, 3))
    dump.thread(thread, 1, [*frames, 0x888])
    assert heap_of(dump, tmp_path).threads[0].frames == (
        "?.run(Unknown Source)", "unknown frame 0x777", "java.lang.Object.unknown-name@0x999(Unknown Source)"
    )  # fmt: skip


def test_trap_19_virtual_threads_carriers_and_duplicates(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    carrier = java.thread("same")
    virtual = dump.instance(
        dump.known("java/lang/VirtualThread", "java/lang/Thread", carrierThread=OBJECT),
        carrierThread=carrier,
        name=java.string("same"),
    )
    frame = dump.frame(dump.known("app/A"), "run")
    dump.thread(carrier, 1)
    dump.thread(virtual, 2, [frame])
    dump.thread(virtual, 2, [frame])  # early JDK 22 wrote some twice
    dump.thread(0xDEAD_BEE8, 3, [frame])
    threads = heap_of(dump, tmp_path).threads
    assert [(thread.serial, thread.name, len(thread.frames)) for thread in threads] == [
        (1, "same", 0),
        (2, "same", 1),
    ]


def test_trap_20_the_dummy_trace_is_no_thread(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.trace([])
    dump.instance(dump.known("app/A"))
    assert heap_of(dump, tmp_path).threads == []


@pytest.mark.parametrize("jdk", [8, 17])
def test_thread_names(jdk: int, tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump, jdk)
    dump.thread(java.thread("ConsumeMessageThread_大_1"), 1)
    dump.thread(dump.instance(dump.known("java/lang/Thread")), 2)
    assert [thread.name for thread in heap_of(dump, tmp_path).threads] == ["ConsumeMessageThread_大_1", ""]

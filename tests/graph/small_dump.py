"""A dump of a few KB that has one of everything: what is cut at every byte and flipped at every bit."""

from __future__ import annotations

from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import BYTE, INT, LONG, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects


def small_dump(id_size: int = 8, segment_bytes: int | None = 700) -> DumpWriter:
    """Classes with statics, pool and superclass, strings, maps, lists, arrays, threads with stacks, all roots."""
    dump = DumpWriter(id_size=id_size, segment_bytes=segment_bytes)
    java = JavaObjects(dump)
    dump.known("java/lang/Class")
    holder = dump.java_class(
        "app/Holder",
        fields={"map": OBJECT, "list": OBJECT, "count": LONG},
        statics={"FIRST": (OBJECT, 0), "LIMIT": (INT, 7)},
        superclass=dump.known("java/lang/Object"),
        pool=[(1, INT, 3)],
    )
    texts = [java.string(text) for text in ("a", "böse", "€")]
    table = java.hash_map([(texts[0], texts[1])], bins=2)
    items = java.linked_blocking_queue(texts)
    first = dump.instance(holder, map=table, list=items, count=1)
    second = dump.instance(holder, map=first, list=java.array_list([first, texts[2]], 4))
    dump.set(first, list=second)
    holder.statics["FIRST"] = (OBJECT, second)
    body = dump.primitive_array(BYTE, bytes(range(40)))
    holder.signers = dump.object_array(dump.known("[Ljava/lang/Object;"), [body, 0, first, 0xDEAD0])
    thread = java.thread("worker")
    frame = dump.frame(holder, "run", "Holder.java", 12)
    dump.thread(thread, 1, [dump.frame(holder, "take", line=-3), frame])
    dump.local(first, 1, 1)
    dump.local(body, 1, 0, hprof.JNI_LOCAL)
    for tag in (
        hprof.JNI_GLOBAL,
        hprof.NATIVE_STACK,
        hprof.THREAD_BLOCK,
        hprof.MONITOR_USED,
        hprof.UNKNOWN_ROOT,
    ):
        dump.root(tag, items, thread=9)
    for known in list(dump.classes.values()):
        dump.root(hprof.STICKY_CLASS, known.id)
    return dump

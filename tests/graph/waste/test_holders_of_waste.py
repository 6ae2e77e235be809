"""Loaders, thread locals and direct buffers in written dumps."""

from __future__ import annotations

from pathlib import Path

from mqdiag.graph.waste.direct_buffers import SEVERAL, direct_buffers
from mqdiag.graph.waste.loaders import repeated_loaders
from mqdiag.graph.waste.thread_locals import thread_locals
from tests.graph.opening import heap_of
from tests.writers.hprof_records import BOOLEAN, BYTE, INT, JNI_GLOBAL, LONG, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects


def loader(dump: DumpWriter, *, closed: bool) -> int:
    path = dump.instance(dump.known("jdk/internal/loader/URLClassPath", closed=BOOLEAN), closed=int(closed))
    return dump.instance(dump.known("app/PluginLoader", ucp=OBJECT), ucp=path)


def test_loaders_that_share_classes(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.known("java/lang/Object", "")
    loaders = [loader(dump, closed=number > 0) for number in range(3)]
    caches = []
    for each in loaders:
        caches.append(dump.primitive_array(BYTE, bytes(1000)))
        made = dump.java_class("app/Plugin", statics={"CACHE": (OBJECT, caches[-1])}, loader=each)
        dump.java_class("app/Lambda$$1", loader=each)
        dump.root(JNI_GLOBAL, dump.instance(made))
    dump.java_class("app/Plugin", loader=loader(dump, closed=True))  # garbage
    (group,) = repeated_loaders(heap_of(dump, tmp_path))
    assert (group.loader_class, group.loaders, group.closed) == ("app.PluginLoader", 3, 2)
    assert (group.example_class, group.repeated_classes) == ("app.Plugin", 2)
    assert group.retained_bytes >= sum(dump.sizes[each] for each in caches)
    assert int(group.object_id, 16) in loaders[1:]
    assert group.path[-1].endswith("app.PluginLoader")


def test_one_loader_for_each_name_is_no_repeat(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.known("java/lang/Object", "")
    for number in range(4):
        dump.root(
            JNI_GLOBAL,
            dump.instance(dump.java_class(f"app/Plugin{number}", loader=loader(dump, closed=False))),
        )
    assert repeated_loaders(heap_of(dump, tmp_path)) == ()


def written_thread_locals(*, closed: bool = True) -> tuple[DumpWriter, list[int]]:
    dump = DumpWriter(closed=closed)
    java = JavaObjects(dump)
    thread = dump.known("java/lang/Thread", name=OBJECT, threadLocals=OBJECT, threadLocalMap=OBJECT)
    reference = dump.known("java/lang/ref/Reference", referent=OBJECT)
    entry = dump.java_class(
        "java/lang/ThreadLocal$ThreadLocalMap$Entry", fields={"value": OBJECT}, superclass=reference
    )
    table = dump.known("[Ljava/lang/ThreadLocal$ThreadLocalMap$Entry;")
    map_class = dump.known("java/lang/ThreadLocal$ThreadLocalMap", table=OBJECT)
    key = dump.instance(dump.known("java/lang/ThreadLocal"))
    buffers = dump.known("app/Buffer", content=OBJECT)
    values = [
        dump.instance(buffers, content=dump.primitive_array(BYTE, bytes(1000 * size))) for size in (1, 2, 4)
    ]
    entries = [
        dump.instance(entry, referent=key, value=values[0]),
        dump.instance(entry, value=values[1]),  # its ThreadLocal was collected
        dump.instance(entry, referent=key),
    ]
    locals_ = dump.instance(map_class, table=dump.object_array(table, [0, *entries, 0]))
    unset = dump.instance(dump.known("java/lang/Object", ""))
    name = "io/netty/util/internal/InternalThreadLocalMap"
    netty = dump.java_class(name, fields={"indexedVariables": OBJECT}, statics={"UNSET": (OBJECT, unset)})
    dump.root(JNI_GLOBAL, netty.id)
    slots = dump.object_array(dump.known("[Ljava/lang/Object;"), [unset, values[2], unset])
    fast = dump.instance(netty, indexedVariables=slots)
    dump.thread(dump.instance(thread, name=java.string("worker-1"), threadLocals=locals_), 1)
    dump.thread(dump.instance(thread, name=java.string("netty-1"), threadLocalMap=fast), 2)
    return dump, values


def test_thread_locals_of_the_jdk_and_netty(tmp_path: Path) -> None:
    dump, values = written_thread_locals()
    found = thread_locals(heap_of(dump, tmp_path))
    assert found is not None
    sizes = [1000 * size + 16 + dump.sizes[value] for size, value in zip((1, 2, 4), values, strict=True)]
    sizes = [(size + 7) // 8 * 8 for size in sizes]
    assert (found.entries, found.retained_bytes) == (3, sum(sizes))
    assert (found.stale_entries, found.stale_bytes) == (1, sizes[1])
    assert [(each.thread, each.entries, each.retained_bytes) for each in found.threads] == [
        ("netty-1", 1, sizes[2]),
        ("worker-1", 2, sizes[0] + sizes[1]),
    ]
    assert found.threads[0].largest_class == "app.Buffer"
    assert found.values == (f"app.Buffer: {sum(sizes):,} bytes in 3",)


def test_a_cut_dump_does_not_say_which_keys_were_collected(tmp_path: Path) -> None:
    dump, _ = written_thread_locals()
    found = thread_locals(heap_of(dump.to_bytes()[:-9] + b"\x1c", tmp_path))
    assert found is not None
    assert found.entries == 3
    assert found.stale_entries is None
    assert found.stale_bytes is None


def test_owned_mapped_and_unmanaged_buffers(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.known("java/lang/Object", "")
    buffer = dump.known("java/nio/DirectByteBuffer", capacity=INT, att=OBJECT, cleaner=OBJECT, fd=OBJECT)
    cleaner = dump.known("jdk/internal/ref/Cleaner", thunk=OBJECT)
    free = dump.instance(cleaner, thunk=dump.instance(dump.known("java/nio/DirectByteBuffer$Deallocator")))
    unmap = dump.instance(cleaner, thunk=dump.instance(dump.known("sun/nio/ch/FileChannelImpl$Unmapper")))
    counter = dump.instance(dump.known("java/util/concurrent/atomic/AtomicLong", value=LONG), value=5000)
    netty_counter = dump.instance(dump.known("java/util/concurrent/atomic/AtomicLong"), value=700)
    statics = {"RESERVED_MEMORY": (OBJECT, counter), "MAX_MEMORY": (LONG, 8 << 20)}
    dump.root(JNI_GLOBAL, dump.java_class("java/nio/Bits", statics=statics).id)  # type: ignore[arg-type]
    netty = {"DIRECT_MEMORY_COUNTER": (OBJECT, netty_counter), "DIRECT_MEMORY_LIMIT": (LONG, 9000)}
    dump.root(
        JNI_GLOBAL,
        dump.java_class("shaded/io/netty/util/internal/PlatformDependent", statics=netty).id,  # type: ignore[arg-type]
    )
    pool = dump.known("app/BufferPool", buffers=OBJECT)
    owned = [dump.instance(buffer, capacity=size, cleaner=free) for size in (1000, 2000)]
    view = dump.instance(buffer, capacity=500, att=owned[0])
    held = dump.object_array(dump.known("[Ljava/nio/ByteBuffer;"), [owned[0], view])
    dump.root(JNI_GLOBAL, dump.instance(pool, buffers=held))
    dump.root(JNI_GLOBAL, owned[1])
    dump.root(JNI_GLOBAL, dump.instance(buffer, capacity=4096, cleaner=unmap))
    chunk = dump.known("io/netty/buffer/PoolChunk", memory=OBJECT, chunkSize=INT, freeBytes=INT)
    for memory in (dump.instance(buffer, capacity=700), dump.primitive_array(BYTE, bytes(700))):
        dump.root(JNI_GLOBAL, dump.instance(chunk, memory=memory, chunkSize=700, freeBytes=60))
    dump.root(JNI_GLOBAL, dump.instance(buffer, capacity=99))  # the JDK's own file of modules looks like this
    dump.instance(buffer, capacity=300, cleaner=free)  # garbage
    found = direct_buffers(heap_of(dump, tmp_path))
    assert found is not None
    assert (found.buffers, found.capacity_bytes, found.unreachable_bytes) == (2, 3000, 300)
    assert (found.mapped_buffers, found.mapped_bytes) == (1, 4096)
    assert (found.unmanaged_buffers, found.unmanaged_bytes) == (2, 799)
    assert (found.reserved_bytes, found.limit_bytes) == (5000, 8 << 20)
    assert (found.netty_bytes, found.netty_limit_bytes, found.netty_in_use_bytes) == (700, 9000, 640)
    assert [(each.class_name, each.capacity_bytes, each.field) for each in found.holders] == [
        (SEVERAL, 2000, None),
        ("app.BufferPool", 1000, "app.BufferPool.buffers"),
        ("io.netty.buffer.PoolChunk", 700, "io.netty.buffer.PoolChunk.memory"),
    ]
    assert found.holders[1].object_id == f"0x{held:x}"


def test_without_threads_and_buffers_nothing_is_said(tmp_path: Path) -> None:
    dump = DumpWriter()
    JavaObjects(dump).string("x")
    heap = heap_of(dump, tmp_path)
    assert thread_locals(heap) is None
    assert direct_buffers(heap) is None
    assert repeated_loaders(heap) == ()

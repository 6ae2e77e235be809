"""Small dumps that are made to cost much: each one attacks one way in which a reader could expand what it reads.

A function returns the bytes of a dump; its arguments scale the attack. `ATTACKS` has one seed of each.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from tests.rocketmq.written import WrittenClient
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import BYTE, INT, OBJECT, Encoder
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

ENCODE = Encoder(8)
FIRST_ID = 0x1000_0000

HASH_FACTOR = 0x9E37_79B9_7F4A_7C15
"""multiplier of Fibonacci hashing, which an attacker may know"""


def dump_of(top: Iterable[bytes], *segments: bytes) -> bytes:
    """A dump of top-level records and bodies of heap segments."""
    heap = [hprof.record(hprof.HEAP_DUMP_SEGMENT, segment) for segment in segments]
    return b"".join(
        (hprof.header("1.0.2", 8, 0), *top, *heap, hprof.record(hprof.HEAP_DUMP_END, b"")),
    )


def long_symbol(classes: int = 400, symbol_bytes: int = 1 << 20) -> bytes:
    """One symbol that names every class, every field and every frame."""
    name = 1
    ids = range(FIRST_ID, FIRST_ID + 16 * classes, 16)
    top = [ENCODE.utf8(name, (b"a/" * (symbol_bytes // 2))[:symbol_bytes])]
    top += [ENCODE.load_class(serial, class_id, name) for serial, class_id in enumerate(ids, 1)]
    heap = [
        ENCODE.class_dump(class_id, superclass=ids[0] if class_id != ids[0] else 0, fields=[(name, INT)])
        for class_id in ids
    ]
    heap += [ENCODE.instance_dump(class_id + 8, class_id, bytes(8)) for class_id in ids]
    heap += [ENCODE.root(hprof.STICKY_CLASS, class_id) for class_id in ids]
    heap += [ENCODE.root(hprof.STICKY_CLASS, class_id + 8) for class_id in ids]
    return dump_of(top, b"".join(heap))


def shared_trace(threads: int = 4000, frames: int = 20_000) -> bytes:
    """One long stack trace that every thread names."""
    dump = DumpWriter()
    thread_class = dump.known("java/lang/Thread", name=OBJECT)
    names = [dump.name("a" * 200 + str(number)) for number in range(20)]
    for number, name in enumerate(names, 1):
        dump.top.append(ENCODE.stack_frame(number, name, name, name, thread_class.serial, 7))
    dump.top.append(ENCODE.stack_trace(9, 1, [1 + number % len(names) for number in range(frames)]))
    for serial in range(1, threads + 1):
        dump.root(hprof.THREAD_OBJECT, dump.instance(thread_class), thread=serial, frame=9)
    return dump.to_bytes()


def long_frames(frames: int = 5_000, symbol_bytes: int = 60_000) -> bytes:
    """Frames whose method, class and source all have one long symbol for a name."""
    dump = DumpWriter()
    long_class = dump.java_class("a" * symbol_bytes)
    thread_class = dump.known("java/lang/Thread", name=OBJECT)
    listed = [dump.frame(long_class, "m" * symbol_bytes, "s" * symbol_bytes, n) for n in range(1, frames)]
    dump.thread(dump.instance(thread_class), 1, listed)
    return dump.to_bytes()


def colliding_classes(classes: int = 40_000) -> bytes:
    """Class ids that a table without a secret puts into one place."""
    inverse = pow(HASH_FACTOR, -1, 1 << 64)
    # Products that differ only below bit 20 and above bit 44.
    ids = [((number << 44) | number % 7) * inverse % (1 << 64) for number in range(1, classes + 1)]
    heap = [
        ENCODE.instance_dump(FIRST_ID + 16 * number, class_id, b"") for number, class_id in enumerate(ids, 1)
    ]
    heap = [ENCODE.class_dump(FIRST_ID), ENCODE.root(hprof.STICKY_CLASS, FIRST_ID), *heap]
    return dump_of([ENCODE.utf8(1, "a/A"), ENCODE.load_class(1, FIRST_ID, 1)], b"".join(heap))


def fields_without_size(fields: int = 60_000, classes: int = 700, kind: int = 0) -> bytes:
    """Fields of a type that does not exist, in a class that is its own superclass, and its subclasses."""
    top = [ENCODE.utf8(1, "a/A"), ENCODE.load_class(1, FIRST_ID, 1)]
    ids = range(FIRST_ID + 16, FIRST_ID + 16 + 32 * classes, 32)
    heap = [ENCODE.class_dump(FIRST_ID, superclass=FIRST_ID, fields=[(1, kind)] * fields)]
    heap += [ENCODE.class_dump(class_id, superclass=FIRST_ID) for class_id in ids]
    heap += [ENCODE.instance_dump(class_id + 16, class_id, bytes(8)) for class_id in ids]
    heap.append(ENCODE.root(hprof.STICKY_CLASS, FIRST_ID))
    return dump_of(top, b"".join(heap))


def wide_superclass(
    fields: int = 60_000, classes: int = 3_000, name: str = "java/lang/Thread", field: str = "name"
) -> bytes:
    """A class of many fields that a dump's readers look for by name, and many subclasses of it."""
    top = [ENCODE.utf8(1, name), ENCODE.load_class(1, FIRST_ID, 1), ENCODE.utf8(2, field)]
    ids = range(FIRST_ID + 16, FIRST_ID + 16 + 32 * classes, 32)
    top += [ENCODE.load_class(serial, class_id, 1) for serial, class_id in enumerate(ids, 2)]
    heap = [ENCODE.class_dump(FIRST_ID, fields=[(2, OBJECT)] * fields)]
    heap += [ENCODE.class_dump(class_id, superclass=FIRST_ID) for class_id in ids]
    heap += [ENCODE.instance_dump(class_id + 16, class_id, bytes(8)) for class_id in ids]
    heap += [ENCODE.root(hprof.THREAD_OBJECT, class_id + 16, thread=n) for n, class_id in enumerate(ids)]
    return dump_of(top, b"".join(heap))


def secret_fields() -> bytes:
    """The same with fields of which `mqdiag secrets` looks at the texts."""
    return wide_superclass(30_000, 1_500, "app/Settings", "password")


def tiny_segments(segments: int = 8_000) -> bytes:
    """Segments of one sub-record, each with a declared length that its content contradicts."""
    root = ENCODE.root(hprof.STICKY_CLASS, FIRST_ID)
    first = hprof.record(hprof.HEAP_DUMP_SEGMENT, ENCODE.class_dump(FIRST_ID))
    short = hprof.record(hprof.HEAP_DUMP_SEGMENT, root, length=len(root) - 1)
    return hprof.header("1.0.2", 8, 0) + first + short * segments + hprof.record(hprof.HEAP_DUMP_END, b"")


def damaged_segments(segments: int = 8_000) -> bytes:
    """Segments that begin with a sub-record of no known kind."""
    return dump_of([], ENCODE.class_dump(FIRST_ID), *[b"\x66" * 8] * segments)


def unloaded_classes(classes: int = 200_000) -> bytes:
    """As many classes unloaded as loaded."""
    top = [ENCODE.load_class(serial, FIRST_ID + 16 * serial, 1) for serial in range(1, classes + 1)]
    top += [ENCODE.unload_class(serial) for serial in range(1, classes + 1)]
    return dump_of(top, ENCODE.class_dump(FIRST_ID) + ENCODE.root(hprof.STICKY_CLASS, FIRST_ID))


def superclass_ring(classes: int = 3_000) -> bytes:
    """Classes that are each other's superclasses in one ring."""
    ids = [FIRST_ID + 32 * number for number in range(classes)]
    top = [ENCODE.utf8(1, "a/A"), ENCODE.utf8(2, "field")]
    top += [ENCODE.load_class(serial, class_id, 1) for serial, class_id in enumerate(ids, 1)]
    heap = [
        ENCODE.class_dump(class_id, superclass=ids[(number + 1) % classes], fields=[(2, OBJECT)])
        for number, class_id in enumerate(ids)
    ]
    heap += [ENCODE.instance_dump(class_id + 16, class_id, bytes(64)) for class_id in ids]
    heap += [ENCODE.root(hprof.STICKY_CLASS, class_id) for class_id in ids]
    return dump_of(top, b"".join(heap))


def linked_list(nodes: int = 20_000) -> bytes:
    """One chain of objects as long as the dump, and back to its beginning."""
    dump = DumpWriter()
    node = dump.java_class("a/Node", fields={"next": OBJECT})
    made = [dump.instance(node) for _ in range(nodes)]
    for here, following in zip(made, made[1:] + made[:1], strict=True):
        dump.set(here, next=following)
    dump.root(hprof.STICKY_CLASS, made[0])
    return dump.to_bytes()


def ways_around_a_chain(nodes: int = 100_000) -> bytes:
    """As many objects below the end of a long chain as it has, to which its beginning refers too."""
    top = [ENCODE.utf8(1, "a/Node"), ENCODE.utf8(2, "next"), ENCODE.utf8(3, "[Ljava/lang/Object;")]
    node, array, ends = FIRST_ID, FIRST_ID + 16, (FIRST_ID + 32, FIRST_ID + 48)
    top += [ENCODE.load_class(1, node, 1), ENCODE.load_class(2, array, 3)]
    chain = range(FIRST_ID + 64, FIRST_ID + 64 + 16 * nodes, 16)
    below = range(chain.stop, chain.stop + 16 * nodes, 16)
    heap = [ENCODE.class_dump(node, fields=[(2, OBJECT)]), ENCODE.class_dump(array)]
    heap += [ENCODE.object_array_dump(end, array, [chain[0], *below]) for end in ends]
    following = [*chain[1:], ends[1], *[0] * nodes]
    heap += [
        ENCODE.instance_dump(object_id, node, refers_to.to_bytes(8, "big"))
        for object_id, refers_to in zip((*chain, *below), following, strict=True)
    ]
    heap += [ENCODE.root(hprof.STICKY_CLASS, object_id) for object_id in (node, array, ends[0])]
    return dump_of(top, b"".join(heap))


def lists_of_a_thread(nodes: int = 100_000, others: int = 300_000) -> bytes:
    """Two long lists of the JDK's objects in local variables end at one array; many objects of the application.

    The array is below the thread then, and the shortest way to it has half of the nodes.
    """
    dump = DumpWriter()
    node = dump.known("java/util/LinkedList$Node", item=OBJECT, next=OBJECT)
    kept = dump.primitive_array(BYTE, bytes(8_000_000))
    dump.thread(JavaObjects(dump).thread("worker"), 1)
    # without the writer, which takes several times as long
    bodies = []
    for number in (1, 2):
        ids = range(number << 40, (number << 40) + 16 * (nodes // 2), 16)
        bodies.append(ENCODE.instance_dump(ids[0], node.id, struct.pack(">QQ", kept, 0)))
        link = ENCODE.instance_dump(0, node.id, bytes(16))
        bodies.append(_again(link, {1: ids[1:], len(link) - 8: ids[:-1]}))
        dump.local(ids[-1], 1)
    order = dump.java_class("app/Order")
    beside = range(FIRST_ID, FIRST_ID + 16 * others, 16)
    bodies.append(_again(ENCODE.instance_dump(0, order.id, b""), {1: beside}))
    bodies.append(_again(ENCODE.root(hprof.STICKY_CLASS, 0), {1: beside}))
    dump.top.append(hprof.record(hprof.HEAP_DUMP_SEGMENT, b"".join(bodies)))
    return dump.to_bytes()


def _again(record: bytes, ids: Mapping[int, Sequence[int]]) -> bytes:
    """A record again and again, each time with other ids at some places."""
    (count,) = {len(each) for each in ids.values()}
    rows = np.tile(np.frombuffer(record, np.uint8), (count, 1))
    for place, each in ids.items():
        rows[:, place : place + 8] = np.array(each, ">u8").view(np.uint8).reshape(-1, 8)
    return rows.tobytes()


def deep_bin(entries: int = 4_000) -> bytes:
    """A queue keeps its messages in a HashMap, all entries in one bin of tree nodes."""
    client = WrittenClient(DumpWriter())
    message = client.message(0)
    pairs = [(client.long(at), message) for at in range(entries)]
    return _with_map_of_messages(client, client.java.hash_map(pairs, bins=1, tree=True))


def deep_tree(entries: int = 4_000) -> bytes:
    """A queue keeps its messages in a TreeMap that is no tree but one long branch."""
    client = WrittenClient(DumpWriter())
    made = client.java.tree_map([])
    layout = client.dump.known("java/util/TreeMap$Entry")
    message = client.message(0)
    branch = [client.dump.instance(layout, key=client.long(at), value=message) for at in range(entries)]
    for above, below in pairwise(branch):
        client.dump.set(above, right=below)
        client.dump.set(below, parent=above)
    client.dump.set(made, root=branch[0], size=entries)
    return _with_map_of_messages(client, made)


def _with_map_of_messages(client: WrittenClient, made: int) -> bytes:
    queue, kept = client.queue(), client.process_queue()
    client.dump.set(kept, msgTreeMap=made)
    client.push_consumer("CID_deep", {queue: kept})
    return client.dump.to_bytes()


def nested_arrays(arrays: int = 300, elements: int = 300) -> bytes:
    """Arrays that each name all the others: as many references as the file has bytes, each a cycle."""
    dump = DumpWriter()
    array = dump.java_class("[Ljava/lang/Object;")
    ids = [dump.object_array(array, [0] * elements) for _ in range(arrays)]
    for item in dump.items:
        if hasattr(item, "elements"):
            item.elements[:] = [ids[number % arrays] for number in range(elements)]
    dump.root(hprof.STICKY_CLASS, ids[0])
    return dump.to_bytes()


def huge_lengths() -> bytes:
    """Arrays, instances, traces and symbols that claim to be as long as a length can say."""
    most = 0xFFFF_FFFF
    top = [
        ENCODE.utf8(1, "a/A"),
        ENCODE.load_class(1, FIRST_ID, 1),
        ENCODE.stack_trace(2, 1, [], count=most),
    ]
    heap = [
        ENCODE.class_dump(FIRST_ID, instance_bytes=most, fields=[(1, OBJECT)]),
        ENCODE.root(hprof.STICKY_CLASS, FIRST_ID),
        ENCODE.object_array_dump(FIRST_ID + 16, FIRST_ID, [], length=most),
    ]
    return dump_of(top, b"".join(heap))


def many_roots(roots: int = 60_000) -> bytes:
    """Frames of one thread that hold one object, again and again."""
    heap = [ENCODE.class_dump(FIRST_ID), ENCODE.instance_dump(FIRST_ID + 16, FIRST_ID, b"")]
    heap.append(ENCODE.root(hprof.THREAD_OBJECT, FIRST_ID + 16, thread=1))
    heap += [ENCODE.root(hprof.JAVA_FRAME, FIRST_ID, thread=1, frame=number) for number in range(roots)]
    return dump_of([ENCODE.utf8(1, "java/lang/Thread"), ENCODE.load_class(1, FIRST_ID, 1)], b"".join(heap))


def many_threads(threads: int = 20_000) -> bytes:
    """Threads that are all one object, each with a record of its start and a stack of its own."""
    top = [ENCODE.utf8(1, "java/lang/Thread"), ENCODE.load_class(1, FIRST_ID, 1)]
    start = struct.pack(">IQIQQQ", 0, FIRST_ID + 16, 0, 1, 1, 1)
    for serial in range(1, threads + 1):
        top.append(hprof.record(hprof.START_THREAD, struct.pack(">I", serial) + start[4:]))
        top.append(ENCODE.stack_trace(serial, serial, []))
    heap = [ENCODE.class_dump(FIRST_ID), ENCODE.instance_dump(FIRST_ID + 16, FIRST_ID, b"")]
    heap += [
        ENCODE.root(hprof.THREAD_OBJECT, FIRST_ID + 16, thread=serial, frame=serial)
        for serial in range(1, threads + 1)
    ]
    return dump_of(top, b"".join(heap))


def zero_records(size: int = 1 << 20) -> bytes:
    """Records without a body."""
    empty = struct.pack(">BII", hprof.UTF8, 0, 0)
    return dump_of([empty * (size // len(empty))], ENCODE.class_dump(FIRST_ID))


ATTACKS: dict[str, Callable[[], bytes]] = {
    attack.__name__: attack
    for attack in (
        long_symbol,
        shared_trace,
        long_frames,
        colliding_classes,
        fields_without_size,
        wide_superclass,
        tiny_segments,
        damaged_segments,
        unloaded_classes,
        superclass_ring,
        linked_list,
        ways_around_a_chain,
        lists_of_a_thread,
        deep_bin,
        deep_tree,
        nested_arrays,
        huge_lengths,
        many_roots,
        many_threads,
        zero_records,
    )
}

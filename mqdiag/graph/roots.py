"""GC roots as positions, and the edges from threads to what their frames hold."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.index import ObjectIndex
from mqdiag.read.hprof.distinct import is_in
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.number_dict import NumberDict

JNI_LOCAL, JAVA_FRAME, NATIVE_STACK, STICKY_CLASS, THREAD_BLOCK, THREAD_OBJECT = (
    0x02,
    0x03,
    0x04,
    0x05,
    0x06,
    0x08,
)
_OF_A_THREAD = (JNI_LOCAL, JAVA_FRAME, NATIVE_STACK, THREAD_BLOCK)
ROOT_NAMES = {
    0x01: "JNI global",
    0x02: "JNI local",
    0x03: "local variable",
    0x04: "native stack",
    0x05: "system class",
    0x06: "thread block",
    0x07: "monitor used",
    0x08: "thread",
    0xFF: "unknown",
}


class RootSet(msgspec.Struct):
    """`nodes` int32, distinct and ascending: where reachability begins.

    What the frames of a known thread hold is no root of its own but hangs on the thread, so that the thread retains
    it: `extra_from`, `extra_to` int32, ascending by thread. `types` has the kind of each of `nodes`.
    `thread_nodes` maps thread serial numbers to thread objects, `trace_serials` to their stack traces;
    `frame_locals` holds (node, frame number) by thread serial.
    """

    nodes: NDArray[np.int32]
    types: NDArray[np.uint8]
    extra_from: NDArray[np.int32]
    extra_to: NDArray[np.int32]
    thread_nodes: NumberDict[int]
    trace_serials: NumberDict[int]
    frame_locals: NumberDict[list[tuple[int, int]]]
    dangling: int
    """roots that name an object the file does not have"""
    added_system_classes: int
    """classes of the boot loader taken as roots because the writer named none"""


def build_roots(dump: Dump, index: ObjectIndex) -> RootSet:
    """Sort out the roots of a dump."""
    roots = dump.roots
    nodes = index.lookup.find(roots.ids)
    threads = NumberDict[int]()
    traces = NumberDict[int]()
    for i in np.flatnonzero(roots.types == THREAD_OBJECT).tolist():
        if nodes[i] >= 0:
            threads.setdefault(int(roots.threads[i]), int(nodes[i]))
            traces.setdefault(int(roots.threads[i]), int(roots.frames[i]))
    held = is_in(roots.types, _OF_A_THREAD) & is_in(roots.threads, list(threads)) & (nodes >= 0)
    locals_of = NumberDict[list[tuple[int, int]]]()
    pairs: list[tuple[int, int]] = []
    for i in np.flatnonzero(held).tolist():
        serial, node = int(roots.threads[i]), int(nodes[i])
        locals_of.setdefault(serial, []).append((node, int(roots.frames[i])))
        if threads[serial] != node:
            pairs.append((threads[serial], node))
    edges = np.array(sorted(set(pairs)), np.int32).reshape(-1, 2)
    plain = ~held & (nodes >= 0)
    root_nodes, types = nodes[plain], roots.types[plain]
    added = 0
    if not (roots.types == STICKY_CLASS).any():
        # Old jmap writes no system classes; without them most of the heap would look unreachable.
        # Some JVMs give the boot loader an id, which no object has.
        boot = (index.lookup.find(dump.classes.heads[: dump.classes.dumped, 2]) < 0) & np.array(
            [not name.endswith("[]") for name in dump.classes.names[: dump.classes.dumped]], bool
        )
        system = index.lookup.find(dump.classes.ids[: dump.classes.dumped][boot])
        system = system[system >= 0]
        added = system.size
        root_nodes = np.concatenate((root_nodes, system))
        types = np.concatenate((types, np.full(added, STICKY_CLASS, np.uint8)))
    distinct, first = np.unique(root_nodes, return_index=True)
    return RootSet(
        nodes=distinct.astype(np.int32),
        types=types[first],
        extra_from=np.ascontiguousarray(edges[:, 0]),
        extra_to=np.ascontiguousarray(edges[:, 1]),
        thread_nodes=threads,
        trace_serials=traces,
        frame_locals=locals_of,
        dangling=int((nodes < 0).sum()),
        added_system_classes=added,
    )

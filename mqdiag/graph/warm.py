"""Compiles every kernel by reading a tiny dump through the same code that reads a large one."""

from __future__ import annotations

import os
import struct
import tempfile

import numpy as np

from mqdiag.kernel import folder
from mqdiag.progress import Silent


def warm() -> None:
    """Compile all kernels that are not kept yet, and note that they are there."""
    from mqdiag.graph.collections import items
    from mqdiag.graph.heap import read_heap
    from mqdiag.graph.histogram import class_rows
    from mqdiag.graph.merged_paths import paths_to_all, paths_to_one
    from mqdiag.graph.waste import waste
    from mqdiag.read.source import open_source

    descriptor, path = tempfile.mkstemp(suffix=".hprof", prefix="mqdiag-warm-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_tiny_dump())
        heap = read_heap(open_source(path), path, Silent())
        class_rows(heap)
        heap.referrers(np.arange(heap.count, dtype=np.int32))
        heap.path_to_root(0)
        everything = np.arange(heap.count, dtype=np.int32)
        items(heap, everything)
        heap.array_lengths(everything)
        paths_to_all(heap, everything[heap.reachable(everything)], heap.retained_sizes(everything))
        paths_to_one(heap, 0, everything)
        heap.retained_of_sets([everything[-1:], everything[-2:-1]], everything[:1])
        waste(heap)
    finally:
        os.unlink(path)
    folder.mark_ready()


def _tiny_dump() -> bytes:
    """Three classes, a linked list of two, a byte[] and two strings of it, a thread with a local; ids out of order."""
    names = {1: b"java/lang/Object", 2: b"Link", 3: b"next", 4: b"item", 5: b"[B", 6: b"head", 7: b"LAST"}
    names |= {8: b"java/lang/String", 9: b"value"}
    records = [_record(0x01, struct.pack(">Q", key) + text) for key, text in names.items()]
    records += [
        _record(0x02, struct.pack(">IQIQ", serial, class_id, 0, name))
        for serial, class_id, name in ((1, 0x1000, 1), (2, 0x1010, 2), (3, 0x1020, 5), (4, 0x1030, 8))
    ]
    statics = struct.pack(">HQBQ", 1, 7, 2, 0x1130)
    fields = struct.pack(">HQBQBQB", 3, 3, 2, 4, 2, 6, 2)
    heap = b"".join(
        (
            _class(0x1000, 0, struct.pack(">H", 0), struct.pack(">H", 0)),
            _class(0x1010, 0x1000, statics, fields),
            _class(0x1020, 0x1000, struct.pack(">H", 0), struct.pack(">H", 0)),
            _class(0x1030, 0x1000, struct.pack(">H", 0), struct.pack(">HQB", 1, 9, 2)),
            _instance(0x1110, 0x1130, 0x1140, 0),
            _instance(0x1100, 0, 0, 0x1110),
            _instance(0x1130, 0, 0x1140, 0),
            b"\x23" + struct.pack(">QIIB", 0x1140, 0, 4, 8) + b"body",
            b"\x22" + struct.pack(">QIIQQ", 0x1160, 0, 1, 0x1020, 0x1110),
            _string(0x1180, 0x1140),
            _string(0x11A0, 0x1140),
            b"\x08" + struct.pack(">QII", 0x1100, 1, 1),
            b"\x03" + struct.pack(">QII", 0x1160, 1, 0),
            b"\x05" + struct.pack(">Q", 0x1000),
            b"\x05" + struct.pack(">Q", 0x1010),
            b"\x05" + struct.pack(">Q", 0x1180),
            b"\x05" + struct.pack(">Q", 0x11A0),
        )
    )
    records += [_record(0x1C, heap), _record(0x2C, b"")]
    return b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0) + b"".join(records)


def _record(tag: int, body: bytes) -> bytes:
    return struct.pack(">BII", tag, 0, len(body)) + body


def _class(class_id: int, superclass: int, statics: bytes, fields: bytes) -> bytes:
    head = struct.pack(">BQIQ", 0x20, class_id, 0, superclass)
    return head + struct.pack(">QQQQQIH", 0, 0, 0, 0, 0, 0, 0) + statics + fields


def _instance(object_id: int, following: int, item: int, head: int) -> bytes:
    return struct.pack(">BQIQIQQQ", 0x21, object_id, 0, 0x1010, 24, following, item, head)


def _string(object_id: int, value: int) -> bytes:
    return struct.pack(">BQIQIQ", 0x21, object_id, 0, 0x1030, 8, value)

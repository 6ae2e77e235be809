"""The table `dump`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from mqdiag.graph import Heap
from mqdiag.graph.heap_limit import heap_limit
from mqdiag.graph.jvm import jvm_name
from mqdiag.query.table import Column, Table
from mqdiag.rocketmq.machine import memory_bytes

ABOUT = "The dump itself, in one row."


def table(heap: Heap, hide: bool) -> Table:
    """One row."""
    header = heap.dump.header

    def one(kind: pa.DataType, about: str, value: Any) -> Column:
        return Column(kind, about, lambda first, last: [value()][first:last])

    return Table(
        1,
        {
            "captured_ms": one(
                pa.int64(),
                "when it was taken, milliseconds since 1970; null where the writer did not say",
                lambda: header.captured_at_ms or None,
            ),
            "jvm": one(pa.string(), "name and version of the JVM", lambda: jvm_name(heap)),
            "max_heap": one(
                pa.int64(),
                "bytes that the heap may grow to; null where the dump does not say",
                lambda: heap_limit(heap, heap.dominance.total_bytes, memory_bytes(heap)).limit_bytes,
            ),
            "objects": one(pa.int64(), "objects of the file", lambda: heap.count),
            "reachable_bytes": one(
                pa.int64(), "bytes of all objects that a GC root reaches", lambda: heap.dominance.total_bytes
            ),
            "complete": one(
                pa.bool_(), "false for a dump that was cut or damaged", lambda: heap.problem is None
            ),
        },
    )

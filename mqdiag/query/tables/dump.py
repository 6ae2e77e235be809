"""The table `dump`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from mqdiag.graph import Heap
from mqdiag.graph.heap_limit import heap_limit
from mqdiag.graph.jvm import jvm_name
from mqdiag.query.table import Column, Table
from mqdiag.query.times import TIME, time_of
from mqdiag.rocketmq.machine import memory_bytes


def table(heap: Heap, hide: bool) -> Table:
    """One row."""
    header = heap.dump.header

    def one(kind: pa.DataType, value: Any) -> Column:
        return Column(kind, lambda first, last: [value()][first:last])

    captured_ms = one(pa.int64(), lambda: header.captured_at_ms or None)
    return Table(
        1,
        {
            "captured_at": one(
                TIME,
                lambda: time_of(header.captured_at_ms or None),
            ),
            "jvm": one(pa.string(), lambda: jvm_name(heap)),
            "max_heap": one(
                pa.int64(),
                lambda: heap_limit(heap, heap.dominance.total_bytes, memory_bytes(heap)).limit_bytes,
            ),
            "objects": one(pa.int64(), lambda: heap.count),
            "reachable_bytes": one(pa.int64(), lambda: heap.dominance.total_bytes),
            "complete": one(pa.bool_(), lambda: heap.problem is None),
        },
        former={"captured_ms": captured_ms},
    )

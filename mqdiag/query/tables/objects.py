"""The table `objects`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from mqdiag.graph import Heap
from mqdiag.graph.object_graph import Nodes
from mqdiag.query.object_columns import class_column, id_column, ids, numbers_column, size_columns
from mqdiag.query.table import Column, Table


def table(heap: Heap, hide: bool) -> Table:
    """A row for each object, by address."""

    def pick(first: int, last: int) -> Nodes:
        return np.arange(first, last, dtype=np.int32)

    def dominators(first: int, last: int) -> pa.Array:
        return ids(heap, heap.dominators(pick(first, last)))

    return Table(
        heap.count,
        {
            "id": id_column(heap, pick),
            "class": class_column(heap, pick),
            **size_columns(heap, pick),
            "dominator": Column(pa.uint64(), dominators),
            "reachable": Column(
                pa.bool_(),
                lambda first, last: heap.dominance.numbers[first:last] > 0,
            ),
            "distance": numbers_column(
                heap,
                pick,
                lambda nodes: heap.path_lengths[nodes].astype(np.int64),
                -1,
            ),
        },
    )

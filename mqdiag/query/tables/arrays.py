"""The table `arrays`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.graph.object_graph import Nodes
from mqdiag.query.object_columns import class_column, id_column, numbers_column, of_nodes, size_columns
from mqdiag.query.table import Table


def table(heap: Heap, hide: bool) -> Table:
    """A row for each array, by address."""
    rows = [row for row, name in enumerate(heap.classes.names) if name.endswith("[]")]
    nodes = heap.instances(rows, subclasses=False)
    pick = of_nodes(nodes)

    def filled(nodes: Nodes) -> NDArray[np.int64]:
        starts = heap.references.starts
        counts = starts[nodes.astype(np.int64) + 1].astype(np.int64) - starts[nodes]
        return np.where(heap.data[heap.index.places(nodes)] == 0x22, counts, -1)

    return Table(
        int(nodes.size),
        {
            "id": id_column(heap, pick),
            "class": class_column(heap, pick),
            "length": numbers_column(heap, pick, heap.array_lengths, -1),
            "filled": numbers_column(heap, pick, filled, -1),
            **size_columns(heap, pick),
        },
    )

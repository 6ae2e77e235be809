"""The table `maps`."""

from __future__ import annotations

import numpy as np

from mqdiag.graph import Heap
from mqdiag.graph.hash_maps import capacities, hash_maps, sizes
from mqdiag.query.object_columns import class_column, id_column, numbers_column, of_nodes, size_columns
from mqdiag.query.table import Table


def table(heap: Heap, hide: bool) -> Table:
    """A row for each map, by address."""
    nodes = hash_maps(heap)
    pick = of_nodes(nodes)
    return Table(
        int(nodes.size),
        {
            "id": id_column(heap, pick),
            "class": class_column(heap, pick),
            "size": numbers_column(heap, pick, lambda nodes: sizes(heap, nodes), -1),
            "capacity": numbers_column(
                heap,
                pick,
                lambda nodes: np.maximum(capacities(heap, nodes), 0),
                -1,
            ),
            **size_columns(heap, pick),
        },
    )

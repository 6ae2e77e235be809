"""The table `entries`."""

from __future__ import annotations

import numpy as np

from mqdiag.graph import Heap
from mqdiag.graph.collections import map_entries
from mqdiag.graph.hash_maps import hash_maps
from mqdiag.query.object_columns import id_column, of_nodes
from mqdiag.query.table import Table


def table(heap: Heap, hide: bool) -> Table:
    """A row for each entry, by map."""
    maps = hash_maps(heap)
    owners, keys, values = map_entries(heap, maps)
    return Table(
        int(owners.size),
        {
            "map": id_column(heap, of_nodes(maps[owners])),
            "key": id_column(heap, of_nodes(keys.astype(np.int32))),
            "value": id_column(heap, of_nodes(values.astype(np.int32))),
        },
    )

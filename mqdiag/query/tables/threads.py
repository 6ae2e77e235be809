"""The table `threads`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from mqdiag.graph import Heap
from mqdiag.query.hidden import thread_name
from mqdiag.query.object_columns import id_column, of_nodes, size_columns
from mqdiag.query.table import Column, Table


def table(heap: Heap, hide: bool) -> Table:
    """A row for each thread, by serial number."""
    threads = heap.threads
    pick = of_nodes(np.array([thread.node for thread in threads], np.int32))
    names = [thread_name(thread.name, hide) for thread in threads]
    frames = [len(thread.frames) for thread in threads]
    held = [sum(nodes.size for nodes in thread.locals.values()) for thread in threads]
    return Table(
        len(threads),
        {
            "id": id_column(heap, pick),
            "name": Column(pa.string(), lambda a, b: names[a:b]),
            "frames": Column(pa.int64(), lambda a, b: frames[a:b]),
            "locals": Column(pa.int64(), lambda a, b: held[a:b]),
            **size_columns(heap, pick),
        },
    )

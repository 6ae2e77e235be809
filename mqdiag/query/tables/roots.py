"""The table `roots`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from mqdiag.graph import Heap
from mqdiag.graph.roots import ROOT_NAMES
from mqdiag.query.object_columns import id_column, ids, numbers_column, of_nodes
from mqdiag.query.table import Column, Table

_LOCAL = "local variable"


def table(heap: Heap, hide: bool) -> Table:
    """A row for each root, then one for each local variable of a frame."""
    roots = heap.roots
    rooted = [ROOT_NAMES.get(kind, "GC root") for kind in roots.types.tolist()]
    held = [
        (node, roots.thread_nodes[serial], frame)
        for serial, pairs in roots.frame_locals.items()
        for node, frame in pairs
    ]
    of_frames = np.array(held, np.int32).reshape(-1, 3)
    none = np.full(len(rooted), -1, np.int32)
    nodes = np.concatenate((roots.nodes, of_frames[:, 0]))
    threads, frames = np.concatenate((none, of_frames[:, 1])), np.concatenate((none, of_frames[:, 2]))
    kinds = rooted + [_LOCAL] * len(held)
    pick = of_nodes(nodes)
    return Table(
        int(nodes.size),
        {
            "id": id_column(heap, pick),
            "kind": Column(pa.string(), lambda a, b: kinds[a:b]),
            "thread": Column(pa.uint64(), lambda a, b: ids(heap, threads[a:b])),
            "frame": numbers_column(
                heap,
                of_nodes(frames),
                lambda found: found.astype(np.int64),
                -1,
            ),
        },
    )

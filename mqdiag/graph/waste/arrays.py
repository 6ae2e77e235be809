"""What the kernels of this package read of a graph."""

from __future__ import annotations

from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.graph_arrays import GraphArrays


def graph_arrays(heap: Heap) -> GraphArrays:
    """The graph as one argument of a kernel."""
    return GraphArrays(
        data=heap.data,
        id_size=heap.header.id_size,
        offsets=heap.index.offsets,
        rows=heap.index.rows,
        starts=heap.references.starts,
        edges=heap.references.edges,
        numbers=heap.dominance.numbers,
        units=heap.sizes.units,
    )

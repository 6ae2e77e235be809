"""Hash maps of the JDK, many at once: how many entries they have, and room for how many.

Sources: java.util and java.util.concurrent of JDK 7 to 25.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.graph.object_graph import Nodes
from mqdiag.read.hprof.distinct import is_in

_SIZES = {
    "java.util.HashMap": "size",
    "java.util.Hashtable": "count",
    "java.util.WeakHashMap": "size",
    "java.util.concurrent.ConcurrentHashMap": "baseCount",
}
"""class, and the field with its number of entries"""
_PROPERTIES = "java.util.Properties"
"""since JDK 9 a Hashtable that keeps its entries in a map of its own"""
_CONCURRENT = "java.util.concurrent.ConcurrentHashMap"


def hash_maps(heap: Heap) -> Nodes:
    """All hash maps with their subclasses, ascending."""
    return heap.instances([row for name in _SIZES for row in heap.classes.indices_named(name)])


def capacities(heap: Heap, maps: Nodes) -> NDArray[np.int64]:
    """Length of each map's table, int64; -1 where it has none."""
    return heap.array_lengths(heap.refs(_keepers(heap, maps), "table"))


def sizes(heap: Heap, maps: Nodes) -> NDArray[np.int64]:
    """Entries of each map as the map counts them itself, int64; -1 for what counts none.

    A ConcurrentHashMap counts in cells beside its own field where threads get into each other's way.
    """
    maps = _keepers(heap, maps)
    found = np.full(maps.size, -1, np.int64)
    rows = heap.class_index(maps)
    for name, field in _SIZES.items():
        for row in heap.classes.subclasses(heap.classes.indices_named(name)).tolist():
            mine = np.flatnonzero(rows == row)
            if mine.size:
                numbers = heap.numbers(maps[mine], field)
                found[mine] = np.where(numbers == heap.MISSING, -1, numbers)
    concurrent = heap.classes.subclasses(heap.classes.indices_named(_CONCURRENT))
    mine = np.flatnonzero(is_in(rows, concurrent) & (found >= 0))
    owners, cells = heap.elements(heap.refs(maps[mine], "counterCells"))
    counted = heap.numbers(cells, "value")
    np.add.at(found, mine[owners], np.where(counted == heap.MISSING, 0, counted))
    return found


def _keepers(heap: Heap, maps: Nodes) -> Nodes:
    """The maps that keep the entries."""
    kinds = heap.classes.subclasses(heap.classes.indices_named(_PROPERTIES))
    inner = heap.refs(np.where(is_in(heap.class_index(maps), kinds), maps, -1).astype(np.int32), "map")
    return np.where(inner >= 0, inner, maps).astype(np.int32)

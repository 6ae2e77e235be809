"""Empty and nearly empty collections of java.util, over the arrays that they keep."""

from __future__ import annotations

import math

import numpy as np

from mqdiag.facts.waste import CollectionClass, WastefulCollections
from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.spare_room import ArrayBytes, CollectionClasses, spare_room
from mqdiag.graph.waste.sample import (
    LARGE_BYTES,
    OF_NORMAL,
    UNSEEN,
    instances_in_slices,
    owners_of_large_arrays,
    sample_bits,
)
from mqdiag.read.hprof.types import INT, LONG, WIDTHS

CLASSES = 10
_ALL = 1 << 62
"""units"""
_ARRAY, _TABLE = 1, 2
_KINDS = (
    ("java.util.ArrayList", _ARRAY, "size"),
    ("java.util.Vector", _ARRAY, "elementCount"),
    ("java.util.PriorityQueue", _ARRAY, "size"),
    ("java.util.concurrent.PriorityBlockingQueue", _ARRAY, "size"),
    ("java.util.ArrayDeque", _ARRAY, ""),
    ("java.util.HashMap", _TABLE, "size"),
    ("java.util.Hashtable", _TABLE, "count"),
    ("java.util.WeakHashMap", _TABLE, "size"),
    ("java.util.concurrent.ConcurrentHashMap", _TABLE, "baseCount"),
)
"""class, kind of its array, and the field with its size; an ArrayDeque has no nulls, so its array tells it.

JDK 8 to 25; HashSet and Properties keep a map of these."""
_COUNTS = (INT, LONG)
"""types of the fields with a size"""


def wasteful_collections(heap: Heap) -> WastefulCollections:
    """Counts and bytes by class, subclasses by their own names."""
    classes = heap.classes
    kinds, widths = np.zeros(classes.count, np.uint8), np.full(classes.count, 4, np.int32)
    places = np.full(classes.count, -1, np.int32)
    for name, kind, size in _KINDS:
        for row in classes.subclasses(classes.indices_named(name)).tolist():
            # Of a name declared twice the collection's own field is the last one, a subclass's comes before.
            found = classes.inherited_place(row, size)
            if found is not None and found[1] in _COUNTS:
                places[row], widths[row] = found[0], WIDTHS[found[1]]
            elif size:
                continue
            kinds[row] = kind
    tables = np.array([_table_kind(name) for name in classes.names], np.uint8)
    mine = np.flatnonzero(kinds).tolist()
    bits = sample_bits(int(heap.row_counts[mine].sum()))
    sums, squares = np.zeros((classes.count, 5), np.int64), np.zeros(1)
    arguments = (
        CollectionClasses(kinds, places, widths, tables),
        ArrayBytes(heap.sizes.array_base, heap.sizes.reference_bytes, heap.sizes.alignment),
    )
    most = LARGE_BYTES // heap.sizes.alignment if bits else _ALL
    for nodes in instances_in_slices(heap, mine):
        spare_room(heap.arrays, nodes, *arguments, bits, -1, most, sums, squares)
    error = None
    if bits:
        error = _error(int(sums[:, 2].sum() + sums[:, 4].sum()), float(squares[0]), 1 << bits)
        sums <<= bits
        large = owners_of_large_arrays(heap, mine, np.flatnonzero(tables).tolist())
        spare_room(heap.arrays, large, *arguments, 0, most, _ALL, sums, squares)
    rows = np.flatnonzero(sums[:, 2] + sums[:, 4])
    largest = rows[np.argsort(-(sums[rows, 2] + sums[rows, 4]), kind="stable")][:CLASSES]
    return WastefulCollections(
        collections=int(sums[:, 0].sum()),
        sampled_one_in=1 << bits,
        wasted_bytes=int(sums[:, 2].sum() + sums[:, 4].sum()),
        error_bytes=error,
        classes=tuple(
            CollectionClass(
                class_name=classes.names[row],
                collections=int(sums[row, 0]),
                empty=int(sums[row, 1]),
                empty_bytes=int(sums[row, 2]),
                sparse=int(sums[row, 3]),
                spare_bytes=int(sums[row, 4]),
            )
            for row in largest.tolist()
        ),
    )


def _error(wasted: int, squares: float, times: int) -> int:
    """Bytes that a projection is off by in at most 5 % of all cases; what a large array wastes is not projected.

    Args:
        wasted: bytes that the collections in the sample waste.
        squares: the sum of the squares of what each wastes.
        times: how many collections one stands for.
    """
    typical = squares / max(wasted, 1)
    return math.ceil(OF_NORMAL * math.sqrt(times * (times - 1) * squares) + UNSEEN * (times - 1) * typical)


def _table_kind(name: str) -> int:
    if name.endswith(("Node[]", "Entry[]")):
        return _TABLE
    return _ARRAY if name.endswith("[]") and "." in name else 0

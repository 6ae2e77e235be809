"""Elements of one object array with its nulls, in their places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.records import big_endian

_OBJECT_ARRAY = 0x22


def array_elements(heap: Heap, array: int, limit: int | None = None) -> NDArray[np.int32]:
    """The first elements of an object array: int32, -1 for null; empty for anything else.

    Args:
        heap: the graph.
        array: the node, or -1.
        limit: how many; all when None.
    """
    if array < 0 or heap.data[heap.place(array)] != _OBJECT_ARRAY:
        return np.empty(0, np.int32)
    length = int(heap.array_lengths(np.array([array], np.int32))[0])
    id_size = heap.header.id_size
    first = heap.place(array) + 9 + 2 * id_size
    # A damaged length may point beyond the file.
    length = min(length, max(int(heap.data.size) - first, 0) // id_size, length if limit is None else limit)
    places = first + id_size * np.arange(length, dtype=np.int64)
    return heap.index.lookup.find(big_endian(heap.data, places, id_size))

"""One field of many objects as a typed column, along a path of references."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.records import big_endian
from mqdiag.read.hprof.types import BOOLEAN, DTYPES, LONG, REFERENCE, WIDTHS

Nodes = NDArray[np.int32]
LENGTH = "length"
"""last part of a path that asks for the number of an array's elements"""


class Column(msgspec.Struct, frozen=True):
    """Values of one field; `kinds` is 0 where a node has no such field.

    `kinds` uint8[k]: basic type of each value, 2 for references. `nodes` int32[k]: the referent, -1 for null and for
    primitives. `numbers`: by kind, the positions that have it and their values.
    """

    kinds: NDArray[np.uint8]
    nodes: Nodes
    numbers: dict[int, tuple[NDArray[np.int64], NDArray[Any]]]


def column(heap: Heap, nodes: Nodes, path: str) -> Column:
    """Read "a.b.c" of many objects at once; "a.length" is the length of the array in a.

    Args:
        heap: the graph.
        nodes: -1 gives no value.
        path: field names, references up to the last.
    """
    *way, last = path.split(".")
    for field in way:
        nodes = heap.refs(nodes, field)
    kinds = np.zeros(nodes.size, np.uint8)
    found = np.full(nodes.size, -1, np.int32)
    parts: dict[int, list[tuple[NDArray[np.int64], NDArray[Any]]]] = {}
    for positions, places, kind in heap.field_places(nodes, last):
        kinds[positions] = kind
        if kind == REFERENCE:
            ids = big_endian(heap.data, places, heap.header.id_size)
            found[positions] = heap.index.lookup.find(ids)
        elif kind in WIDTHS:
            width = WIDTHS[kind]
            raw = big_endian(heap.data, places, width).astype(f"<u{width}")
            values = raw != 0 if kind == BOOLEAN else raw.view(DTYPES[kind])
            parts.setdefault(kind, []).append((positions, values))
    if last == LENGTH:
        lengths = heap.array_lengths(nodes)
        arrays = np.flatnonzero((lengths >= 0) & (kinds == 0))
        kinds[arrays] = LONG
        parts.setdefault(LONG, []).append((arrays, lengths[arrays]))
    numbers = {
        kind: (np.concatenate([at for at, _ in some]), np.concatenate([values for _, values in some]))
        for kind, some in parts.items()
    }
    return Column(kinds, found, numbers)

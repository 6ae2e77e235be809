"""By which field, element or local variable each reference is held."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import identifier, u4


class ReferenceRows(NamedTuple):
    """The references of n objects as they are in the file and in the graph; c classes."""

    data: NDArray[np.uint8]
    """the file"""
    id_size: int
    """4 or 8"""
    offsets: NDArray[np.uint32] | NDArray[np.int64]
    """[n] where each object's sub-record begins"""
    rows: NDArray[np.uint16] | NDArray[np.int32]
    """[n] row of the object's class"""
    starts: NDArray[np.uint32]
    """[n + 1] where the references of each object begin in `edges`"""
    edges: NDArray[np.int32]
    """[e] the objects that are referred to"""


class FieldNames(NamedTuple):
    """The reference fields of the classes, each with the number of its name."""

    layout_starts: NDArray[np.int64]
    """[c + 1], see `reference_layout`"""
    layout_places: NDArray[np.int32]
    """see `reference_layout`"""
    layout_names: NDArray[np.int32]
    """for each of these the number of the field's name"""
    element: int
    """the number that stands for an element of an array"""
    unnamed: int
    """the number for a reference that no field holds"""


@kernel
def name_references(graph, names, first, last, whole, found):
    """Numbers of the names by which the objects `first` to `last` refer to others, in the order of the graph.

    References of class objects get the number `unnamed`, since statics are few and are named elsewhere. So do the
    references from a thread to its local variables.

    Args:
        graph: `ReferenceRows`.
        names: `FieldNames`.
        first, last: the slice of objects.
        whole: no reference of the dump is dangling. Otherwise each id is compared with that of the next object referred
            to, since the graph leaves dangling references out.
        found: int32[], out: a number for each reference of the slice.

    O(references).
    """
    data, id_size, offsets, rows = graph.data, graph.id_size, graph.offsets, graph.rows
    starts, edges = graph.starts, graph.edges
    layout_starts, layout_places, layout_names = names.layout_starts, names.layout_places, names.layout_names
    begin = np.int64(starts[first])
    for i in range(first, last):
        edge = np.int64(starts[i])
        end = np.int64(starts[i + 1])
        at = offsets[i]
        tag = data[np.uint64(at)]
        if tag == 0x22:
            length = u4(data, at + 5 + id_size)
            end_of_elements = min(end, edge + length)
            while edge < end_of_elements:
                found[edge - begin] = names.element
                edge += 1
        elif tag == 0x21:
            row = rows[i]
            body = at + 9 + 2 * id_size
            length = u4(data, body - 4)
            for p in range(layout_starts[row], layout_starts[row + 1]):
                if edge == end or layout_places[p] + id_size > length:
                    break
                wanted = identifier(data, body + layout_places[p], id_size)
                if wanted == 0:
                    continue
                if whole or identifier(data, offsets[edges[edge]] + 1, id_size) == wanted:
                    found[edge - begin] = layout_names[p]
                    edge += 1
        while edge < end:
            found[edge - begin] = names.unnamed
            edge += 1

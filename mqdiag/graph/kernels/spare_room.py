"""Capacity in the arrays of collections that nothing uses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.kernels.sampling import drawn
from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import u4


@kernel(inline=True)
def _needed(size, capacity, is_map):
    if not is_map:
        return size
    # A hash table is doubled when it is three quarters full.
    room = 1
    while 3 * room < 4 * size:
        room *= 2
    return room if room < capacity else capacity


class CollectionClasses(NamedTuple):
    """What each of c classes is among the collections."""

    kinds: NDArray[np.uint8]
    """[c] 1 for a collection over one array, 2 for a hash table, 0 for any other class"""
    size_places: NDArray[np.int32]
    """[c] byte place of the size among the fields; -1 where only the elements of the array tell it"""
    size_widths: NDArray[np.int32]
    """[c] bytes of the size, 4 or 8"""
    tables: NDArray[np.uint8]
    """[c] 1 for an array of objects, 2 for an array of a hash table's entries, 0 for any other class"""


class ArrayBytes(NamedTuple):
    """How the JVM lays out an array of references."""

    base: int
    """bytes before the first element"""
    width: int
    """bytes of a reference"""
    alignment: int
    """objects take a multiple of so many bytes"""


@kernel
def spare_room(graph, nodes, classes, layout, sample, least, most, sums, squares):
    """Collections of each class, how many are empty or nearly so, and what that takes.

    A collection is sparse when it has items and its array has four times the capacity that they need.

    Args:
        graph: `GraphArrays`.
        nodes: int32[k], collections.
        classes: `CollectionClasses`.
        layout: `ArrayBytes`.
        sample: one collection in 2 ** sample is taken, chosen by a hash of its place.
        least, most: units; a collection whose array has no more than the one or more than the other is left out; an
            array that is not there has 0.
        sums: int64[c, 5], zeros, out: collections; empty ones, bytes of them with their arrays; sparse ones, bytes of
            their arrays beyond what is needed.
        squares: float64[1], in and out: the sum of the squares of the bytes that each collection wastes.

    O(k).
    """
    data, id_size, offsets, rows = graph.data, graph.id_size, graph.offsets, graph.rows
    starts, edges, numbers, units = graph.starts, graph.edges, graph.numbers, graph.units
    kinds, tables = classes.kinds, classes.tables
    size_places, size_widths = classes.size_places, classes.size_widths
    base, width, alignment = layout.base, layout.width, layout.alignment
    skip = (np.uint64(1) << np.uint64(sample)) - np.uint64(1)
    for k in range(nodes.size):
        node = nodes[k]
        row = rows[node]
        kind = kinds[row]
        if numbers[node] == 0:
            continue
        if drawn(node) & skip != np.uint64(0):
            continue
        array = np.int64(-1)
        for at in range(np.int64(starts[node]), np.int64(starts[node + 1])):
            # A subclass's fields stand before the collection's own: of two arrays the last one is meant.
            if tables[rows[edges[at]]] >= kind:
                array = np.int64(edges[at])
                if kind == 2:
                    break
        if not least < (np.int64(units[array]) if array >= 0 else 0) <= most:
            continue
        held = 0
        capacity = 0
        if array >= 0:
            held = np.int64(starts[array + 1]) - np.int64(starts[array])
            place = offsets[array] + 5 + id_size
            if data[np.uint64(offsets[array])] != 0x22 or place + 4 > data.size:
                continue
            capacity = u4(data, place)
        size = held
        if size_places[row] >= 0:
            place = offsets[node] + 9 + 2 * id_size + size_places[row]
            if place + size_widths[row] > data.size:
                continue
            size = 0
            for byte in range(size_widths[row]):
                size = (size << 8) | np.int64(data[np.uint64(place + byte)])
            # ConcurrentHashMap counts partly elsewhere when threads get into each other's way.
            size = max(size if size < 1 << 40 else 0, held)
        sums[row, 0] += 1
        wasted = np.int64(0)
        if size == 0:
            wasted = np.int64(units[node]) * alignment
            if capacity > 0:
                wasted += np.int64(units[array]) * alignment
            sums[row, 1] += 1
            sums[row, 2] += wasted
        elif array >= 0:
            needed = _needed(size, capacity, kind == 2)
            if 4 * needed <= capacity:
                full = (base + width * capacity + alignment - 1) // alignment
                tight = (base + width * needed + alignment - 1) // alignment
                wasted = (full - tight) * alignment
                sums[row, 3] += 1
                sums[row, 4] += wasted
        squares[0] += np.float64(wasted) * np.float64(wasted)

"""Room in the arrays of collections that nothing uses."""

from __future__ import annotations

import numpy as np

from mqdiag.graph.kernels.draw import drawn
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


@kernel
def spare_room(
    data, id_size, offsets, starts, edges, rows, numbers, units, kinds, size_places, size_widths, tables, sample,
    base, width, alignment, sums,
):  # fmt: skip
    """Collections of each class, how many are empty or nearly so, and what that takes.

    A collection is sparse when it has items and its array four times the room that they need.

    Args:
        data, id_size, offsets, starts, edges, rows, numbers, units: as in the other kernels of the graph.
        kinds: uint8[c]: 0 for what is looked over, 1 for collections over one array, 2 for hash tables.
        size_places: int32[c], byte place of the size among the fields, -1 where the array tells it by its nulls.
        size_widths: int32[c], its bytes, 4 or 8.
        tables: uint8[c]: 1 for arrays of objects, 2 for arrays of a hash table's entries.
        sample: one collection in 2 ** sample is taken, chosen by a hash of its place.
        base, width, alignment: bytes before the first element of an array, of a reference, of an address's grid.
        sums: int64[c, 5], zeros, out: collections; empty ones, units of them with their arrays; sparse ones, bytes of
            their arrays beyond what is needed.

    O(n).
    """
    skip = (np.uint64(1) << np.uint64(sample)) - np.uint64(1)
    for node in range(rows.size):
        row = rows[node]
        kind = kinds[row]
        if kind == 0 or numbers[node] == 0:
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
        if size == 0:
            sums[row, 1] += 1
            sums[row, 2] += units[node]
            if capacity > 0:
                sums[row, 2] += units[array]
        elif array >= 0:
            needed = _needed(size, capacity, kind == 2)
            if 4 * needed <= capacity:
                full = (base + width * capacity + alignment - 1) // alignment
                tight = (base + width * needed + alignment - 1) // alignment
                sums[row, 3] += 1
                sums[row, 4] += (full - tight) * alignment

"""Distances between neighbouring objects, the JVM's own word on object sizes."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import u4

BINS = 128
"""distances counted for each class: multiples of the alignment below this many"""


@kernel
def gap_counts(ids, rows, shift, histogram):
    """How often each distance to the next object occurs, by class.

    Args:
        ids: uint64[n], ascending; rows: uint16[n] or int32[n].
        shift: log2 of the alignment.
        histogram: uint32[c, BINS], zeros; out. Longer distances count in no bin.

    O(n).
    """
    for i in range(ids.size - 1):
        units = (ids[i + 1] - ids[i]) >> np.uint64(shift)
        if units < np.uint64(BINS):
            histogram[rows[i], np.int64(units)] += np.uint32(1)


@kernel
def array_excess(ids, lengths, order, element_size, alignment, excess):
    """How many bytes more than its elements each array takes, at least and at most, until the next object.

    Args:
        ids: uint64[n], ascending.
        lengths: int64[k], array lengths; order: int64[k], positions of the arrays in `ids`.
        element_size: bytes of an element.
        alignment: bytes.
        excess: int64[64], zeros; out: how many arrays agree with a base of that many bytes.

    O(64 k).
    """
    for k in range(order.size):
        i = order[k]
        if i + 1 >= ids.size:
            continue
        gap = np.int64(ids[i + 1] - ids[i])
        for base in range(64):
            size = base + lengths[k] * element_size
            size = (size + alignment - 1) // alignment * alignment
            if size == gap:
                excess[base] += 1


@kernel
def array_lengths(data, id_size, offsets, nodes, lengths):
    """Element counts of arrays: int32[k] positions to int64[k]; -1 for what is no array. O(k)."""
    for k in range(nodes.size):
        at = offsets[nodes[k]]
        tag = data[at]
        if tag == 0x22 or tag == 0x23:
            at += 5 + id_size
            lengths[k] = u4(data, at)
        else:
            lengths[k] = -1


@kernel
def shallow_sizes(data, id_size, offsets, rows, units_by_row, base_by_row, element_by_row, shift, sizes):
    """Shallow size of every object, in units of the alignment.

    Args:
        data: uint8, the file; id_size; offsets: uint32[n] or int64[n]; rows: uint16[n] or int32[n].
        units_by_row: int64[c], instances; base_by_row: int64[c], element_by_row: int64[c]: bytes of arrays.
        shift: log2 of the alignment: a division takes as long as all else.
        sizes: uint32[n], out.

    O(n); of arrays only the heads are touched.
    """
    for i in range(offsets.size):
        row = rows[i]
        if element_by_row[row] == 0:
            sizes[i] = units_by_row[row]
        else:
            at = offsets[i] + 5 + id_size
            length = u4(data, at)
            size = base_by_row[row] + length * element_by_row[row]
            sizes[i] = (size + (1 << shift) - 1) >> shift

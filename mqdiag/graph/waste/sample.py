"""How large a part of many objects is looked at, and which ones are looked at anyway."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.row_counts import find_ascending
from mqdiag.read.hprof.distinct import is_in

WHOLE = 1 << 17
"""as many are looked at one by one, which takes a few hundredths of a second"""
DRAWN = 1 << 14
"""about the number drawn of more objects: enough for a share of a tenth to be right to two digits"""
SLICE = 1 << 20
"""objects among which some are looked for at once: what is made of them stays small beside the graph"""
LARGE_BYTES = 8192
"""an array of more is looked at in any sample: few of them may be most of the bytes"""
OF_NORMAL = 1.96
"""standard deviations within which 95 % of all estimates lie"""
UNSEEN = 3.0
"""what is in a sample less often than this on average is in none of one sample in twenty"""


def sample_bits(count: int, drawn: int | None = None) -> int:
    """One in 2 ** bits is taken, at least so many in all; 0 takes all."""
    return 0 if count <= WHOLE else (count // (drawn or DRAWN)).bit_length() - 1


def instances_in_slices(heap: Heap, rows: list[int]) -> Iterator[NDArray[np.int32]]:
    """All objects of some classes, reachable or not, ascending, those of a slice of the heap at once."""
    chosen = np.zeros(heap.classes.count, np.uint8)
    chosen[rows] = 1
    found = np.empty(min(heap.count, SLICE), np.int32)
    for begin in range(0, heap.count, SLICE):
        count = find_ascending(heap.index.rows[begin : begin + SLICE], chosen, found)
        yield found[:count] + np.int32(begin)


def owners_of_large_arrays(heap: Heap, rows: list[int], arrays: list[int]) -> NDArray[np.int32]:
    """Objects of some classes that alone hold a large array, reachable ones, ascending.

    Args:
        heap: the graph.
        rows: their classes.
        arrays: classes of the arrays.
    """
    least = LARGE_BYTES // heap.sizes.alignment
    tree, parts = heap.dominance, []
    for begin in range(0, heap.count, SLICE):
        large = np.flatnonzero(heap.sizes.units[begin : begin + SLICE] > least) + begin
        large = large[is_in(heap.index.rows[large], arrays)]
        parts.append(tree.order[tree.dominator[tree.numbers[large]]])
    nodes = np.concatenate(parts)
    nodes = nodes[nodes >= 0]
    return np.unique(nodes[is_in(heap.index.rows[nodes], rows)])

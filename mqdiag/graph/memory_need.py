"""What the graph of a dump takes in memory, known before it is built."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mqdiag.graph.index import offset_type
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.types import PRIMITIVE_ARRAYS

_SEARCHED_IN_ORDER = 10
"""bytes for an object while dominators are searched for: class 2, start of the references 4, size 4"""
_SEARCHED_ANY_ORDER = 19
"""bytes: number, parent, predecessors and label 4 each, and 3 of the look-up of ids"""
_SUMMED_IN_ORDER = 22
"""bytes once they are found: class 2, start of the references, size, and by place its dominator, the size of its
subtree and the sum of sizes before it 4 each"""
_SUMMED_ANY_ORDER = 15
"""bytes: place 4, the object at a place 4, 3 of the look-up, and 4 for paths from the roots"""
_FOR_REFERENCE = 4
"""bytes, once in order and, in the search, once more, turned round, in any order"""


class MemoryNeed(NamedTuple):
    """Bytes at the peak."""

    total: int
    """bytes of all arrays"""
    in_order: int
    """bytes of arrays that are written once and mostly read in order"""
    any_order: int
    """bytes of all others, which have their own peak"""


def memory_need(dump: Dump) -> MemoryNeed:
    """At most so much: references that are null count too, since the walk does not look at them."""
    objects = int(dump.counts.sum()) + dump.classes.dumped
    references = _FOR_REFERENCE * _most_references(dump)
    offset = np.dtype(offset_type(dump)).itemsize
    searched_in_order = (_SEARCHED_IN_ORDER + offset) * objects + references
    searched_any_order = _SEARCHED_ANY_ORDER * objects + references
    summed_in_order = (_SUMMED_IN_ORDER + offset) * objects + references
    summed_any_order = _SUMMED_ANY_ORDER * objects
    return MemoryNeed(
        total=max(searched_in_order + searched_any_order, summed_in_order + summed_any_order),
        in_order=summed_in_order,
        any_order=searched_any_order,
    )


def _most_references(dump: Dump) -> int:
    classes = dump.classes
    is_array = np.array([name.endswith("[]") and name not in PRIMITIVE_ARRAYS for name in classes.names], bool)
    in_fields = int((np.diff(classes.layout_starts) * dump.counts).sum())
    in_arrays = int(dump.elements[is_array].sum())
    # Each takes an id's bytes in the file, whatever a crafted class claims.
    return min(in_fields + in_arrays, dump.source.data.size // dump.header.id_size)

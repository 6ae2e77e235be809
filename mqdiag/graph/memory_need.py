"""What the graph of a dump takes in memory, known before it is built."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.types import PRIMITIVE_ARRAYS

_IN_ORDER_FOR_OBJECT = 18
"""bytes: place in the file 8, class 2, size 4, start of the references 4"""
_ANY_ORDER_FOR_OBJECT = 23
"""bytes: number, parent, predecessors, label and ancestor 4 each, and 3 of the look-up of ids"""
_FOR_REFERENCE = 4
"""bytes, once in order and once, turned round, in any order"""


class MemoryNeed(NamedTuple):
    """Bytes at the peak, which is the search for dominators."""

    in_order: int
    """of arrays that are written once and mostly read in order"""
    any_order: int
    """of all others"""

    @property
    def total(self) -> int:
        """Of all arrays."""
        return self.in_order + self.any_order


def memory_need(dump: Dump) -> MemoryNeed:
    """At most so much: references that are null count too, since the walk does not look at them."""
    objects = int(dump.counts.sum()) + dump.classes.dumped
    references = _most_references(dump)
    return MemoryNeed(
        in_order=_IN_ORDER_FOR_OBJECT * objects + _FOR_REFERENCE * references,
        any_order=_ANY_ORDER_FOR_OBJECT * objects + _FOR_REFERENCE * references,
    )


def _most_references(dump: Dump) -> int:
    classes = dump.classes
    is_array = np.array([name.endswith("[]") and name not in PRIMITIVE_ARRAYS for name in classes.names], bool)
    in_fields = int((np.diff(classes.layout_starts) * dump.counts).sum())
    in_arrays = int(dump.elements[is_array].sum())
    # Each takes an id's bytes in the file, whatever a crafted class claims.
    return min(in_fields + in_arrays, dump.source.data.size // dump.header.id_size)

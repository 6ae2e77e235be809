"""Who refers to one object."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.distinct import distinct


def referrers_of(heap: Heap, node: int) -> NDArray[np.int32]:
    """All objects that refer to one, ascending, instances of a class object left out.

    Of a reachable object those that are reachable themselves; of an unreachable one all.
    """
    wanted = np.zeros(heap.count, np.uint8)
    wanted[node] = 1
    numbers = heap.dominance.numbers
    if numbers[node] == 0:
        numbers = np.ones(heap.count, np.int32)
    return distinct(heap.references.to(wanted, numbers)[0])

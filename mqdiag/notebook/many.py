"""Many objects, as a user names them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.notebook.objects import JavaObject

Objects = Iterable[int | JavaObject]
"""ids, as the tables have them, or objects"""


def nodes_of(heap: Heap, objects: Objects) -> NDArray[np.int32]:
    """Positions in the graph; -1 for an id that the dump has not."""
    given = [one.id if isinstance(one, JavaObject) else one for one in objects]
    return heap.index.lookup.find(np.array(given, np.uint64))

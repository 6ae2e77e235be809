"""The graph of a dump as kernels take it: n objects, e references."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class GraphArrays(NamedTuple):
    """Where the objects are, what they refer to and how large they are."""

    data: NDArray[np.uint8]
    """the file"""
    id_size: int
    """4 or 8"""
    offsets: NDArray[np.uint32] | NDArray[np.int64]
    """[n] place of the object's record in the file"""
    rows: NDArray[np.uint16] | NDArray[np.int32]
    """[n] row of the object's class"""
    starts: NDArray[np.uint32]
    """[n + 1] where the references of each object begin in `edges`"""
    edges: NDArray[np.int32]
    """[e] the objects that are referred to"""
    numbers: NDArray[np.int32]
    """[n] 0 for an unreachable object"""
    units: NDArray[np.uint32]
    """[n] shallow size, in units of the alignment"""

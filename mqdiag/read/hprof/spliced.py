"""Tells a file into which the records of two processes were joined.

A JVM numbers its classes once: a LOAD_CLASS record has a serial number of its own (hprof manual, "LOAD CLASS"). Where
one number stands for two classes, two processes wrote the file, and no object of it is surely of either.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.records import LOAD_CLASS, UNLOAD_CLASS, Records, big_endian


def spliced_at(data: NDArray[np.uint8], records: Records, id_size: int) -> int | None:
    """Where a class begins whose serial number another class has; None where each has its own.

    Args:
        data: the file.
        records: all of its records.
        id_size: 4 or 8.

    Returns:
        The first byte of the LOAD_CLASS record that comes second in the file.
    """
    offsets, lengths = records.of(LOAD_CLASS)
    offsets = offsets[lengths >= 8 + 2 * id_size]
    if offsets.size < 2 or (records.tags == UNLOAD_CLASS).any():
        return None  # the agent gives the number of an unloaded class to another one
    serials, ids = big_endian(data, offsets, 4), big_endian(data, offsets + 4, id_size)
    order = np.lexsort((offsets, serials))
    same = serials[order[1:]] == serials[order[:-1]]
    other = same & (ids[order[1:]] != ids[order[:-1]])
    return int(offsets[order[1:]][other].min()) - 9 if other.any() else None

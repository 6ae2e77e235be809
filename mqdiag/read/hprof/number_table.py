"""Tables from the numbers of a dump to their positions, hashed with a secret of this process."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.kernels.number_table import fill_table
from mqdiag.read.hprof.process_secret import FACTOR


def empty_keys(bits: int) -> NDArray[np.uint64]:
    """Keys of a table of 2^bits free places, with its hash behind them; see `kernels.number_table`."""
    keys = np.zeros((1 << bits) + 2, np.uint64)
    keys[-2:] = 64 - bits, FACTOR
    return keys


def number_table(numbers: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """(keys, values) of a table of numbers and their positions, at most half full."""
    bits = max(int(2 * numbers.size).bit_length(), 1)
    keys, values = empty_keys(bits), np.zeros(1 << bits, np.int32)
    fill_table(numbers, 0, keys, values)
    return keys, values

"""Equal values of columns, found without sorting them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.kernels.rows import number_rows


def empty_table(values: int) -> NDArray[np.int64]:
    """int64[a power of two]: a table for so many values, all free."""
    return np.full(1 << max(2 * values - 1, 1).bit_length(), -1, np.int64)


def distinct(*columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(int64[distinct]: the row at which each combination of values comes first, int64[rows]: its number)."""
    rows = np.stack(columns, axis=1)
    firsts, numbers = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    found = number_rows(rows, empty_table(len(rows)), firsts, numbers)
    return firsts[:found], numbers

"""Equal values of columns, found without sorting them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.kernels.rows import number_rows

_FEW = 1 << 11
"""places of the first table: nearly all columns have few different values, and a small table stays in the cache"""
_MORE = 4
"""bits by which the next table is larger"""


def numbered(number: Callable[[NDArray[np.int64]], int], values: int) -> int:
    """Number values by the kernel, given one table after the other until one is large enough."""
    bits, most = _FEW.bit_length() - 1, max(2 * values - 1, 1).bit_length()
    while True:
        bits = min(bits, most)
        found = number(np.full(1 << bits, -1, np.int64))
        if found >= 0:
            return found
        bits += _MORE


def grouped(values: NDArray[np.integer]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """(a value, int64[its rows, in their order]) of each value, in ascending order."""
    if not len(values):
        return
    least = int(values.min())
    # numbers of 16 bits are sorted by their digits, in one pass
    narrow = (values - least).astype(np.uint16) if int(values.max()) - least < 1 << 16 else values
    order = np.argsort(narrow, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
    for begin, end in itertools.pairwise((*begins.tolist(), len(ordered))):
        yield int(ordered[begin]), order[begin:end]


def distinct(*columns: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(int64[distinct]: the row at which each combination of values comes first, int64[rows]: its number)."""
    rows = np.stack(columns, axis=1, dtype=np.int64)
    firsts, numbers = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    found = numbered(lambda table: int(number_rows(rows, table, firsts, numbers)), len(rows))
    return firsts[:found], numbers

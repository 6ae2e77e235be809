"""Equal values of columns, found without sorting them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.kernels.rows import number_rows, order_rows, sum_rows

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
    first, numbers = distinct(values)
    order, ends = in_lots(numbers, len(first))
    begins = [0, *ends[:-1].tolist()]
    for value, begin, end in sorted(zip(values[first].tolist(), begins, ends.tolist(), strict=False)):
        yield value, order[begin:end]


def in_lots(lot: NDArray[np.int64], lots: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(int64[rows]: rows by the number of their lot, each lot's in their order; int64[lots]: where each lot ends)."""
    counts = np.bincount(lot, minlength=lots)
    ends = np.cumsum(counts)
    order = np.empty(len(lot), np.int64)
    order_rows(lot, ends - counts, order)
    return order, ends


def sums_of(lot: NDArray[np.int64], values: NDArray[np.int64], lots: int) -> NDArray[np.int64]:
    """int64[lots]: the sum of the values of each lot; one below 0 is 0."""
    sums = np.zeros(lots, np.int64)
    sum_rows(lot, np.ascontiguousarray(values), sums)
    return sums


def distinct(*columns: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(int64[distinct]: the row at which each combination of values comes first, int64[rows]: its number)."""
    rows = (
        np.ascontiguousarray(columns[0], np.int64)[None]
        if len(columns) == 1
        else np.stack(columns, dtype=np.int64)
    )
    count = rows.shape[1]
    firsts, numbers = np.empty(count, np.int64), np.empty(count, np.int64)
    found = numbered(lambda table: int(number_rows(rows, table, firsts, numbers)), count)
    return firsts[:found], numbers

"""Arrays as sets: like functions of numpy that load its masked arrays first, for as long as a small dump takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FEW = 1 << 16
"""numbers for which a binary search is as quick as what `np.isin` does"""


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The values without repetition, ascending, as `np.unique` gives them."""
    ordered = np.sort(values)
    is_first = np.empty(ordered.size, bool)
    is_first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    found: NDArray[Any] = ordered[is_first]
    return found


def is_in(numbers: NDArray[Any], others: NDArray[Any] | Sequence[int]) -> NDArray[np.bool_]:
    """Which numbers are among others, as `np.isin` says; of many it asks `np.isin`, which is quicker then."""
    if numbers.size + len(others) > _FEW:
        return np.isin(numbers, others)
    return is_among(numbers, np.sort(np.asarray(others)))


def is_among(numbers: NDArray[Any], ascending: NDArray[Any]) -> NDArray[np.bool_]:
    """Which numbers are among others that ascend."""
    if not ascending.size:
        return np.zeros(numbers.size, bool)
    at = np.minimum(np.searchsorted(ascending, numbers), ascending.size - 1)
    found: NDArray[np.bool_] = ascending[at] == numbers
    return found

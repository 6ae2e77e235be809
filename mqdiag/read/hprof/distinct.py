"""Arrays as sets: like functions of numpy that load its masked arrays first, for as long as a small dump takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The values without repetition, ascending, as `np.unique` gives them."""
    ordered = np.sort(values)
    is_first = np.empty(ordered.size, bool)
    is_first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    found: NDArray[Any] = ordered[is_first]
    return found


def is_among(numbers: NDArray[Any], ascending: NDArray[Any]) -> NDArray[np.bool_]:
    """Which numbers are among others, as `np.isin` says."""
    if not ascending.size:
        return np.zeros(numbers.size, bool)
    at = np.minimum(np.searchsorted(ascending, numbers), ascending.size - 1)
    found: NDArray[np.bool_] = ascending[at] == numbers
    return found

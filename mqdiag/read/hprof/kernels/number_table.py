"""Open-addressing tables of numbers; 0 marks a free place, so 0 itself is never in one."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel


@kernel(inline=True)
def place_of(keys, wanted):
    """Where a number stands, or would stand: keys uint64[2^k], at most half full. O(1)."""
    mask = np.uint64(keys.size - 1)
    at = ((wanted * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while keys[at] != wanted and keys[at] != np.uint64(0):
        at = (at + np.uint64(1)) & mask
    return at


@kernel
def fill_table(numbers, first, keys, values):
    """Put numbers from position `first` on into a table.

    Args:
        numbers: uint64[n].
        first: int64.
        keys: uint64[2^k], values: int32[2^k], out: each number with the first position that it has. O(n).
    """
    for n in range(first, numbers.size):
        if numbers[n] != np.uint64(0):
            at = place_of(keys, numbers[n])
            if keys[at] == np.uint64(0):
                keys[at] = numbers[n]
                values[at] = np.int32(n)

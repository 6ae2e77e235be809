"""Open-addressing tables of numbers; 0 marks a free place, so 0 itself is never in one.

The last two of a table's keys are no places: they hold the shift and the odd factor of its hash. The factor is another
one in each process (`mqdiag.read.hprof.number_table`), so that no file can be made of numbers that collide.
"""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel


@kernel(inline=True)
def place_of(keys, wanted):
    """Where a number stands, or would stand: keys uint64[2^k + 2], at most half full. O(1)."""
    size = np.uint64(keys.size)
    mask = size - np.uint64(3)
    # The upper bits of the product: of two numbers, a factor unknown to their author makes them equal by chance only.
    at = (wanted * keys[size - np.uint64(1)]) >> keys[size - np.uint64(2)]
    while keys[at] != wanted and keys[at] != np.uint64(0):
        at = (at + np.uint64(1)) & mask
    return at


@kernel
def fill_table(numbers, first, keys, values):
    """Put numbers from position `first` on into a table.

    Args:
        numbers: uint64[n].
        first: int64.
        keys: uint64[2^k + 2], values: int32[2^k], out: each number with the first position that it has. O(n).
    """
    for n in range(first, numbers.size):
        if numbers[n] != np.uint64(0):
            at = place_of(keys, numbers[n])
            if keys[at] == np.uint64(0):
                keys[at] = numbers[n]
                values[at] = np.int32(n)

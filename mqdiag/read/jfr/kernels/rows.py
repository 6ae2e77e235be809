"""Equal rows of numbers."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel

_SEED, _PRIME = 0xCBF29CE484222325, 0x9E3779B97F4A7C15
"""start of FNV-1a; the golden ratio of 64 bits, which spreads keys that follow each other"""


@kernel
def number_rows(rows, table, firsts, numbers):
    """Number rows in the order in which they come: equal ones have one number.

    Args:
        rows: int64[rows, columns].
        table: int64[a power of two], all -1; scratch.
        firsts: int64[rows], out: the first row of each number.
        numbers: int64[rows], out: the number of each row.

    Returns:
        How many numbers there are; -1 where they would fill more than half of the table. O(rows × columns).
    """
    count = np.int64(0)
    mask = np.int64(table.size - 1)
    columns = rows.shape[1]
    for row in range(rows.shape[0]):
        code = np.uint64(_SEED)
        for column in range(columns):
            code = (code ^ np.uint64(rows[row, column])) * np.uint64(_PRIME)
            code = code ^ (code >> np.uint64(32))
        slot = np.int64(code & np.uint64(mask))
        while True:
            number = table[slot]
            if number < 0:
                if count >= table.size >> 1:
                    return np.int64(-1)
                table[slot] = count
                firsts[count] = row
                numbers[row] = count
                count += 1
                break
            first = firsts[number]
            same = True
            for column in range(columns):
                if rows[row, column] != rows[first, column]:
                    same = False
                    break
            if same:
                numbers[row] = number
                break
            slot = (slot + 1) & mask
    return count

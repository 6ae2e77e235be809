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
        rows: int64[columns, rows].
        table: int64[a power of two], all -1; scratch.
        firsts: int64[rows], out: the first row of each number.
        numbers: int64[rows], out: the number of each row.

    Returns:
        How many numbers there are; -1 where they would fill more than half of the table. O(rows × columns).
    """
    count = np.int64(0)
    mask = np.int64(table.size - 1)
    columns = rows.shape[0]
    for row in range(rows.shape[1]):
        # events of one thread stand together, and mostly equal the one before
        if row > 0:
            same = True
            for column in range(columns):
                same &= rows[column, row] == rows[column, row - 1]
            if same:
                numbers[row] = numbers[row - 1]
                continue
        code = np.uint64(_SEED)
        for column in range(columns):
            code = (code ^ np.uint64(rows[column, row])) * np.uint64(_PRIME)
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
                if rows[column, row] != rows[column, first]:
                    same = False
                    break
            if same:
                numbers[row] = number
                break
            slot = (slot + 1) & mask
    return count


@kernel
def order_rows(numbers, places, order):
    """Bring rows that have one number together, each number's in their order.

    Args:
        numbers: int64[rows].
        places: int64[numbers], where the rows of each number begin in `order`; scratch, in the end where they end.
        order: int64[rows], out.

    Returns:
        Nothing. O(rows).
    """
    for row in range(numbers.size):
        number = np.uint64(numbers[row])
        order[np.uint64(places[number])] = row
        places[number] += 1


@kernel
def sum_rows(numbers, values, sums):
    """Add up values by the numbers of their rows, none of them less than 0.

    Args:
        numbers: int64[rows].
        values: int64[rows].
        sums: int64[numbers], in and out.

    Returns:
        Nothing. O(rows).
    """
    for row in range(numbers.size):
        sums[np.uint64(numbers[row])] += max(values[row], np.int64(0))

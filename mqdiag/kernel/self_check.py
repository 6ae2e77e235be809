"""A kernel whose answer is known: run once in each process, before any other kernel is trusted.

It takes every form of argument that kernels take, and gives every form of result, so that it fails when arguments are
passed in another way than `native` passes them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel.definition import KernelFunction


class _Pair(NamedTuple):
    """Two arrays and a number between them, as one argument."""

    first: NDArray[np.uint8]
    number: int
    second: NDArray[np.int64]


@partial(KernelFunction, inline=False)
def self_check(flag: Any, pair: Any, small: Any, table: Any, ratio: Any, large: Any) -> Any:
    """Mix all arguments, and write into one of them. O(table)."""
    total = np.int64(small) + pair.number
    for i in range(pair.first.size):
        total = total * 3 + pair.first[i] + pair.second[i]
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            total = total * 3 + table[row, column]
    pair.second[0] = total
    return flag and total > 0, total, ratio * 0.5, np.uint64(large)


def fault(call: Callable[..., Any]) -> str | None:
    """What is wrong with a compiled `self_check`, or None."""
    given, expected = arguments(), arguments()
    results, wanted = call(*given), self_check.function(*expected)
    if results != wanted:
        return f"the results are {results} instead of {wanted}"
    if given[1].second.tolist() != expected[1].second.tolist():
        return "the array was not written"
    return None


def arguments() -> tuple[Any, ...]:
    """New arguments for it: the array that it writes is among them, at [1].second."""
    every_other = np.arange(12, dtype=np.int32).reshape(3, 4)[:, ::2]
    every_other.flags.writeable = False
    pair = _Pair(np.array([1, 250], np.uint8), 1 << 40, np.array([3, -4], np.int64))
    return True, pair, np.int16(-300), every_other, 0.75, (1 << 63) + 5

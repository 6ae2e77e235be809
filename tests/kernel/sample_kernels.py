"""Kernels that only the tests call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import u4

SHIFT = 10


@kernel
def _helped(value):
    return value + SHIFT


@kernel
def add_into(values, amount, out):
    for i in range(values.size):
        out[i] = _helped(values[i]) + amount


@kernel
def told(values, wanted, weight):
    found = False
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            found = found or values[i, j] == wanted
    return found, np.int64(values.size), weight * 0.5


@kernel
def is_even(value):
    return value % 2 == 0


@kernel
def first_number(data):
    return u4(data, 0)


@kernel
def divide(value, by):
    return value // by


@kernel
def allocates(values):
    return np.zeros(values.size)[0]


@kernel
def returns_array(values):
    return values


class Measured(NamedTuple):
    """Arrays of several types and a number, which travel as one argument."""

    small: NDArray[np.uint8]
    wide: NDArray[np.float64]
    factor: int


class Pair(NamedTuple):
    """Two arrays of the same type."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]


class Swapped(NamedTuple):
    """The arrays of `Pair`, in the other order."""

    second: NDArray[np.int32]
    first: NDArray[np.int32]


class Nested(NamedTuple):
    """A named tuple in another."""

    pair: Pair
    amount: int


@kernel
def _scaled(measured, place):
    return measured.small[place] * measured.factor + measured.wide[place]


@kernel
def sum_of_tuples(offset, measured, pair, out):
    total = 0.0
    for i in range(measured.small.size):
        total += _scaled(measured, i)
    for i in range(pair.first.size):
        out[i] = pair.first[i] - pair.second[i]
    return total + offset, pair.first.size


@kernel
def difference(pair):
    return np.int64(pair.first[0]) - np.int64(pair.second[0])


@kernel
def nested_sum(before, nested):
    return np.int64(nested.pair.first[0]) * 100 + nested.pair.second[0] * 10 + nested.amount + before


@kernel
def is_odd(value):
    return value % 2 == 1

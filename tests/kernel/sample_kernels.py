"""Kernels that only the tests call."""

from __future__ import annotations

import numpy as np

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

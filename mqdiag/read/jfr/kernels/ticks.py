"""Nanoseconds of a clock's ticks."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel

_WHOLE = 4503599627370496.0
"""2 ** 52: a number from here on has no fraction, and one below it loses its own where this is added"""


@kernel
def spans_of_ticks(ticks, rows, first, ticks_per_ns, most, out):
    """Nanoseconds between a tick and others, rounded half to even as `np.rint` does.

    Args:
        ticks: int64[all].
        rows: int64[rows], those that are wanted.
        first: the tick that they are measured from.
        ticks_per_ns: of the clock.
        most: nanoseconds, which none exceeds in either direction.
        out: int64[rows], out.

    Returns:
        Nothing. O(rows).
    """
    for row in range(rows.size):
        ns = np.float64(ticks[np.uint64(rows[row])] - first) / ticks_per_ns
        size = abs(ns)
        if size < _WHOLE:
            size = (size + _WHOLE) - _WHOLE
        whole = np.int64(min(size, np.float64(most)))
        out[row] = -whole if ns < 0 else whole

"""The numbers by which objects are drawn into a sample."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel


@kernel(inline=True)
def drawn(node):
    """A number below 2 ** 32 that says nothing of its node, the same in every run.

    Mixed twice: equal distances between objects must not give equal distances between the numbers.
    """
    value = (np.uint64(node) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return value >> np.uint64(32)

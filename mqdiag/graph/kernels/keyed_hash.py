"""One step of a hash with a secret, for texts whose author must not be able to make them collide."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel


@kernel(inline=True)
def mixed(value, word, factor):
    """The hash of what came before, and one word more.

    Both halves of the product count. In the lower half alone a change of the highest bit of a word stays where it is,
    whatever the factor, and a change of the next word takes it back.

    Args:
        value: uint64, a secret in the beginning.
        word: uint64.
        factor: uint64, an odd secret.
    """
    value ^= word
    lower, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b = value & lower, value >> half
    c, d = factor & lower, factor >> half
    middle = b * c + (a * c >> half)
    other = a * d + (middle & lower)
    upper = b * d + (middle >> half) + (other >> half)
    return upper ^ (value * factor)

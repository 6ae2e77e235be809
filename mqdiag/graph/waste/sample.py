"""How large a part of many objects is looked at."""

from __future__ import annotations

WHOLE = 1 << 17
"""as many are looked at one by one, which takes a few hundredths of a second"""
DRAWN = 1 << 14
"""about the number drawn of more objects: enough for a share of a tenth to be right to two digits"""


def sample_bits(count: int) -> int:
    """One in 2 ** bits is taken; 0 takes all."""
    return 0 if count <= WHOLE else (count // DRAWN).bit_length() - 1

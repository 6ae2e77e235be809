"""Numbers of a dump's bytes, which are big-endian; for the kernels of every layer."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel


@kernel(inline=True)
def u2(data, at):
    """A u2 at a place. O(1)."""
    return (np.int64(data[at]) << 8) | np.int64(data[at + 1])


@kernel(inline=True)
def u4(data, at):
    """A u4 at a place. O(1)."""
    p = np.uint64(at)
    return (
        (np.int64(data[p]) << 24)
        | (np.int64(data[p + np.uint64(1)]) << 16)
        | (np.int64(data[p + np.uint64(2)]) << 8)
        | np.int64(data[p + np.uint64(3)])
    )


@kernel(inline=True)
def identifier(data, at, id_size):
    """An object id of 4 or 8 bytes at a place, as uint64. O(1)."""
    p = np.uint64(at)
    high = (
        (np.uint64(data[p]) << np.uint64(24))
        | (np.uint64(data[p + np.uint64(1)]) << np.uint64(16))
        | (np.uint64(data[p + np.uint64(2)]) << np.uint64(8))
        | np.uint64(data[p + np.uint64(3)])
    )
    if id_size == 4:
        return high
    p += np.uint64(4)
    return (
        (high << np.uint64(32))
        | (np.uint64(data[p]) << np.uint64(24))
        | (np.uint64(data[p + np.uint64(1)]) << np.uint64(16))
        | (np.uint64(data[p + np.uint64(2)]) << np.uint64(8))
        | np.uint64(data[p + np.uint64(3)])
    )


@kernel(inline=True)
def width_shift(kind):
    """Base-2 logarithm of the bytes of a primitive: types 4 to 7, and 8 to 11 again, have 1, 2, 4 and 8. O(1)."""
    return np.int64(kind) & 3


@kernel
def value_size(kind, id_size):
    """Bytes of a value of a basic type; 0 for a type that does not exist. O(1)."""
    if kind == 2:
        return np.int64(id_size)
    if kind < 4 or kind > 11:
        return np.int64(0)
    return np.int64(1) << width_shift(kind)


@kernel(inline=True)
def little_u8(data, at):
    """Eight bytes of a text at a place as one little-endian word, for hashing. O(1)."""
    p = np.uint64(at)
    return (
        np.uint64(data[p])
        | (np.uint64(data[p + np.uint64(1)]) << np.uint64(8))
        | (np.uint64(data[p + np.uint64(2)]) << np.uint64(16))
        | (np.uint64(data[p + np.uint64(3)]) << np.uint64(24))
        | (np.uint64(data[p + np.uint64(4)]) << np.uint64(32))
        | (np.uint64(data[p + np.uint64(5)]) << np.uint64(40))
        | (np.uint64(data[p + np.uint64(6)]) << np.uint64(48))
        | (np.uint64(data[p + np.uint64(7)]) << np.uint64(56))
    )

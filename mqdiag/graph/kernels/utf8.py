"""Characters of Java strings as UTF-8, straight from the file, and hashes of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.kernels.keyed_hash import mixed
from mqdiag.kernel import kernel


class CharacterRuns(NamedTuple):
    """Where the characters of k texts are in the file."""

    data: NDArray[np.uint8]
    """the file"""
    places: NDArray[np.int64]
    """[k] the first byte"""
    kinds: NDArray[np.uint8]
    """[k] 1 for Latin-1, 2 for UTF-16 big-endian, 3 for UTF-16 little-endian, 0 for no text"""
    counts: NDArray[np.int64]
    """[k] units: bytes of Latin-1, pairs of bytes of UTF-16; all of them inside the file"""


@kernel(inline=True)
def _unit(data, place, kind, index):
    if kind == 1:
        return np.int64(data[np.uint64(place + index)])
    first = np.int64(data[np.uint64(place + 2 * index)])
    second = np.int64(data[np.uint64(place + 2 * index + 1)])
    if kind == 2:
        return (first << 8) | second
    return (second << 8) | first


@kernel
def utf8_sizes(runs, sizes):
    """Bytes that each text takes in UTF-8; half of a surrogate pair becomes U+FFFD.

    Args:
        runs: `CharacterRuns`.
        sizes: int64[k], out.

    O(units).
    """
    data = runs.data
    for k in range(sizes.size):
        place = runs.places[k]
        kind = np.int64(runs.kinds[k])
        count = runs.counts[k]
        size = 0
        if kind != 0:
            index = 0
            while index < count:
                unit = _unit(data, place, kind, index)
                index += 1
                if unit < 0x80:
                    size += 1
                elif unit < 0x800:
                    size += 2
                elif unit >= 0xD800 and unit < 0xDC00 and index < count:
                    low = _unit(data, place, kind, index)
                    if low >= 0xDC00 and low < 0xE000:
                        index += 1
                        size += 4
                    else:
                        size += 3
                else:
                    size += 3
        sizes[k] = size


@kernel
def write_utf8(runs, starts, out):
    """Write the texts one behind the other.

    Args:
        runs: `CharacterRuns`.
        starts: int64[k], where each text begins in `out`, from `utf8_sizes`.
        out: uint8[], out.

    O(units).
    """
    data = runs.data
    for k in range(starts.size):
        place = runs.places[k]
        kind = np.int64(runs.kinds[k])
        count = runs.counts[k]
        at = starts[k]
        if kind == 0:
            continue
        index = 0
        while index < count:
            unit = _unit(data, place, kind, index)
            index += 1
            if unit < 0x80:
                out[at] = unit
                at += 1
                continue
            if unit < 0x800:
                out[at] = 0xC0 | (unit >> 6)
                out[at + 1] = 0x80 | (unit & 0x3F)
                at += 2
                continue
            if unit >= 0xD800 and unit < 0xE000:
                low = np.int64(0)
                if unit < 0xDC00 and index < count:
                    low = _unit(data, place, kind, index)
                if low >= 0xDC00 and low < 0xE000:
                    index += 1
                    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
                    out[at] = 0xF0 | (unit >> 18)
                    out[at + 1] = 0x80 | ((unit >> 12) & 0x3F)
                    out[at + 2] = 0x80 | ((unit >> 6) & 0x3F)
                    out[at + 3] = 0x80 | (unit & 0x3F)
                    at += 4
                    continue
                unit = np.int64(0xFFFD)
            out[at] = 0xE0 | (unit >> 12)
            out[at + 1] = 0x80 | ((unit >> 6) & 0x3F)
            out[at + 2] = 0x80 | (unit & 0x3F)
            at += 3


@kernel
def hash_units(runs, start, factor, hashes):
    """A hash of each text, the same for the same characters whatever their encoding; 0 for no text.

    Args:
        runs: `CharacterRuns`.
        start, factor: uint64, secrets of the process, the factor odd.
        hashes: uint64[k], out.

    O(units).
    """
    data = runs.data
    for k in range(hashes.size):
        place = runs.places[k]
        kind = np.int64(runs.kinds[k])
        count = runs.counts[k]
        if kind == 0:
            hashes[k] = np.uint64(0)
            continue
        value = mixed(start, np.uint64(count), factor)
        for index in range(count):
            value = mixed(value, np.uint64(_unit(data, place, kind, index)), factor)
        hashes[k] = value | np.uint64(1)

"""A keyed hash of texts, and the letters that stand for one.

SipHash-2-4 (Aumasson, Bernstein: https://131002.net/siphash/): whoever has the redacted dump knows many of its texts,
and must not get from them to the key, with which all others could be guessed.
"""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import little_u8

MOST_BYTES = 1 << 16
"""a longer text is neither kept nor told from another one: all letters are the same"""


@kernel(inline=True)
def _turned(value, bits):
    return (value << np.uint64(bits)) | (value >> np.uint64(64 - bits))


@kernel
def _two_rounds(v0, v1, v2, v3):
    for _ in range(2):
        v0 += v1
        v2 += v3
        v1 = _turned(v1, 13) ^ v0
        v3 = _turned(v3, 16) ^ v2
        v0 = _turned(v0, 32)
        v2 += v1
        v0 += v3
        v1 = _turned(v1, 17) ^ v2
        v3 = _turned(v3, 21) ^ v0
        v2 = _turned(v2, 32)
    return v0, v1, v2, v3


@kernel(inline=True)
def last_word(data, at, left):
    """The `left` < 8 bytes at a place as one little-endian word. O(1)."""
    if at + 8 <= data.size:
        # Read whole and cut: lengths of texts are hard to foretell, so a loop costs more.
        return little_u8(data, at) & ((np.uint64(1) << np.uint64(8 * left)) - np.uint64(1))
    word = np.uint64(0)
    for place in range(left):
        word |= np.uint64(data[at + place]) << np.uint64(8 * place)
    return word


@kernel
def hash_text(data, begin, end, key0, key1):
    """SipHash-2-4 of bytes, never 0. O(bytes)."""
    v0 = key0 ^ np.uint64(0x736F6D6570736575)
    v1 = key1 ^ np.uint64(0x646F72616E646F6D)
    v2 = key0 ^ np.uint64(0x6C7967656E657261)
    v3 = key1 ^ np.uint64(0x7465646279746573)
    at = begin
    while at + 8 <= end:
        word = little_u8(data, at)
        v0, v1, v2, v3 = _two_rounds(v0, v1, v2, v3 ^ word)
        v0 ^= word
        at += 8
    word = (np.uint64(end - begin) << np.uint64(56)) | last_word(data, at, end - at)
    v0, v1, v2, v3 = _two_rounds(v0, v1, v2, v3 ^ word)
    v0, v1, v2, v3 = _two_rounds(v0 ^ word, v1, v2 ^ np.uint64(0xFF), v3)
    v0, v1, v2, v3 = _two_rounds(v0, v1, v2, v3)
    found = v0 ^ v1 ^ v2 ^ v3
    return found if found != np.uint64(0) else np.uint64(1)


@kernel
def hash_texts(data, begins, ends, key0, key1, hashes):
    """Hashes of many texts: begins, ends int64[n]; hashes uint64[n], out. O(bytes)."""
    for n in range(begins.size):
        hashes[n] = hash_text(data, begins[n], ends[n], key0, key1)


@kernel(inline=True)
def _eight_letters(word):
    """Letters a to p for the lower eight nibbles of a word, the lowest first."""
    spread = word & np.uint64(0xFFFFFFFF)
    spread = (spread | (spread << np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    spread = (spread | (spread << np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    spread = (spread | (spread << np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return spread + np.uint64(0x6161616161616161)


@kernel(inline=True)
def put_u4(data, at, word):
    """Write the lower four bytes of a uint64, the lowest first. O(1)."""
    p = np.uint64(at)
    data[p] = np.uint8(word)
    data[p + np.uint64(1)] = np.uint8(word >> np.uint64(8))
    data[p + np.uint64(2)] = np.uint8(word >> np.uint64(16))
    data[p + np.uint64(3)] = np.uint8(word >> np.uint64(24))


@kernel(inline=True)
def _put_u8(data, at, word):
    put_u4(data, at, word)
    put_u4(data, at + 4, word >> np.uint64(32))


@kernel(inline=True)
def _put_last(data, at, left, word):
    """Write the lower `left` < 8 bytes of a word."""
    if at + 8 <= data.size:
        mask = (np.uint64(1) << np.uint64(8 * left)) - np.uint64(1)
        _put_u8(data, at, (little_u8(data, at) & ~mask) | (word & mask))
    else:
        for place in range(left):
            data[at + place] = np.uint8(word >> np.uint64(8 * place))


@kernel
def write_letters(data, begin, end, width, seed):
    """Letters a to p in the place of a text of `width` bytes a character, the first another one than before.

    Args:
        data: uint8[], in and out.
        begin, end: the text's bytes.
        width: 1; 2 for the big-endian char[].
        seed: uint64, decides the letters.

    O(bytes).
    """
    if end - begin < width:
        return
    state = seed
    word = np.uint64(0)
    before = data[begin + width - 1]
    at = begin
    is_fresh = False
    while at < end:
        is_fresh = not is_fresh
        if is_fresh:
            # splitmix64
            state += np.uint64(0x9E3779B97F4A7C15)
            word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            word ^= word >> np.uint64(31)
        else:
            word >>= np.uint64(32)
        letters = _eight_letters(word)
        if width == 2:
            for place in range(min(8, (end - at) // 2)):
                data[at + 2 * place] = np.uint8(0)
                data[at + 2 * place + 1] = np.uint8(letters >> np.uint64(8 * place))
            at += 16
        elif at + 8 <= end:
            _put_u8(data, at, letters)
            at += 8
        else:
            _put_last(data, at, end - at, letters)
            at = end
    first = begin + width - 1
    if data[first] == before:
        data[first] = np.uint8(97 + (np.int64(before) - 96) % 16)

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
def hash_text(data, begin, end, key0, key1):
    """SipHash-2-4 of bytes, never 0. O(bytes)."""
    v0 = key0 ^ np.uint64(0x736F6D6570736575)
    v1 = key1 ^ np.uint64(0x646F72616E646F6D)
    v2 = key0 ^ np.uint64(0x6C7967656E657261)
    v3 = key1 ^ np.uint64(0x7465646279746573)
    words = (end - begin) // 8
    for step in range(words + 3):
        word = np.uint64(0)
        rounds = 2
        if step < words:
            word = little_u8(data, begin + 8 * step)
        elif step == words:
            word = np.uint64(end - begin) << np.uint64(56)
            for place in range(begin + 8 * words, end):
                word |= np.uint64(data[place]) << np.uint64(8 * (place - begin - 8 * words))
        elif step == words + 1:
            v2 ^= np.uint64(0xFF)
        if step <= words:
            v3 ^= word
        for _ in range(rounds):
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
        if step <= words:
            v0 ^= word
    found = v0 ^ v1 ^ v2 ^ v3
    return found if found != np.uint64(0) else np.uint64(1)


@kernel
def hash_texts(data, begins, ends, key0, key1, hashes):
    """Hashes of many texts: begins, ends int64[n]; hashes uint64[n], out. O(bytes)."""
    for n in range(begins.size):
        hashes[n] = hash_text(data, begins[n], ends[n], key0, key1)


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
    state = seed
    word = np.uint64(0)
    left = 0
    at = begin + width - 1
    while at < end:
        if left == 0:
            # splitmix64
            state += np.uint64(0x9E3779B97F4A7C15)
            word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            word ^= word >> np.uint64(31)
            left = 16
        letter = 97 + np.int64(word & np.uint64(15))
        word >>= np.uint64(4)
        left -= 1
        if at == begin + width - 1 and letter == data[at]:
            letter = 97 + (letter - 96) % 16
        data[at] = np.uint8(letter)
        if width == 2:
            data[at - 1] = np.uint8(0)
        at += width

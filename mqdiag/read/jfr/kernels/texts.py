"""Equal texts of a recording by their bytes, so that each is decoded once."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.jfr.kernels.numbers import WORD, behind_text, word

_SEED, _PRIME = 0xCBF29CE484222325, 0x9E3779B97F4A7C15
"""start of FNV-1a; the golden ratio of 64 bits, which spreads keys that follow each other"""


@kernel(inline=True)
def are_equal(data, one, other, length):
    """Whether two pieces of the file hold the same bytes, of which each may be its last. O(length)."""
    index = np.int64(0)
    while index < length:
        if max(one, other) + index + WORD > data.size:
            if data[np.uint64(one + index)] != data[np.uint64(other + index)]:
                return False
            index += 1
            continue
        differ = word(data, one + index) ^ word(data, other + index)
        left = length - index
        if left < WORD:
            differ &= (np.uint64(1) << np.uint64(8 * left)) - np.uint64(1)
        if differ != np.uint64(0):
            return False
        index += WORD
    return True


@kernel(inline=True)
def hashed(data, at, length):
    """A hash of so many bytes, which are within the file, as uint64. O(length)."""
    code = np.uint64(_SEED)
    index = np.int64(0)
    while index < length:
        left = min(length - index, np.int64(WORD))
        part = np.uint64(0)
        if at + index + WORD <= data.size:
            part = word(data, at + index)
            if left < WORD:
                part &= (np.uint64(1) << np.uint64(8 * left)) - np.uint64(1)
        else:
            for byte in range(left):
                part |= np.uint64(data[np.uint64(at + index + byte)]) << np.uint64(8 * byte)
        index += WORD
        code = (code ^ part) * np.uint64(_PRIME)
        code = code ^ (code >> np.uint64(32))
    return code


@kernel
def number_texts(data, places, end, is_compressed, form, table, firsts, lengths, numbers):
    """Number texts: equal bytes have one number.

    Args:
        data: uint8[], the file.
        places: int64[texts], where each begins, within the file.
        end: what no text may cross.
        is_compressed: whether integers are compressed.
        form: of the texts.
        table: int64[a power of two], all -1; scratch.
        firsts: int64[texts], out: where the first text of each number stands.
        lengths: int64[texts], out: its bytes, 0 for one that is damaged.
        numbers: int64[texts], out: the number of each text.

    Returns:
        How many numbers there are; -1 where they would fill more than half of the table. O(bytes of the
        texts), as texts of a recording do not overlap.
    """
    count = np.int64(0)
    mask = np.int64(table.size - 1)
    for text in range(places.size):
        at = places[text]
        behind = behind_text(data, at, end, is_compressed, form)
        length = np.int64(0) if behind < 0 else behind - at
        # a thread's events stand together, and mostly name what the one before names
        if text > 0:
            number = numbers[text - 1]
            if lengths[number] == length and are_equal(data, at, firsts[number], length):
                numbers[text] = number
                continue
        slot = np.int64(hashed(data, at, length) & np.uint64(mask))
        while True:
            number = table[slot]
            if number < 0:
                if count >= table.size >> 1:
                    return np.int64(-1)
                table[slot] = count
                firsts[count] = at
                lengths[count] = length
                numbers[text] = count
                count += 1
                break
            if lengths[number] == length and are_equal(data, at, firsts[number], length):
                numbers[text] = number
                break
            slot = (slot + 1) & mask
    return count

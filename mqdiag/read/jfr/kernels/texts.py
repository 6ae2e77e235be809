"""Equal texts of a recording by their bytes, so that each is decoded once."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.jfr.kernels.numbers import text_end

_SEED, _PRIME = 0xCBF29CE484222325, 0x100000001B3
"""numbers of the hash FNV-1a"""


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
        behind = text_end(data, at, end, is_compressed, form)
        length = np.int64(0) if behind < 0 else behind - at
        code = np.uint64(_SEED)
        for index in range(length):
            code = (code ^ np.uint64(data[np.uint64(at + index)])) * np.uint64(_PRIME)
        # the low bits of the product are of the last bytes alone
        slot = np.int64((code ^ (code >> np.uint64(29))) & np.uint64(mask))
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
            if lengths[number] == length:
                other = firsts[number]
                same = True
                for index in range(length):
                    if data[np.uint64(at + index)] != data[np.uint64(other + index)]:
                        same = False
                        break
                if same:
                    numbers[text] = number
                    break
            slot = (slot + 1) & mask
    return count

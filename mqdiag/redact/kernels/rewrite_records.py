"""Top-level records but for the heap's, rewritten where they stand."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import u4
from mqdiag.redact.kernels.text_hash import MOST_BYTES, hash_text, write_letters


@kernel
def rewrite_records(data, base, tags, offsets, lengths, kept, id_size, key0, key1):
    """Rewrite the bodies of records.

    Args:
        data: uint8[], in and out: a part of the file, from its byte `base` on.
        tags: uint8[n], offsets: int64[n] of the bodies in the file, lengths: int64[n].
        kept: uint8[n], 1 for symbols that are names.
        id_size: 4 or 8; key0, key1: uint64, of the hash.

    Symbols that are no names become letters, and so do those that cannot be names: a damaged length makes one
    swallow what follows it. Records of a length that theirs cannot have are blanked as far as it is wrong. O(bytes).
    """
    for n in range(tags.size):
        begin = offsets[n] - base
        end = begin + lengths[n]
        tag = tags[n]
        clean = begin
        if tag == 0x01:
            first = min(begin + id_size, end)
            clean = end
            stays = kept[n] == 1 and end - first <= MOST_BYTES
            for at in range(first, end):
                if data[at] < 32:
                    stays = False
                    break
            if not stays:
                seed = hash_text(data, first, min(end, first + MOST_BYTES), key0, key1)
                write_letters(data, first, end, 1, seed)
        elif tag == 0x02 and lengths[n] == 8 + 2 * id_size:
            clean = end
        elif tag == 0x03 and lengths[n] == 4:
            clean = end
        elif tag == 0x04 and lengths[n] == 8 + 4 * id_size:
            clean = end
        elif tag == 0x05 and lengths[n] >= 12 and lengths[n] == 12 + id_size * u4(data, begin + 8):
            clean = end
        for at in range(clean, end):
            data[at] = np.uint8(0)

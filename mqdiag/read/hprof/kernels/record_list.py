"""Top-level records of an hprof file: one hop for each, bodies untouched."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel

DONE = 0
FULL = 1
CUT = 2
"""bytes are left that are no whole record header"""
RUNS_OUT = 3
"""a record's length goes beyond the file"""


@kernel
def _leads_on(data, at):
    """Whether a top-level record begins here: a known tag, and behind its length another one or the file's end."""
    size = np.int64(data.size)
    for _ in range(2):
        if size - at < 9:
            return at == size
        tag = data[at]
        if not (1 <= tag <= 7 or 10 <= tag <= 14 or tag == 0x1C or tag == 0x2C):
            return False
        length = np.int64(0)
        for byte in range(5, 9):
            length = (length << 8) | np.int64(data[at + byte])
        at += 9 + length
    return at <= size


@kernel
def scan_records(data, position, tags, offsets, lengths, count):
    """List records until the file ends or the arrays are full.

    Args:
        data: uint8, the file.
        position: int64, where a record begins.
        tags: uint8[k], out.
        offsets: int64[k], out; where the record's body begins.
        lengths: int64[k], out; body bytes, repaired as the module `records` of the parent says.
        count: int64, entries already used.

    Returns:
        (status, position, count). O(records).
    """
    size = np.int64(data.size)
    capacity = tags.size
    while position < size:
        if size - position < 9:
            return CUT, position, count
        if count == capacity:
            return FULL, position, count
        tag = data[position]
        length = np.int64(0)
        for byte in range(5, 9):
            length = (length << 8) | np.int64(data[position + byte])
        body = position + 9
        left = size - body
        if tag == 0x0C:
            # A HEAP_DUMP above 4 GiB wraps: the writer's length is the true one modulo 2^32.
            if left >= np.int64(4294967296) and (left - length) % np.int64(4294967296) == 0:
                length = left
        if (tag == 0x0C or tag == 0x1C) and length == 0 and left > 0:
            # The writer died before it patched the length in, unless another record follows at once.
            following = data[body]
            if following != 0x0C and following != 0x1C and following != 0x2C and not _leads_on(data, body):
                length = left
        tags[count] = tag
        offsets[count] = body
        lengths[count] = length
        count += 1
        if length > left:
            return RUNS_OUT, position, count
        position = body + length
    return DONE, position, count

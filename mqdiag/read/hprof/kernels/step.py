"""From one sub-record of a heap segment to the next: the only place that knows how long each kind is."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import u2, u4, value_size, width_shift

CROSSES_END = -1
"""the sub-record needs more bytes than there are before the end"""
UNKNOWN_TAG = -2
"""no sub-record has such a tag, or it holds a basic type that does not exist"""


@kernel(inline=True)
def object_end(data, at, end, id_size, tag):
    """Where the object at `at` ends, by its tag: 0x21 instance, 0x22 array of references, 0x23 array of primitives.

    The other arguments and the results are those of `next_place`. Arithmetic instead of branches: with a constant tag
    the compiler removes what it rules out, with a tag just read no branch is guessed wrong. O(1).
    """
    which = np.int64(tag) - 0x21
    is_instance = np.int64(which == 0)
    is_array = which & 1
    is_primitive = which >> 1
    head = 9 + id_size + is_primitive + (1 - is_primitive) * id_size
    if at + head > end:
        return np.int64(CROSSES_END)
    length = u4(data, at + 5 + id_size + id_size * is_instance)
    kind = np.int64(data[np.uint64(at + 9 + id_size)])
    if (is_primitive & (np.int64(kind < 4) | np.int64(kind > 11))) != 0:
        return np.int64(UNKNOWN_TAG)
    # An id has 4 or 8 bytes; the length of an instance is in bytes.
    shift = is_primitive * width_shift(kind) + is_array * (2 + (id_size >> 3))
    after = at + head + (length << shift)
    return after if after <= end else np.int64(CROSSES_END)


@kernel(inline=True)
def next_place(data, at, end, id_size):
    """Where the next sub-record begins.

    Args:
        data: uint8[], the file or a part of it.
        at: int64, where the tag of the present sub-record is; at < end <= data.size.
        end: int64, the end of the segment.
        id_size: 4 or 8.

    Returns:
        The place behind the sub-record, at most `end`; else CROSSES_END or UNKNOWN_TAG. O(1) for objects and roots,
        O(constants and static fields) for a class dump.
    """
    # Nearly all sub-records are objects, of three kinds in no foreseeable order: a branch for each kind would be
    # guessed wrong too often.
    tag = data[np.uint64(at)]
    if 0x21 <= tag <= 0x23:
        return object_end(data, at, end, id_size, tag)
    return rarer_end(data, at, end, id_size)


@kernel
def rarer_end(data, at, end, id_size):
    """The same as `next_place`, for sub-records that are no objects."""
    tag = data[at]
    body = at + 1
    if tag == 0x20:
        return class_dump_end(data, body, end, id_size)
    if tag == 0xFF or tag == 0x05 or tag == 0x07 or (0x89 <= tag <= 0x8D) or tag == 0x90:
        after = body + id_size
    elif tag == 0x01:
        after = body + 2 * id_size
    elif tag == 0x02 or tag == 0x03 or tag == 0x08 or tag == 0x8E:
        after = body + id_size + 8
    elif tag == 0x04 or tag == 0x06:
        after = body + id_size + 4
    elif tag == 0xFE:
        # Android: which heap the following objects belong to.
        after = body + 4 + id_size
    elif tag == 0xC3:
        # Android: an array of primitives without its elements.
        after = body + id_size + 9
    else:
        return np.int64(UNKNOWN_TAG)
    return np.int64(after) if after <= end else np.int64(CROSSES_END)


@kernel
def class_dump_end(data, at, end, id_size):
    """Where the CLASS_DUMP ends that has its body at `at`; else CROSSES_END or UNKNOWN_TAG."""
    at += 7 * id_size + 8
    if at + 2 > end:
        return np.int64(CROSSES_END)
    pool = u2(data, at)
    at += 2
    for _ in range(pool):
        if at + 3 > end:
            return np.int64(CROSSES_END)
        size = value_size(data[at + 2], id_size)
        if size == 0:
            return np.int64(UNKNOWN_TAG)
        at += 3 + size
    if at + 2 > end:
        return np.int64(CROSSES_END)
    statics = u2(data, at)
    at += 2
    for _ in range(statics):
        if at + id_size + 1 > end:
            return np.int64(CROSSES_END)
        size = value_size(data[at + id_size], id_size)
        if size == 0:
            return np.int64(UNKNOWN_TAG)
        at += id_size + 1 + size
    if at + 2 > end:
        return np.int64(CROSSES_END)
    fields = u2(data, at)
    at += 2 + fields * (id_size + 1)
    if at > end:
        return np.int64(CROSSES_END)
    return np.int64(at)


@kernel
def sub_record_end(data, at, end, id_size):
    """The same as `next_place`, as one function for callers in Python."""
    return next_place(data, at, end, id_size)


@kernel
def readable_end(data, at, end, id_size, stop):
    """Follow sub-records as far as they can be read.

    Args:
        data: uint8[], the file.
        at: where a sub-record begins.
        end: the end of the segment.
        id_size: 4 or 8.
        stop: int64[1], out: `end`, or where the sub-record begins that could not be read.

    Returns:
        0 where the end was reached, else CROSSES_END or UNKNOWN_TAG. O(sub-records).
    """
    while at < end:
        after = next_place(data, at, end, id_size)
        if after < 0:
            stop[0] = at
            return after
        at = after
    stop[0] = end
    return np.int64(0)

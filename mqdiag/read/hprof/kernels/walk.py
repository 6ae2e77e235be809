"""Sub-records of the heap segments: objects, roots, class dumps. Bodies of arrays and instances are hopped over."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import identifier, u4, value_size

END = 0
"""the end of each segment was reached exactly"""
FULL_OBJECTS = 1
FULL_ROOTS = 2
FULL_CLASSES = 3
FULL_TABLE = 4
UNKNOWN_TAG = 5
CROSSES_END = 6
"""a sub-record needs more bytes than the segment has"""

POSITION, OBJECTS, ROOTS, CLASSES, KNOWN, SEGMENT = 0, 1, 2, 3, 4, 5
"""places in the state array"""

FIRST_CLASS = 9
"""local class numbers 0 to 7 are the primitive arrays of element types 4 to 11, 8 is class id 0"""


@kernel
def _slot(keys, wanted):
    """Where a class id stands, or would stand, in the open-addressing table; 0 marks a free place."""
    mask = np.uint64(keys.size - 1)
    at = (wanted * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)
    at &= mask
    while keys[at] != wanted and keys[at] != 0:
        at = (at + np.uint64(1)) & mask
    return at


@kernel
def class_dump_end(data, at, end, id_size):
    """Where the CLASS_DUMP whose body begins at `at` ends; -1 when it does not fit, -2 for an unknown type."""
    at += 7 * id_size + 8
    if at + 2 > end:
        return np.int64(-1)
    pool = (np.int64(data[at]) << 8) | np.int64(data[at + 1])
    at += 2
    for _ in range(pool):
        if at + 3 > end:
            return np.int64(-1)
        size = value_size(data[at + 2], id_size)
        if size == 0:
            return np.int64(-2)
        at += 3 + size
    if at + 2 > end:
        return np.int64(-1)
    statics = (np.int64(data[at]) << 8) | np.int64(data[at + 1])
    at += 2
    for _ in range(statics):
        if at + id_size + 1 > end:
            return np.int64(-1)
        size = value_size(data[at + id_size], id_size)
        if size == 0:
            return np.int64(-2)
        at += id_size + 1 + size
    if at + 2 > end:
        return np.int64(-1)
    fields = (np.int64(data[at]) << 8) | np.int64(data[at + 1])
    at += 2 + fields * (id_size + 1)
    if at > end:
        return np.int64(-1)
    return np.int64(at)


@kernel
def walk_segments(
    data,
    starts,
    ends,
    id_size,
    store,
    state,
    keys,
    values,
    known,
    counts,
    elements,
    ids,
    offsets,
    classes,
    root_types,
    root_ids,
    root_threads,
    root_frames,
    class_offsets,
    class_ends,
):
    """Walk sub-records from state[POSITION] in segment state[SEGMENT] to the end of the last segment.

    Args:
        data: uint8, the file.
        starts: int64[s], where the segments begin; ends: int64[s], where they end.
        id_size: 4 or 8.
        store: when False only `counts` and `elements` are kept of objects.
        state: int64[6], in and out: position, the entries used of each output, and the segment.
        keys: uint64[2^k], class ids; values: int32[2^k], their local numbers. In and out, at most half full.
        known: uint64[], out: class id by local number.
        counts: int64[], out: objects by local number; elements: int64[], out: array elements (instances: bytes).
        ids: uint64[], offsets: int64[], classes: int32[], out: objects in file order. `offsets` is where the
            sub-record's tag stands.
        root_types: uint8[], root_ids: uint64[], root_threads: int64[], root_frames: int64[], out: -1 where the
            root has no thread or frame. For a thread object `root_frames` is its stack trace's serial number.
        class_offsets: int64[], class_ends: int64[], out: CLASS_DUMP sub-records.

    Returns:
        status; on anything but END, state[POSITION] is the tag of the sub-record that was not taken.
        O(sub-records).
    """
    at = state[POSITION]
    used = state[OBJECTS]
    roots = state[ROOTS]
    dumps = state[CLASSES]
    number = state[KNOWN]
    last_id = np.uint64(0)
    last_number = np.int32(8)
    segment = state[SEGMENT]
    end = ends[segment]
    status = END
    instance_head = 2 * id_size + 8
    array_head = id_size + 8
    while True:
        if at >= end:
            segment += 1
            if segment == starts.size:
                break
            at = starts[segment]
            end = ends[segment]
            continue
        tag = data[at]
        body = at + 1
        if tag == 0x21 or tag == 0x22:
            if store and used == ids.size:
                status = FULL_OBJECTS
                break
            if tag == 0x21:
                if body + instance_head > end:
                    status = CROSSES_END
                    break
                class_id = identifier(data, body + id_size + 4, id_size)
                length = u4(data, body + 2 * id_size + 4)
                after = body + instance_head + length
            else:
                if body + array_head + id_size > end:
                    status = CROSSES_END
                    break
                length = u4(data, body + id_size + 4)
                class_id = identifier(data, body + id_size + 8, id_size)
                after = body + array_head + id_size + length * id_size
            if after > end:
                status = CROSSES_END
                break
            if class_id != last_id:
                if class_id == 0:
                    last_number = np.int32(8)
                else:
                    slot = _slot(keys, class_id)
                    if keys[slot] != class_id:
                        if 2 * number >= keys.size or number >= known.size:
                            status = FULL_TABLE
                            break
                        keys[slot] = class_id
                        values[slot] = np.int32(number)
                        known[number] = class_id
                        number += 1
                    last_number = values[slot]
                last_id = class_id
            counts[last_number] += 1
            elements[last_number] += length
            if store:
                ids[used] = identifier(data, body, id_size)
                offsets[used] = at
                classes[used] = last_number
                used += 1
            at = after
        elif tag == 0x23:
            if store and used == ids.size:
                status = FULL_OBJECTS
                break
            if body + array_head + 1 > end:
                status = CROSSES_END
                break
            length = u4(data, body + id_size + 4)
            kind = data[body + array_head]
            if kind < 4 or kind > 11:
                status = UNKNOWN_TAG
                break
            after = body + array_head + 1 + length * value_size(kind, id_size)
            if after > end:
                status = CROSSES_END
                break
            counts[kind - 4] += 1
            elements[kind - 4] += length
            if store:
                ids[used] = identifier(data, body, id_size)
                offsets[used] = at
                classes[used] = np.int32(kind - 4)
                used += 1
            at = after
        elif tag == 0x20:
            if dumps == class_offsets.size:
                status = FULL_CLASSES
                break
            after = class_dump_end(data, body, end, id_size)
            if after < 0:
                status = CROSSES_END if after == -1 else UNKNOWN_TAG
                break
            class_offsets[dumps] = at
            class_ends[dumps] = after
            dumps += 1
            at = after
        elif tag == 0xFE:
            # Android: which heap the following objects belong to.
            if body + 4 + id_size > end:
                status = CROSSES_END
                break
            at = body + 4 + id_size
        elif tag == 0xC3:
            # Android: a primitive array without its data.
            if body + array_head + 1 > end:
                status = CROSSES_END
                break
            at = body + array_head + 1
        else:
            thread = np.int64(-1)
            frame = np.int64(-1)
            extra = np.int64(-1)
            if tag == 0xFF or tag == 0x05 or tag == 0x07:
                extra = 0
            elif tag == 0x01:
                extra = id_size
            elif tag == 0x02 or tag == 0x03 or tag == 0x08 or tag == 0x8E:
                extra = 8
            elif tag == 0x04 or tag == 0x06:
                extra = 4
            elif (tag >= 0x89 and tag <= 0x8D) or tag == 0x90:
                extra = 0
            else:
                status = UNKNOWN_TAG
                break
            if body + id_size + extra > end:
                status = CROSSES_END
                break
            if roots == root_ids.size:
                status = FULL_ROOTS
                break
            if tag != 0x01 and extra >= 4:
                thread = u4(data, body + id_size)
            if tag != 0x01 and extra == 8:
                frame = u4(data, body + id_size + 4)
                if frame == np.int64(4294967295):
                    frame = np.int64(-1)
            root_types[roots] = tag
            root_ids[roots] = identifier(data, body, id_size)
            root_threads[roots] = thread
            root_frames[roots] = frame
            roots += 1
            at = body + id_size + extra
    state[POSITION] = at
    state[OBJECTS] = used
    state[ROOTS] = roots
    state[CLASSES] = dumps
    state[KNOWN] = number
    state[SEGMENT] = segment
    return status

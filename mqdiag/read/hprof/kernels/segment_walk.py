"""Sub-records of the heap segments: objects, roots, class dumps. Bodies of arrays and instances are hopped over."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.number_table import place_of
from mqdiag.read.hprof.kernels.step import object_end, rarer_end
from mqdiag.read.hprof.kernels.values import identifier, u4

END = 0
"""the end of each segment was reached exactly"""
FULL_OBJECTS = 1
FULL_ROOTS = 2
FULL_CLASSES = 3
FULL_TABLE = 4

POSITION, OBJECTS, ROOTS, CLASSES, KNOWN, SEGMENT = 0, 1, 2, 3, 4, 5
"""places in the state array"""

FIRST_CLASS = 9
"""local class numbers 0 to 7 are the primitive arrays of element types 4 to 11, 8 is class id 0"""


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
    while True:
        if at >= end:
            segment += 1
            if segment == starts.size:
                break
            at = starts[segment]
            end = ends[segment]
            continue
        tag = data[np.uint64(at)]
        body = at + 1
        if tag == 0x21 or tag == 0x22:
            if store and used == ids.size:
                status = FULL_OBJECTS
                break
            # Tags are compared here anyway: a step for each kind starts sooner than `next_place`.
            if tag == 0x21:
                after = object_end(data, at, end, id_size, 0x21)
                if after < 0:
                    status = after
                    break
                class_id = identifier(data, body + id_size + 4, id_size)
                length = u4(data, body + 2 * id_size + 4)
            else:
                after = object_end(data, at, end, id_size, 0x22)
                if after < 0:
                    status = after
                    break
                length = u4(data, body + id_size + 4)
                class_id = identifier(data, body + id_size + 8, id_size)
            if class_id != last_id:
                if class_id == 0:
                    last_number = np.int32(8)
                else:
                    slot = place_of(keys, class_id)
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
            continue
        if tag == 0x23:
            if store and used == ids.size:
                status = FULL_OBJECTS
                break
            after = object_end(data, at, end, id_size, 0x23)
            if after < 0:
                status = after
                break
            kind = np.int64(data[np.uint64(body + id_size + 8)])
            counts[kind - 4] += 1
            elements[kind - 4] += u4(data, body + id_size + 4)
            if store:
                ids[used] = identifier(data, body, id_size)
                offsets[used] = at
                classes[used] = np.int32(kind - 4)
                used += 1
            at = after
            continue
        after = rarer_end(data, at, end, id_size)
        if after < 0:
            status = after
            break
        if tag == 0x20:
            if dumps == class_offsets.size:
                status = FULL_CLASSES
                break
            class_offsets[dumps] = at
            class_ends[dumps] = after
            dumps += 1
        elif tag != 0xFE and tag != 0xC3:
            # All others are roots: an id, then for some a thread, then for some of these a frame.
            if roots == root_ids.size:
                status = FULL_ROOTS
                break
            behind_id = after - body - id_size
            thread = np.int64(-1)
            frame = np.int64(-1)
            if tag != 0x01 and behind_id >= 4:
                thread = u4(data, body + id_size)
            if tag != 0x01 and behind_id == 8:
                frame = u4(data, body + id_size + 4)
                if frame == np.int64(4294967295):
                    frame = np.int64(-1)
            root_types[roots] = tag
            root_ids[roots] = identifier(data, body, id_size)
            root_threads[roots] = thread
            root_frames[roots] = frame
            roots += 1
        at = after
    state[POSITION] = at
    state[OBJECTS] = used
    state[ROOTS] = roots
    state[CLASSES] = dumps
    state[KNOWN] = number
    state[SEGMENT] = segment
    return status

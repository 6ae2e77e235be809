"""Sub-records of the heap segments: objects, roots, class dumps. Bodies of arrays and instances are hopped over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

POSITION, OBJECTS, ROOTS, CLASSES, KNOWN, SEGMENT, ORIGIN = 0, 1, 2, 3, 4, 5, 6
"""places in the state array"""

FIRST_CLASS = 9
"""local class numbers 0 to 7 are the primitive arrays of element types 4 to 11, 8 is class id 0"""


class Segments(NamedTuple):
    """s heap segments."""

    starts: NDArray[np.int64]
    """[s] where they begin"""
    ends: NDArray[np.int64]
    """[s] where they end"""


class ClassNumbers(NamedTuple):
    """Local numbers of classes, in and out."""

    keys: NDArray[np.uint64]
    """[2^k + 2] table of class ids, at most half full"""
    values: NDArray[np.int32]
    """[2^k] their local numbers"""
    known: NDArray[np.uint64]
    """[c] class id by local number"""


class ClassCounts(NamedTuple):
    """What was met of each class, by local number."""

    counts: NDArray[np.int64]
    """[c] objects"""
    elements: NDArray[np.int64]
    """[c] elements of arrays; bytes of instances"""


class ObjectRows(NamedTuple):
    """Objects in file order."""

    ids: NDArray[np.uint64]
    offsets: NDArray[np.uint32] | NDArray[np.int64]
    """where the tag of the sub-record is, from state[ORIGIN] on"""
    classes: NDArray[np.int32]
    """local numbers of their classes"""


class RootRows(NamedTuple):
    """Roots in file order; -1 where one has no thread or frame."""

    types: NDArray[np.uint8]
    ids: NDArray[np.uint64]
    threads: NDArray[np.int64]
    frames: NDArray[np.int64]
    """frame number, and for a thread object the serial number of its stack trace"""


class ClassDumps(NamedTuple):
    """CLASS_DUMP sub-records in file order."""

    offsets: NDArray[np.int64]
    ends: NDArray[np.int64]


@kernel
def walk_segments(data, segments, id_size, store, state, class_numbers, met, objects, found_roots, class_dumps):
    """Walk sub-records from state[POSITION] in segment state[SEGMENT] to the end of the last segment.

    Args:
        data: uint8, the file.
        segments: Segments.
        id_size: 4 or 8.
        store: when False only `met` is kept of objects.
        state: int64[7], in and out: position, the entries used of each output, and the segment; in: where the first
            segment begins, less than 4 GiB before the end of the last where `objects.offsets` is uint32.
        class_numbers: ClassNumbers, in and out.
        met: ClassCounts, out.
        objects: ObjectRows, out.
        found_roots: RootRows, out.
        class_dumps: ClassDumps, out.

    Returns:
        status; on anything but END, state[POSITION] is the tag of the sub-record that was not taken.
        O(sub-records).
    """
    starts, ends = segments.starts, segments.ends
    keys, values, known = class_numbers.keys, class_numbers.values, class_numbers.known
    counts, elements = met.counts, met.elements
    ids, offsets, classes = objects.ids, objects.offsets, objects.classes
    root_types, root_ids = found_roots.types, found_roots.ids
    root_threads, root_frames = found_roots.threads, found_roots.frames
    class_offsets, class_ends = class_dumps.offsets, class_dumps.ends
    at = state[POSITION]
    used = state[OBJECTS]
    roots = state[ROOTS]
    dumps = state[CLASSES]
    number = state[KNOWN]
    last_id = np.uint64(0)
    last_number = np.int32(8)
    segment = state[SEGMENT]
    origin = state[ORIGIN]
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
                offsets[used] = at - origin
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
                offsets[used] = at - origin
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

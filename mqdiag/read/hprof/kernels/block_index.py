"""The heap segments once through: an index of blocks, and the objects of some classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.number_table import place_of
from mqdiag.read.hprof.kernels.step import next_place
from mqdiag.read.hprof.kernels.values import identifier

END = 0
FULL = 1
"""room for what was found is nearly used up"""
STOPPED = 2
"""no sub-record begins at the position, or it does not fit"""
PAUSED = 3
OBJECT = 4
"""an object begins, before which `scan_segment` was to stop"""
POSITION, BLOCKS, FOUND, CLASSES, TOUCHED = 0, 1, 2, 3, 4
"""places in the state array"""
_LINE_BYTES = 64
_AHEAD_BYTES = 1 << 15
LIKELY_BITS = 12
"""bits of a class id's hash; see `likely`"""


class ClassFilter(NamedTuple):
    """The classes with wanted instances."""

    likely: NDArray[np.uint8]
    """[2^LIKELY_BITS] 0 where none of the classes is, see `likely_place`"""
    keys: NDArray[np.uint64]
    """[2^k + 2] class ids, a table of `number_table`"""
    values: NDArray[np.int32]
    """[2^k] kind of each class"""


class Columns(NamedTuple):
    """Room for what is found: b blocks, f instances of the classes that are asked for, c CLASS_DUMP sub-records."""

    starts: NDArray[np.int64]
    """[b]"""
    ends: NDArray[np.int64]
    """[b]"""
    lowest: NDArray[np.uint64]
    """[b] of the object ids in the block"""
    highest: NDArray[np.uint64]
    """[b]"""
    alone: NDArray[np.uint8]
    """[b] 0; of a block of one large sub-record its tag, of a primitive array its type"""
    found_at: NDArray[np.int64]
    """[f]"""
    found_rows: NDArray[np.int32]
    """[f] kind of the class"""
    class_starts: NDArray[np.int64]
    """[c]"""
    class_ends: NDArray[np.int64]
    """[c]"""


@kernel(inline=True)
def likely_place(class_id):
    """Where a class stands in `likely`. O(1)."""
    return (class_id * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - LIKELY_BITS)


@kernel
def mark_likely(class_ids, likely):
    """Mark classes: uint64[n] in uint8[2^LIKELY_BITS]. O(n)."""
    for n in range(class_ids.size):
        likely[likely_place(class_ids[n])] = np.uint8(1)


@kernel
def _close(columns, block, begin, end, low, high, kind):
    """Write down a block; `columns` as of `scan_segment`. O(1)."""
    columns.starts[block] = begin
    columns.ends[block] = end
    columns.lowest[block] = low
    columns.highest[block] = high
    columns.alone[block] = kind


@kernel
def scan_segment(data, end, id_size, large, block_bytes, step, state, asked, columns):
    """Scan sub-records from state[POSITION] to `end`.

    Args:
        data: uint8[], the file; id_size: 4 or 8.
        end: where the segment ends.
        large: a sub-record of so many bytes is a block alone, and no other block has so many; block_bytes: where
            any other block is closed.
        step: bytes after which to pause; 0 to stop at the first object.
        state: int64[5], in and out: position, entries used, and what makes reading ahead count.
        asked: a `ClassFilter`.
        columns: a `Columns`, out.

    Returns:
        status. O(sub-records).
    """
    at = state[POSITION]
    pause = at + step if step > 0 else end + 1
    blocks = state[BLOCKS]
    if blocks + 3 > columns.starts.size:
        return FULL
    found = state[FOUND]
    classes = state[CLASSES]
    begin = at
    low = np.uint64(0xFFFFFFFFFFFFFFFF)
    high = np.uint64(0)
    status = END
    ahead = at
    touched = np.int64(0)
    while at < end:
        if at >= pause:
            status = PAUSED
            break
        if at >= ahead:
            # Where a sub-record begins is known when the one before it is read, so the walk waits for the memory at
            # each; the lines that come do not wait for one another when they are asked for together.
            line = np.uint64(at)
            ahead = min(at + _AHEAD_BYTES, end)
            while line < np.uint64(ahead):
                touched += np.int64(data[line])
                line += np.uint64(_LINE_BYTES)
        after = next_place(data, at, end, id_size)
        if after < 0:
            status = STOPPED
            break
        tag = data[np.uint64(at)]
        is_object = 0x21 <= tag <= 0x23
        if step == 0 and is_object:
            status = OBJECT
            break
        if at - begin >= block_bytes or after - begin >= large:
            if blocks + 3 > columns.starts.size:
                status = FULL
                break
            if begin < at:
                _close(columns, blocks, begin, at, low, high, np.uint8(0))
                blocks += 1
                begin = at
                low = np.uint64(0xFFFFFFFFFFFFFFFF)
                high = np.uint64(0)
        if is_object:
            number = identifier(data, at + 1, id_size)
            low = min(low, number)
            high = max(high, number)
            if tag == 0x21:
                class_id = identifier(data, at + 5 + id_size, id_size)
                if asked.likely[likely_place(class_id)] != 0:
                    place = place_of(asked.keys, class_id)
                    if class_id != np.uint64(0) and asked.keys[place] == class_id:
                        if found == columns.found_at.size:
                            status = FULL
                            break
                        columns.found_at[found] = at
                        columns.found_rows[found] = asked.values[place]
                        found += 1
        elif tag == 0x20:
            if classes == columns.class_starts.size:
                status = FULL
                break
            columns.class_starts[classes] = at
            columns.class_ends[classes] = after
            classes += 1
        is_alone = after - at >= large
        at = after
        if is_alone:
            kind = data[np.uint64(begin + 9 + id_size)] if tag == 0x23 else tag
            _close(columns, blocks, begin, at, low, high, kind)
            blocks += 1
            begin = at
            low = np.uint64(0xFFFFFFFFFFFFFFFF)
            high = np.uint64(0)
    if begin < at:
        _close(columns, blocks, begin, at, low, high, np.uint8(0))
        blocks += 1
    state[POSITION] = at
    state[BLOCKS] = blocks
    state[FOUND] = found
    state[CLASSES] = classes
    state[TOUCHED] = touched
    return status


@kernel
def find_objects(data, id_size, starts, ends, keys, values, places):
    """Where the sub-records of some objects stand.

    Args:
        data: uint8[], the file; id_size: 4 or 8.
        starts, ends: int64[b], blocks in which they may be.
        keys: uint64[2^k + 2], values: int32[2^k]: positions in `places` by object id.
        places: int64[n], in: -1; out: of the first sub-record with each id.

    O(sub-records of the blocks).
    """
    for block in range(starts.size):
        at = starts[block]
        while at < ends[block]:
            tag = data[at]
            if tag == 0x21 or tag == 0x22 or tag == 0x23:
                wanted = identifier(data, at + 1, id_size)
                place = place_of(keys, wanted)
                if wanted != np.uint64(0) and keys[place] == wanted and places[values[place]] < 0:
                    places[values[place]] = at
            at = next_place(data, at, ends[block], id_size)
            if at < 0:
                # Only a file that changes while it is read has other sub-records now.
                break

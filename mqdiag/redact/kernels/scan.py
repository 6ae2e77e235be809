"""The heap segments once through: an index of blocks, and the objects of some classes."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import identifier
from mqdiag.redact.kernels.steps import sub_record_end
from mqdiag.redact.kernels.tables import place_of

END = 0
FULL = 1
PAUSED = 3
STOPPED = 2
"""no sub-record begins at the position, or it does not fit"""
POSITION, BLOCKS, FOUND = 0, 1, 2
"""places in the state array"""


@kernel
def scan_segment(
    data,
    end,
    id_size,
    large,
    block_bytes,
    step,
    state,
    keys,
    values,
    starts,
    ends,
    lowest,
    highest,
    found_at,
    found_kind,
):
    """Scan sub-records from state[POSITION] to `end`.

    Args:
        data: uint8[], the file; id_size: 4 or 8.
        end: where the segment ends.
        large: a sub-record of so many bytes is a block alone; block_bytes: where any other block is closed.
        step: bytes after which to pause.
        state: int64[3], in and out: position and entries used.
        keys: uint64[2^k], values: int32[2^k]: kind by class id.
        starts, ends: int64[b], out: the blocks; lowest, highest: uint64[b], out: object ids in each.
        found_at: int64[f], found_kind: int32[f], out: instances of the classes in the table.

    Returns:
        status. O(sub-records).
    """
    at = state[POSITION]
    pause = at + step
    blocks = state[BLOCKS]
    found = state[FOUND]
    begin = at
    low = np.uint64(0xFFFFFFFFFFFFFFFF)
    high = np.uint64(0)
    last_id = np.uint64(0)
    last_kind = np.int32(-1)
    status = END
    while at < end:
        if at >= pause:
            status = PAUSED
            break
        if blocks + 2 > starts.size or found == found_at.size:
            status = FULL
            break
        after = sub_record_end(data, at, end, id_size)
        if after < 0:
            status = STOPPED
            break
        tag = data[at]
        if begin < at and (after - at >= large or at - begin >= block_bytes):
            starts[blocks] = begin
            ends[blocks] = at
            lowest[blocks] = low
            highest[blocks] = high
            blocks += 1
            begin = at
            low = np.uint64(0xFFFFFFFFFFFFFFFF)
            high = np.uint64(0)
        if tag == 0x21 or tag == 0x22 or tag == 0x23:
            number = identifier(data, at + 1, id_size)
            low = min(low, number)
            high = max(high, number)
            if tag == 0x21:
                class_id = identifier(data, at + 5 + id_size, id_size)
                if class_id != last_id:
                    last_id = class_id
                    place = place_of(keys, class_id)
                    last_kind = np.int32(-1)
                    if class_id != np.uint64(0) and keys[place] == class_id:
                        last_kind = values[place]
                if last_kind >= 0:
                    found_at[found] = at
                    found_kind[found] = last_kind
                    found += 1
        large_one = after - at >= large
        at = after
        if large_one:
            starts[blocks] = begin
            ends[blocks] = at
            lowest[blocks] = low
            highest[blocks] = high
            blocks += 1
            begin = at
            low = np.uint64(0xFFFFFFFFFFFFFFFF)
            high = np.uint64(0)
    if begin < at:
        starts[blocks] = begin
        ends[blocks] = at
        lowest[blocks] = low
        highest[blocks] = high
        blocks += 1
    state[POSITION] = at
    state[BLOCKS] = blocks
    state[FOUND] = found
    return status


@kernel
def find_objects(data, id_size, starts, ends, keys, values, places):
    """Where the sub-records of some objects stand.

    Args:
        data: uint8[], the file; id_size: 4 or 8.
        starts, ends: int64[b], blocks in which they may be.
        keys: uint64[2^k], values: int32[2^k]: positions in `places` by object id.
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
            at = sub_record_end(data, at, ends[block], id_size)

"""Heap records whose declared end their own content contradicts.

Some writers declare too few bytes for a segment (google/perfetto#5764), and one damaged length hides all segments
behind it. The end is therefore advisory: where the sub-records lead to the head of another record, that is the end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.progress import Silent
from mqdiag.read.hprof.header import Header
from mqdiag.read.hprof.kernels.step import sub_record_end
from mqdiag.read.hprof.records import (
    HEAP_DUMP,
    HEAP_DUMP_END,
    HEAP_DUMP_SEGMENT,
    KNOWN_TAGS,
    Records,
    read_records,
)
from mqdiag.read.hprof.walk import walk_segments


def repair_segments(
    data: NDArray[np.uint8], header: Header, records: Records, damaged_at: int
) -> Records | None:
    """The records with better ends, from the one that holds the first damage on; None when there are no better ones.

    Only the heap records from there on are walked again.
    """
    number = int(np.searchsorted(records.offsets, damaged_at, "right")) - 1
    changed = False
    while number < records.tags.size:
        if records.tags[number] in (HEAP_DUMP, HEAP_DUMP_SEGMENT):
            start, length = int(records.offsets[number]), int(records.lengths[number])
            end = _true_end(data, header.id_size, start, start + length)
            if end != start + length:
                records = records.with_end(number, end, read_records(data, header, end))
                changed = True
        number += 1
    return records if changed else None


def _true_end(data: NDArray[np.uint8], id_size: int, start: int, end: int) -> int:
    """Where the sub-records of a heap record end; the declared end when nothing else is certain."""
    damages = walk_segments(data, id_size, [(start, end)], store=False, progress=Silent())[0].damages
    if not damages:
        return end
    stop = damages[0].at
    if stop > start and _is_head(data, stop):
        return stop
    after = int(sub_record_end(data, stop, data.size, id_size))
    return after if end < after and (after == data.size or _is_head(data, after)) else end


def _is_head(data: NDArray[np.uint8], at: int) -> bool:
    """Whether a top-level record begins here: it has a known tag and leads to another one or to the file's end."""
    if at + 9 > data.size or int(data[at]) not in KNOWN_TAGS:
        return False
    tag, length = int(data[at]), int.from_bytes(bytes(data[at + 5 : at + 9]), "big")
    after = at + 9 + length
    if tag == HEAP_DUMP_END:
        return length == 0
    if data[at + 1 : at + 5].any():
        return False  # HotSpot writes no times, and in a root an id stands here
    if after >= data.size:
        # The last record of a cut file.
        return after == data.size or tag == HEAP_DUMP_SEGMENT
    return tag == HEAP_DUMP_SEGMENT or int(data[after]) in KNOWN_TAGS

"""Heap records whose declared end their own content contradicts.

Some writers declare too few bytes for a segment (google/perfetto#5764), and one damaged length hides all segments
behind it. The end is therefore advisory: where the sub-records lead to the head of another record, that is the end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.progress import Silent
from mqdiag.read.hprof.header import Header
from mqdiag.read.hprof.kernels.walk import class_dump_end
from mqdiag.read.hprof.records import (
    HEAP_DUMP,
    HEAP_DUMP_END,
    HEAP_DUMP_SEGMENT,
    KNOWN_TAGS,
    Records,
    read_records,
)
from mqdiag.read.hprof.walk import walk_segments

_WIDTHS = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}


def mend(data: NDArray[np.uint8], header: Header, records: Records, damaged_at: int) -> Records | None:
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
    after = _sub_record_end(data, id_size, stop)
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


def _sub_record_end(data: NDArray[np.uint8], id_size: int, at: int) -> int:
    """Where a sub-record of the commoner kinds ends if the whole file may be used; -1 when it does not."""

    def number(place: int) -> int:
        return int.from_bytes(bytes(data[place : place + 4]), "big")

    tag, body = int(data[at]), at + 1
    if tag == 0x20:
        return int(class_dump_end(data, body, data.size, id_size))
    length_at = body + id_size + 4 + (id_size if tag == 0x21 else 0)
    if tag in (0x21, 0x22, 0x23):
        if length_at + 4 + id_size > data.size:
            return -1
        if tag == 0x21:
            end = length_at + 4 + number(length_at)
        elif tag == 0x22:
            end = length_at + 4 + id_size + number(length_at) * id_size
        else:
            end = length_at + 5 + number(length_at) * _WIDTHS.get(int(data[length_at + 4]), data.size)
    else:
        extra = {0x01: id_size, 0x02: 8, 0x03: 8, 0x08: 8, 0x04: 4, 0x06: 4, 0x05: 0, 0x07: 0, 0xFF: 0}
        end = body + id_size + extra[tag] if tag in extra else -1
    return end if end <= data.size else -1

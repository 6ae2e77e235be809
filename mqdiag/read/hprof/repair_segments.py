"""Heap records whose declared end their own content contradicts.

Some writers declare too few bytes for a segment (google/perfetto#5764), and one damaged length hides all segments
behind it. The end is therefore advisory: where the sub-records lead to the head of another record, that is the end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.header import Header
from mqdiag.read.hprof.kernels.step import sub_record_end
from mqdiag.read.hprof.records import (
    HEAP_DUMP_END,
    HEAP_DUMP_SEGMENT,
    KNOWN_TAGS,
    Records,
    read_records,
)
from mqdiag.read.hprof.walk import first_damage


def repair_segments(data: NDArray[np.uint8], header: Header, damaged_at: int) -> Records | None:
    """The records with better ends, from the one that holds the first damage on; None when there are no better ones.

    Only the heap records from there on are walked again, each once.
    """
    changed = False

    def true_end(start: int, end: int) -> int:
        nonlocal changed
        found = end if end <= damaged_at else _true_end(data, header.id_size, start, end)
        changed |= found != end
        return found

    records = read_records(data, header, true_end=true_end)
    return records if changed else None


def _true_end(data: NDArray[np.uint8], id_size: int, start: int, end: int) -> int:
    """Where the sub-records of a heap record end; the declared end when nothing else is certain."""
    damage = first_damage(data, id_size, start, end)
    if damage is None:
        return end
    if damage.at > start and _is_head(data, damage.at):
        return damage.at
    after = int(sub_record_end(data, damage.at, data.size, id_size))
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

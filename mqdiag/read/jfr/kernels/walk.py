"""From event to event of a chunk, each of which tells its own size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel
from mqdiag.read.jfr.kernels.numbers import quick_integer


class ListedTypes(NamedTuple):
    """What is listed of the events of a chunk."""

    slots: NDArray[np.int32]
    """[largest type + 1] number of the list of a type; -1 for a type that nobody asked for"""
    counts: NDArray[np.int64]
    """[slots.size] in and out: events of each type"""
    bytes: NDArray[np.int64]
    """[slots.size] in and out: bytes of them"""


@kernel
def walk_events(data, at, end, is_compressed, width, wanted, starts, ends, slots, stop):
    """List events.

    Args:
        data: uint8[], the file.
        at: where the first event begins.
        end: the end of the chunk.
        is_compressed: whether integers are compressed.
        width: bytes of the number of a type that is not compressed.
        wanted: `ListedTypes`.
        starts: int64[room], out: where the payload of each listed event begins, behind its size and type.
        ends: int64[room], out: where it ends.
        slots: int64[room], out: its list.
        stop: int64[2], out: where the walk ended, and how many events are of types beyond `wanted`.

    Returns:
        How many were listed. The walk ends before the event for which there is no room, and at one that has no size
        that can be. O(events).
    """
    listed = np.int64(0)
    beyond = np.int64(0)
    while at < end:
        size, after = quick_integer(data, at, end, is_compressed, 4)
        if after < 0 or size <= 0 or size > end - at:
            break
        event_end = at + size
        kind, after = quick_integer(data, after, event_end, is_compressed, width)
        if after < 0:
            break
        if 0 <= kind < wanted.slots.size:
            slot = wanted.slots[np.uint64(kind)]
            if slot >= 0:
                if listed == starts.size:
                    break
                starts[listed] = after
                ends[listed] = event_end
                slots[listed] = slot
                listed += 1
            wanted.counts[np.uint64(kind)] += 1
            wanted.bytes[np.uint64(kind)] += size
        else:
            beyond += 1
        at = event_end
    stop[0] = at
    stop[1] = beyond
    return listed


@kernel
def part_events(slots, starts, ends, places, parted):
    """Bring events of one list together, each list's in their order.

    Args:
        slots, starts, ends: int64[events], of `walk_events`.
        places: int64[lists], where the events of each begin in `parted`; scratch, in the end where they end.
        parted: int64[2, events], out: starts and ends.

    Returns:
        Nothing. O(events).
    """
    for event in range(slots.size):
        slot = np.uint64(slots[event])
        place = np.uint64(places[slot])
        parted[0, place] = starts[event]
        parted[1, place] = ends[event]
        places[slot] += 1

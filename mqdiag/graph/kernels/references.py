"""Object ids to positions, and the references of all objects as compressed rows.

The id index is a bitmap with a running rank: ids are grouped into pages of 4,096 possible addresses, a directory
maps a page that holds objects to its slot, and a slot has 64 pairs (bitmap word, rank before that word). A look-up
costs two memory accesses whatever the number of objects. An empty directory says that the ids are too thinly spread
for pages: then `words` are the ascending ids themselves, uint64[n, 1, 1], and a look-up halves its way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import identifier, u4, value_size


@kernel(inline=True)
def _popcount(word):
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def count_pages(ids, base, shift, directory):
    """Give each page that holds an object its slot.

    Args:
        ids: uint64[n], ascending. base: uint64, the lowest. shift: trailing zero bits common to all ids.
        directory: int32[pages], out; -1 where a page is empty.

    Returns:
        the number of slots. O(n).
    """
    slots = 0
    last = np.int64(-1)
    for i in range(ids.size):
        page = np.int64((ids[i] - base) >> np.uint64(shift + 12))
        if page != last:
            directory[page] = slots
            slots += 1
            last = page
    return slots


@kernel
def fill_pages(ids, base, shift, directory, words):
    """Set the bits of ids; threads may set those of different pages at once.

    Args:
        ids: uint64[k], some of those in `count_pages`. base, shift, directory: see there.
        words: uint64[slots, 64, 2], zeros; out: (bitmap, 0).

    O(k).
    """
    for i in range(ids.size):
        unit = (ids[i] - base) >> np.uint64(shift)
        slot = directory[np.int64(unit >> np.uint64(12))]
        words[slot, np.int64((unit >> np.uint64(6)) & np.uint64(63)), 0] |= np.uint64(1) << (
            unit & np.uint64(63)
        )


@kernel
def rank_pages(words):
    """Set the ranks: uint64[slots, 64, 2], in: (bitmap, 0), out: (bitmap, rank before it). O(64 slots)."""
    rank = np.uint64(0)
    for slot in range(words.shape[0]):
        for word in range(64):
            words[slot, word, 1] = rank
            rank += np.uint64(_popcount(words[slot, word, 0]))


@kernel(inline=True)
def find_id(wanted, base, shift, directory, words):
    """Position of an id; -1 when no object has it."""
    if directory.size == 0:
        low = np.uint64(0)
        high = np.uint64(words.shape[0])
        while low < high:
            middle = (low + high) >> np.uint64(1)
            if words[middle, 0, 0] < wanted:
                low = middle + np.uint64(1)
            else:
                high = middle
        if low < np.uint64(words.shape[0]) and words[low, 0, 0] == wanted:
            return np.int64(low)
        return np.int64(-1)
    if wanted < base:
        return np.int64(-1)
    distance = wanted - base
    unit = distance >> np.uint64(shift)
    if (unit << np.uint64(shift)) != distance:
        return np.int64(-1)
    page = unit >> np.uint64(12)
    if page >= np.uint64(directory.size):
        return np.int64(-1)
    slot = directory[page]
    if slot < 0:
        return np.int64(-1)
    word = (unit >> np.uint64(6)) & np.uint64(63)
    bits = words[np.uint64(slot), word, 0]
    place = unit & np.uint64(63)
    if (bits >> place) & np.uint64(1) == np.uint64(0):
        return np.int64(-1)
    below = bits & ((np.uint64(1) << place) - np.uint64(1))
    return np.int64(words[np.uint64(slot), word, 1]) + _popcount(below)


@kernel
def find_ids(wanted, base, shift, directory, words, found):
    """Positions of many ids: uint64[k] to int32[k], -1 where no object has the id. O(k)."""
    for i in range(wanted.size):
        if wanted[i] == 0:
            found[i] = np.int32(-1)  # null, even where a damaged object calls itself so
        else:
            found[i] = np.int32(find_id(wanted[i], base, shift, directory, words))


class Records(NamedTuple):
    """The records of n objects of c classes."""

    data: NDArray[np.uint8]
    """the file"""
    id_size: int
    """4 or 8"""
    offsets: NDArray[np.uint32] | NDArray[np.int64]
    """[n] where each object's sub-record begins"""
    rows: NDArray[np.uint16] | NDArray[np.int32]
    """[n] row of the object's class"""
    layout_starts: NDArray[np.int64]
    """[c + 1], see `reference_layout`"""
    layout_places: NDArray[np.int32]
    """see `reference_layout`"""


class Pages(NamedTuple):
    """The id index."""

    base: np.uint64
    """the lowest id"""
    shift: int
    """trailing zero bits that all ids have in common"""
    directory: NDArray[np.int32]
    """slot of each page, -1 for an empty one"""
    words: NDArray[np.uint64]
    """[slots, 64, 2] bitmap word, rank before it"""


class ThreadLocals(NamedTuple):
    """References from threads to the objects on their stacks, x of them; they come last among those of a thread."""

    threads: NDArray[np.int32]
    """[x] ascending"""
    objects: NDArray[np.int32]
    """[x]"""


@kernel
def fill_references(records, pages, thread_locals, first, last, spare, before, starts, edges):
    """Write references from object `first` on, in field and element order, nulls and dangling ids left out.

    Args:
        records: `Records`.
        pages: `Pages`.
        thread_locals: `ThreadLocals`.
        first, last: the slice of objects.
        spare: the most references that an object may have besides fields or elements: statics and thread locals.
        before: edges that this slice has already, in other chunks.
        starts: uint32[n + 1], out: where each row begins among the edges of the slice.
        edges: int32[], out: the chunk.

    Returns:
        (the first object not taken: `last`, or the one that needs another chunk; edges written; dangling references;
        space that the object not taken needs). O(references).
    """
    data, id_size, offsets, rows = records.data, records.id_size, records.offsets, records.rows
    layout_starts, layout_places = records.layout_starts, records.layout_places
    base, shift, directory, words = pages.base, pages.shift, pages.directory, pages.words
    extra_from, extra_to = thread_locals.threads, thread_locals.objects
    dangling = 0
    edge = 0
    extra = np.searchsorted(extra_from, first)
    for i in range(first, last):
        at = offsets[i]
        tag = data[at]
        room = spare
        if tag == 0x21:
            room += layout_starts[rows[i] + 1] - layout_starts[rows[i]]
        elif tag == 0x22:
            room += u4(data, at + 5 + id_size)
        if edge + room > edges.size:
            return i, edge, dangling, room
        starts[i] = before + edge
        if tag == 0x21:
            row = rows[i]
            body = at + 9 + 2 * id_size
            length = u4(data, body - 4)
            for p in range(layout_starts[row], layout_starts[row + 1]):
                place = layout_places[p]
                if place + id_size > length:
                    break
                wanted = identifier(data, body + place, id_size)
                if wanted != 0:
                    found = find_id(wanted, base, shift, directory, words)
                    if found >= 0:
                        edges[edge] = found
                        edge += 1
                    else:
                        dangling += 1
        elif tag == 0x22:
            length = u4(data, at + 5 + id_size)
            body = at + 9 + 2 * id_size
            for _ in range(length):
                wanted = identifier(data, body, id_size)
                body += id_size
                if wanted != 0:
                    found = find_id(wanted, base, shift, directory, words)
                    if found >= 0:
                        edges[edge] = found
                        edge += 1
                    else:
                        dangling += 1
        elif tag == 0x20:
            body = at + 5 + id_size
            for _ in range(4):
                wanted = identifier(data, body, id_size)
                body += id_size
                if wanted != 0:
                    found = find_id(wanted, base, shift, directory, words)
                    if found >= 0:
                        edges[edge] = found
                        edge += 1
                    else:
                        dangling += 1
            body += 2 * id_size + 4
            pool = (np.int64(data[body]) << 8) | np.int64(data[body + 1])
            body += 2
            for _ in range(pool):
                body += 3 + value_size(data[body + 2], id_size)
            count = (np.int64(data[body]) << 8) | np.int64(data[body + 1])
            body += 2
            for _ in range(count):
                kind = data[body + id_size]
                if kind == 2:
                    wanted = identifier(data, body + id_size + 1, id_size)
                    if wanted != 0:
                        found = find_id(wanted, base, shift, directory, words)
                        if found >= 0:
                            edges[edge] = found
                            edge += 1
                        else:
                            dangling += 1
                body += id_size + 1 + value_size(kind, id_size)
        while extra < extra_from.size and extra_from[extra] == i:
            edges[edge] = extra_to[extra]
            edge += 1
            extra += 1
    return last, edge, dangling, 0

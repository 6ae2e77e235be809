"""Strings with their hashes, read where they stand in the file, and groups of those that say the same."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.equal_texts import (
    HashedTexts,
    StringFields,
    TextFilter,
    group_hashes,
    hash_texts,
    sum_repeats,
)
from mqdiag.graph.waste.sample import LARGE_BYTES, instances_in_slices
from mqdiag.read.hprof.distinct import is_in
from mqdiag.read.hprof.process_secret import FACTOR, START

_ALL = 1 << 62
"""more bytes than any text has"""
SLOT_BITS = 16
"""upper half of a draw, by which a frequent text is found"""
NO_SLOTS = np.full(1 << SLOT_BITS, -1, np.int16)
ALL_KEPT = TextFilter(0, 0, NO_SLOTS)
_PART_BITS = 9
"""log2 of the hashes in a part that is counted at once"""


class Texts(msgspec.Struct):
    """Strings that were read, their hashes, the units that would go with each, and the numbers to draw by."""

    nodes: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    weights: NDArray[np.uint32]
    draws: NDArray[np.uint32]

    def at(self, places: NDArray[np.bool_]) -> Texts:
        """Some of them."""
        return Texts(self.nodes[places], self.hashes[places], self.weights[places], self.draws[places])

    @staticmethod
    def together(parts: list[Texts]) -> Texts:
        """All of several."""
        if len(parts) == 1:
            return parts[0]
        columns = zip(*((one.nodes, one.hashes, one.weights, one.draws) for one in parts), strict=True)
        return Texts(*(np.concatenate(column) for column in columns))


class Groups(msgspec.Struct):
    """Texts that occur more than once. `of` int32[k]: the group of each string, -1 for none; the others by group.

    The groups are in an order that the hashes decide, another one in each process.
    """

    of: NDArray[np.int32]
    examples: NDArray[np.int32]
    counts: NDArray[np.int64]
    wasted: NDArray[np.int64]
    """units of all but the largest one"""


class Repeats(msgspec.Struct):
    """Texts that occur more than once, in units of the heap's alignment."""

    strings: int
    repeated: int
    wasted: int
    examples: NDArray[np.int32]
    """a string of each text; some of all texts where texts or strings were drawn"""
    counts: NDArray[np.int64]
    wasted_by_text: NDArray[np.int64]
    members: NDArray[np.int32]
    """strings that repeat another one, or an even part of them"""
    texts_of_members: NDArray[np.int32]
    """places in `examples`"""
    error: int | None = None
    """units that `wasted` is off by in at most 5 % of all cases; None where nothing was drawn"""
    drawn_one_in: int = 1


def rows_of_strings(heap: Heap) -> list[int]:
    """Classes of strings that refer to their array and to nothing else."""
    starts = heap.dump.classes.layout_starts
    return [
        row
        for row in heap.classes.indices_named("java.lang.String")
        if int(starts[row + 1] - starts[row]) == 1 and heap.classes.has_field(row, "value")
    ]


def arrays_met(heap: Heap) -> NDArray[np.uint8]:
    """A bit for each object, for `read`: whether a string had it before."""
    return np.zeros((heap.count >> 3) + 1, np.uint8)


def read(
    heap: Heap,
    rows: list[int],
    nodes: NDArray[np.int32],
    met: NDArray[np.uint8],
    bits: int = 0,
    most: int = LARGE_BYTES,
    kept: TextFilter = ALL_KEPT,
) -> tuple[Texts, int, int]:
    """(the reachable ones of some strings, how many were read, their units).

    Args:
        heap: the graph.
        rows: their classes.
        nodes: the strings.
        met: `arrays_met`, in and out.
        bits: one string in 2 ** bits is taken.
        most: bytes of a text that are read: of a longer one the two ends; all of it only if another one is alike.
        kept: which texts are in the result.
    """
    parts, sums = [], np.zeros(2, np.int64)
    for row in rows:
        mine = nodes if len(rows) == 1 else nodes[heap.index.rows[nodes] == row]
        places = [heap.classes.field_place(row, name) for name in ("coder", "offset", "count")]
        fields = StringFields(*(place[0] if place else -1 for place in places))
        hashed = HashedTexts(
            np.empty(mine.size, np.int32),
            np.empty(mine.size, np.uint64),
            np.empty(mine.size, np.uint32),
            np.empty(mine.size, np.uint32),
        )
        found = hash_texts(heap.arrays, mine, fields, bits, most, START, FACTOR, kept, met, sums, hashed)
        parts.append(
            Texts(hashed.chosen[:found], hashed.hashes[:found], hashed.weights[:found], hashed.draws[:found])
        )
    return Texts.together(parts), int(sums[0]), int(sums[1])


def read_all(heap: Heap, rows: list[int], bits: int) -> tuple[int, Texts]:
    """(number of strings, reachable or not; one in 2 ** bits of those that are reachable)."""
    met = arrays_met(heap)
    strings, parts = 0, []
    for nodes in instances_in_slices(heap, rows):
        strings += nodes.size
        texts, _, _ = read(heap, rows, nodes, met, bits)
        parts.append(texts.at(np.ones(texts.nodes.size, bool)))  # a copy: what is read has room for all
    return strings, Texts.together(parts)


def grouped(hashes: NDArray[np.uint64], weights: NDArray[np.uint32]) -> Groups:
    """Those with equal hashes."""
    size = hashes.size
    bits = max((size >> _PART_BITS).bit_length(), 1)
    groups, examples = np.empty(size, np.int32), np.empty(size // 2, np.int32)
    count = group_hashes(
        hashes, bits, np.zeros((1 << bits) + 1, np.int64), np.empty(size, np.uint64), np.empty(size, np.int32),
        np.empty(max(1 << (2 * size).bit_length(), 4), np.int32), groups, examples,
    )  # fmt: skip
    counts, wasted, largest = (np.zeros(count, np.int64) for _ in range(3))
    sum_repeats(groups, weights, counts, wasted, largest)
    return Groups(groups, examples[:count], counts, wasted)


def compared_whole(heap: Heap, rows: list[int], texts: Texts) -> Groups:
    """Groups of texts that are the same to the last character."""
    groups = grouped(texts.hashes, texts.weights)
    heavy = groups.of[texts.weights > LARGE_BYTES // heap.sizes.alignment]
    heavy = heavy[heavy >= 0]
    if not heavy.size:
        return groups
    long = np.flatnonzero(is_in(groups.of, heavy))
    whole, _, _ = read(heap, rows, texts.nodes[long], arrays_met(heap), most=_ALL)
    if len(rows) == 1:
        texts.hashes[long] = whole.hashes
    else:
        order = np.argsort(texts.nodes[long], kind="stable")
        texts.hashes[long[order]] = whole.hashes[np.argsort(whole.nodes, kind="stable")]
    return grouped(texts.hashes, texts.weights)

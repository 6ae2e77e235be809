"""Repeats among very many strings: each is read once, and a part is kept.

A sample of strings cannot tell how many repeat another one: a pair is in it only when both are. So texts are drawn, not
strings: all strings of a drawn text are kept, and a drawn text stands for many others that occur as rarely. Of the few
that occur very often no sample is right: these are known from a first sample, and each of their strings is counted.
Long texts are all kept, for a heap has no room for many.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.equal_texts import TextFilter
from mqdiag.graph.waste.read_texts import (
    NO_SLOTS,
    SLOT_BITS,
    Groups,
    Repeats,
    Texts,
    arrays_met,
    compared_whole,
    read,
)
from mqdiag.graph.waste.sample import LARGE_BYTES, OF_NORMAL, instances_in_slices

KEPT = 1 << 17
"""about the strings that are kept"""
_OFTEN = 4
"""times that a text is in the first sample if each of its strings is counted"""
_MIXED = np.uint32(0x9E3779B9)


class _Often:
    """Texts that occur very often, found by the number to draw by."""

    def __init__(self, heap: Heap, sampled: Texts, groups: Groups) -> None:
        fit = np.flatnonzero((groups.counts >= _OFTEN) & ~_are_long(heap, sampled, groups))
        nodes = sampled.nodes[groups.examples[fit]]
        fit = fit[np.lexsort((nodes, -groups.counts[fit]))]
        slots = sampled.draws[groups.examples[fit]] >> np.uint32(32 - SLOT_BITS)
        _, first = np.unique(slots, return_index=True)  # of two with one slot the more frequent one
        first.sort()
        self.slots = NO_SLOTS.copy()
        self.slots[slots[first]] = np.arange(first.size)
        self.examples = sampled.nodes[groups.examples[fit[first]]]
        self.hashes = np.append(sampled.hashes[groups.examples[fit[first]]], np.uint64(0))
        self.counts, self.sums, self.largest = (np.zeros(first.size, np.int64) for _ in range(3))

    def take(self, texts: Texts) -> NDArray[np.int16]:
        """Count strings; int16[k]: the place of the text of each, -1 for all others."""
        found: NDArray[np.int16] = self.slots[texts.draws >> np.uint32(32 - SLOT_BITS)]
        found[self.hashes[found] != texts.hashes] = -1
        mine = found >= 0
        places, weights = found[mine], texts.weights[mine]
        self.counts += np.bincount(places, minlength=self.counts.size)
        self.sums += np.bincount(places, weights, self.sums.size).astype(np.int64)
        larger = weights > self.largest[places]
        np.maximum.at(self.largest, places[larger], weights[larger])
        return found


def _are_long(heap: Heap, texts: Texts, groups: Groups) -> NDArray[np.bool_]:
    """For each group whether it takes more than is read of a text at once."""
    largest = np.zeros(groups.counts.size, np.int64)
    mine = groups.of >= 0
    np.maximum.at(largest, groups.of[mine], texts.weights[mine])
    return largest > LARGE_BYTES // heap.sizes.alignment


def drawn_repeats(heap: Heap, rows: list[int], sampled: Texts, groups: Groups, strings: int) -> Repeats:
    """Repeats among all strings, by one pass over them.

    Args:
        heap: the graph.
        rows: classes of strings.
        sampled: strings of a first sample.
        groups: those of them that say the same.
        strings: how many there are, reachable or not.
    """
    often = _Often(heap, sampled, groups)
    bits = max((strings // KEPT).bit_length() - 1, 1)
    long = LARGE_BYTES // heap.sizes.alignment
    kept = TextFilter((1 << bits) - 1, long, often.slots)
    mask = np.uint32(kept.mask)
    met = arrays_met(heap)
    count, units, rare = 0, 0, []
    members, places = [], []
    for nodes in instances_in_slices(heap, rows):
        texts, read_now, units_now = read(heap, rows, nodes, met, kept=kept)
        count, units = count + read_now, units + units_now
        found = often.take(texts)
        rare.append(texts.at((found < 0) & ((texts.weights > long) | (texts.draws & mask == 0))))
        some = (found >= 0) & (texts.nodes.astype(np.uint32) * _MIXED >> np.uint32(32 - bits) == 0)
        members.append(texts.nodes[some])
        places.append(found[some].astype(np.int32))
    drawn = Texts.together(rare)
    alike = compared_whole(heap, rows, drawn)
    repeats = alike.of >= 0
    times = np.where(_are_long(heap, drawn, alike), 1, 1 << bits)
    # texts with the same number are drawn together
    _, number = np.unique(drawn.draws[alike.examples], return_inverse=True)
    variance = float((np.bincount(number, alike.wasted * np.sqrt(times * (times - 1.0))) ** 2).sum())
    counted = often.counts > 1
    wasted = np.where(counted, often.sums - often.largest, 0)
    repeated = (often.counts[counted] - 1).sum() + ((alike.counts - 1) * times).sum()
    return Repeats(
        strings=count,
        # no estimate is beyond what is there
        repeated=min(int(repeated), count - int(counted.sum()) - alike.counts.size),
        wasted=min(int(wasted.sum() + (alike.wasted * times).sum()), units),
        examples=np.concatenate((often.examples, drawn.nodes[alike.examples])),
        counts=np.concatenate((often.counts, alike.counts)),
        wasted_by_text=np.concatenate((wasted, alike.wasted)),
        members=np.concatenate((*members, drawn.nodes[repeats])),
        texts_of_members=np.concatenate((*places, alike.of[repeats] + often.counts.size)),
        error=math.ceil(OF_NORMAL * math.sqrt(variance)),
        drawn_one_in=1 << bits,
    )

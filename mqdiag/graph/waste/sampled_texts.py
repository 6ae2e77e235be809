"""Repeats by a sample of strings, where it decides: each text is frequent enough to be counted so, or hardly matters.

A sample tells well how often a frequent text occurs. Of a text that is in it two or three times it does not: that may
be two strings or a thousand. What such texts take at most, and what may have escaped the sample, is part of the error,
and where that is large the sample does not decide. Long texts are few, so that all of their two ends are looked at.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.graph.waste.read_texts import Groups, Repeats, Texts, arrays_met, compared_whole, read, read_all
from mqdiag.graph.waste.sample import LARGE_BYTES, OF_NORMAL, UNSEEN, owners_of_large_arrays, sample_bits

DRAWN = 1 << 15
"""about the least short strings in a sample, and long ones"""
OFTEN = 8
"""times that a text is in the sample if the sample tells how often it occurs"""
DECIDES = 0.1
"""share of the estimate that its error is at most, for a sample that decides"""
_END_BYTES = 256
"""bytes of a long text that are read first"""


class Part(msgspec.Struct):
    """Short or long strings of a sample; each stands for `times`."""

    texts: Texts
    groups: Groups
    times: int

    def most(self) -> NDArray[np.float64]:
        """Units that the repeats of each group take at most, about: a pair stands for the square of what a string does.

        That is right for pairs alone; there are more of what occurs more often.
        """
        counts = self.groups.counts
        stands_for = np.where(counts == 2, self.times**2, counts * self.times - 1)
        return stands_for * self.groups.wasted / np.maximum(counts - 1, 1)

    def estimates(self) -> NDArray[np.int64]:
        """Units that the repeats of each group take if it is there as often as in the sample."""
        mine = self.groups.of >= 0
        sums = np.bincount(self.groups.of[mine], self.texts.weights[mine], self.groups.counts.size).astype(
            np.int64
        )
        return self.times * sums - (sums - self.groups.wasted)


class Sample(msgspec.Struct):
    """Reachable strings that were drawn, the short ones first."""

    strings: int
    """all of the heap, reachable or not"""
    short: Part
    long: Part

    def most_units(self) -> int:
        """Units that repeats take at most, about."""
        most = np.concatenate((self.short.most(), self.long.most()))
        units = sum(
            int(part.texts.weights.sum(dtype=np.int64)) * part.times for part in (self.short, self.long)
        )
        return min(int(np.sort(most).sum()), units)  # sorted, since sums of fractions depend on the order


def read_sample(heap: Heap, rows: list[int], bits: int) -> Sample:
    """One in 2 ** bits of the short strings, and of the long ones all or many."""
    strings, texts = read_all(heap, rows, bits)
    short = texts.at(texts.weights <= LARGE_BYTES // heap.sizes.alignment)
    arrays = [row for name in ("byte[]", "char[]") for row in heap.classes.indices_named(name)]
    nodes = owners_of_large_arrays(heap, rows, arrays)
    fewer = sample_bits(nodes.size, DRAWN)
    long, _, _ = read(heap, rows, nodes, arrays_met(heap), fewer, _END_BYTES)
    return Sample(
        strings,
        Part(short, compared_whole(heap, rows, short), 1 << bits),
        Part(long, compared_whole(heap, rows, long), 1 << fewer),
    )


def sampled_repeats(heap: Heap, sample: Sample) -> Repeats | None:
    """Repeats among all strings, estimated from the sample; None where that does not decide."""
    parts = (sample.short, sample.long)
    estimates = [part.estimates() for part in parts]
    wasted = sum(int(each.sum()) for each in estimates)
    error = sum(_error(heap, part) for part in parts)
    if error > DECIDES * wasted:
        return None
    sizes = [part.groups.counts.size for part in parts]
    repeated = [part.groups.of >= 0 for part in parts]
    return Repeats(
        strings=sum(part.texts.nodes.size * part.times for part in parts),
        repeated=sum(int((part.groups.counts * part.times - 1).sum()) for part in parts),
        wasted=wasted,
        examples=np.concatenate([part.texts.nodes[part.groups.examples] for part in parts]),
        counts=np.concatenate([part.groups.counts * part.times for part in parts]),
        wasted_by_text=np.concatenate(estimates),
        members=np.concatenate([part.texts.nodes[some] for part, some in zip(parts, repeated, strict=True)]),
        texts_of_members=np.concatenate(
            (sample.short.groups.of[repeated[0]], sample.long.groups.of[repeated[1]] + sizes[0])
        ),
        error=math.ceil(error),
        drawn_one_in=sample.short.times,
    )


def _error(heap: Heap, part: Part) -> float:
    """Units that the estimate of a part is off by in at most 5 % of all cases."""
    times, groups = part.times, part.groups
    if times == 1:
        return 0.0
    weights = part.texts.weights.astype(np.float64)
    # what is there often: each string of it is drawn or not
    members = np.flatnonzero(groups.of >= 0)
    members = members[groups.counts[groups.of[members]] >= OFTEN]
    drawn = OF_NORMAL * math.sqrt(times * (times - 1) * float((weights[members] ** 2).sum()))
    typical = float((weights**2).sum() / max(weights.sum(), 1.0))
    return (
        drawn
        + _at_most(part.most()[groups.counts < OFTEN])
        + _at_most(_shared(heap, part))
        + 2 * UNSEEN * times * (times - 1) * typical  # repeats, and arrays that several strings have
    )


def _at_most(units: NDArray[np.float64]) -> float:
    """A sum of estimates that are too high, each with an error of its own size."""
    return float(np.sort(units).sum()) + OF_NORMAL * math.sqrt(float(np.sort(units**2).sum()))


def _shared(heap: Heap, part: Part) -> NDArray[np.float64]:
    """Units by which each array that several strings have was counted too often, at most."""
    graph = heap.references
    arrays, counts = np.unique(graph.edges[graph.starts[part.texts.nodes]], return_counts=True)
    arrays, counts = arrays[counts > 1], counts[counts > 1]
    stands_for = np.where(counts == 2, part.times**2, np.where(counts < OFTEN, counts * part.times, part.times))
    return stands_for * heap.sizes.units[arrays].astype(np.float64)

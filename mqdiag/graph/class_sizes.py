"""Sizes of the instances of each class, by what the JVM says of its fields and by how far apart the objects are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.index import ObjectIndex
from mqdiag.graph.kernels import size_gaps as kernel
from mqdiag.read.hprof.classes import ClassRecords

ENOUGH = 5
"""instances with the same distance that settle a class's size"""
LEAST_BLOCK = 24
"""bytes of the smallest free block of CMS, and so of what it gives for an object of 16 bytes"""
LEAST_BLOCK_SHARE = 0.25
"""share of the classes of 16 bytes that no gap shows to be so small"""
_MAX_PADDING, _LEAST_PADDING = 1024, 64
_PADDED = (
    "java.lang.Thread",
    "java.util.concurrent.ConcurrentHashMap$CounterCell",
    "java.util.concurrent.Exchanger$Node",
    "java.util.concurrent.ForkJoinPool",
    "java.util.concurrent.ForkJoinPool$WorkQueue",
    "java.util.concurrent.SubmissionPublisher$BufferedSubscription",
    "java.util.concurrent.atomic.Striped64$Cell",
)
"""the JDK's @Contended classes: of them a single instance is believed to be hundreds of bytes larger than its fields"""


class Gaps(NamedTuple):
    """How far the next object is behind those of each class, of which many have one size."""

    mode: NDArray[np.int64]
    """bytes of the most frequent gap; 0 where none is known"""
    votes: NDArray[np.int64]
    """objects that have it"""
    total: NDArray[np.int64]
    """objects before a gap that is no hole"""
    least: NDArray[np.int64]
    """bytes of the smallest gap, which no instance can exceed"""

    @property
    def agree(self) -> NDArray[np.bool_]:
        """The classes of which enough objects have one gap."""
        agree: NDArray[np.bool_] = (self.votes >= ENOUGH) & (2 * self.votes >= self.total)
        return agree


def gaps_of(count: int, index: ObjectIndex, ids: NDArray[np.uint64], shift: int | None, alignment: int) -> Gaps:
    """What the addresses show of each class; nothing where they have no alignment.

    Args:
        count: of classes.
        index: the objects.
        ids: uint64[n], theirs.
        shift: of the alignment in bits; None where the addresses have none.
        alignment: in bytes.
    """
    histogram = np.zeros((count, kernel.BINS), np.uint32)
    if shift is not None:
        kernel.gap_counts(ids, index.rows, shift, histogram)
    histogram[:, 0] = 0
    return Gaps(
        histogram.argmax(axis=1).astype(np.int64) * alignment,
        histogram.max(axis=1).astype(np.int64),
        histogram.sum(axis=1).astype(np.int64),
        (histogram != 0).argmax(axis=1).astype(np.int64) * alignment,
    )


def without_least_blocks(gaps: Gaps, formula: NDArray[np.int64], of_one_size: NDArray[np.bool_]) -> Gaps:
    """The gaps where the collector gives no object less than 24 bytes, as CMS does: those of 24 teach nothing.

    Args:
        gaps: what the addresses show.
        formula: bytes of an instance by its fields.
        of_one_size: the classes whose instances all have one size.
    """
    small = of_one_size & (formula < LEAST_BLOCK) & (gaps.votes > 0)
    apart = small & (gaps.least == LEAST_BLOCK)
    if apart.sum() < LEAST_BLOCK_SHARE * small.sum() or apart.sum() < ENOUGH:
        return gaps
    return gaps._replace(mode=np.where(small & (gaps.mode == LEAST_BLOCK), formula, gaps.mode))


def instance_sizes(
    classes: ClassRecords, gaps: Gaps, formula: NDArray[np.int64], floor: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Bytes of an instance of each class: by the formula, and by the gaps where the JVM adds to it."""
    mode, votes, total, _ = gaps
    depth = _depths(classes.superclass)
    # Fields that the JVM injects, and holes between superclasses (JDK 14 and older), add a little; the padding of
    # @Contended adds hundreds of bytes, and every subclass inherits it.
    contended = gaps.agree & (mode >= formula) & (mode <= formula + _MAX_PADDING)
    padded = np.isin(classes.names, _PADDED) & (2 * votes >= total) & (votes > 0)
    contended |= padded & (mode >= formula + _LEAST_PADDING) & (mode <= formula + _MAX_PADDING)
    sizes_by_row = np.where(contended, mode, formula)
    for level in range(1, int(depth.max(initial=0)) + 1):
        below = np.flatnonzero((depth == level) & ~contended)
        above = classes.superclass[below]
        sizes_by_row[below] = formula[below] + (sizes_by_row[above] - formula[above])
    near = (votes > 0) & (mode >= floor) & (mode <= sizes_by_row + 8 * depth)
    # A lone instance may stand before a hole: more than one injected field is not believed of it, and of class loaders,
    # of which each has one, not more than that behind a hole of old layouts.
    slack = np.where(_descend_from(classes, "java.lang.ClassLoader"), 16, 8)
    believed = (votes >= ENOUGH) | ((mode >= sizes_by_row) & (mode <= sizes_by_row + slack))
    return np.where(near & ~contended & believed, mode, sizes_by_row)


def _descend_from(classes: ClassRecords, name: str) -> NDArray[np.bool_]:
    """Whether a class is below this one."""
    found = np.zeros(classes.count, bool)
    if name not in classes.names:
        return found
    root = classes.names.index(name)
    above = classes.superclass.copy()
    for _ in range(256):
        found |= above == root
        if not (above >= 0).any():
            break
        above = np.where(above >= 0, classes.superclass[above], -1)
    return found


def _depths(superclass: NDArray[np.int32]) -> NDArray[np.int64]:
    depth = np.zeros(superclass.size, np.int64)
    above = superclass.copy()
    for _ in range(256):
        rows = np.flatnonzero(above >= 0)
        if rows.size == 0:
            break
        depth[rows] += 1
        above[rows] = superclass[above[rows]]
    return depth

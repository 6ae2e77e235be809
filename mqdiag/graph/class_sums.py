"""Objects and bytes of each class of a dump."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.dominance import Dominance
from mqdiag.graph.index import ObjectIndex
from mqdiag.graph.kernels.dominators import retained_by_group
from mqdiag.graph.kernels.row_counts import sum_by_row
from mqdiag.graph.shallow import SizeModel


class ClassSums(NamedTuple):
    """Objects of each class of the dump, their shallow bytes, and what they retain together; int64[class rows]."""

    instances: NDArray[np.int64]
    shallow_bytes: NDArray[np.int64]
    retained_bytes: NDArray[np.int64]


def count_and_size(
    index: ObjectIndex, sizes: SizeModel, rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(objects, their shallow bytes) of each of so many class rows; O(objects)."""
    counts, units = (np.zeros(rows, np.int64) for _ in range(2))
    sum_by_row(index.rows, sizes.units, counts, units)
    return counts, units * sizes.alignment


def retained_of_groups(
    index: ObjectIndex, tree: Dominance, group: NDArray[np.int32], groups: int
) -> NDArray[np.int64]:
    """Bytes that are freed with all objects of each group of classes; O(objects).

    Args:
        index: the objects.
        tree: their dominators.
        group: int32[class rows], the group of each class.
        groups: how many there are.
    """
    retained, room = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    retained_by_group(tree.order, tree.dominated, tree.prefix, index.rows, group, retained, room)
    return retained * tree.alignment

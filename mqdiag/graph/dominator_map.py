"""The upper part of the dominator tree as boxes in boxes, for pictures and for comparing dumps."""

from __future__ import annotations

import numpy as np

from mqdiag.facts.heap_classes import DominatorBox
from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.row_counts import sum_children
from mqdiag.graph.paths import describe

MIN_SHARE = 0.01
"""share of the reachable bytes, for an object or a class to have a box of its own"""
DEPTH = 3
MOST_IN_A_BOX = 12
MOST = 200


def dominator_boxes(heap: Heap) -> tuple[DominatorBox, ...]:
    """Large dominators, and below each what it dominates; small objects are summed by class.

    What is in no box of its own is the rest of the box around it. A parent stands before its children.
    """
    tree = heap.dominance
    least = max(int(tree.total_bytes * MIN_SHARE), 1)
    boxes: list[DominatorBox] = []
    waiting: list[tuple[int, int | None, int]] = [(0, None, 0)]
    while waiting and len(boxes) < MOST:
        place, parent, depth = waiting.pop(0)
        heavy = _heavy(heap, place, least)
        for child in heavy:
            node = int(tree.order[child])
            boxes.append(
                DominatorBox(
                    parent=parent,
                    name=describe(heap, node) if node in heap.class_of_node else heap.class_name(node),
                    object_id=f"0x{heap.object_id(node):x}",
                    objects=1,
                    retained_bytes=int(tree.retained(np.array([child], np.int32))[0]),
                )
            )
            if depth + 1 < DEPTH:
                waiting.append((child, len(boxes) - 1, depth + 1))
        boxes += _by_class(heap, place, parent, least, heavy)
    return tuple(boxes[:MOST])


def _heavy(heap: Heap, place: int, least: int) -> list[int]:
    tree = heap.dominance
    _, heavy = tree.heavy_children(place, least)
    largest: list[int] = heavy[np.argsort(-tree.retained(heavy), kind="stable")][:MOST_IN_A_BOX].tolist()
    return largest


def _by_class(heap: Heap, place: int, parent: int | None, least: int, heavy: list[int]) -> list[DominatorBox]:
    """Children that have no box, summed by their class where that is much."""
    tree = heap.dominance
    counts, units = np.zeros(heap.classes.count, np.int64), np.zeros(heap.classes.count, np.int64)
    sum_children(tree.dominated, tree.prefix, tree.order, heap.index.rows, place, counts, units)
    for child in heavy:
        row = int(heap.index.rows[tree.order[child]])
        counts[row] -= 1
        units[row] -= int(tree.retained(np.array([child], np.int32))[0]) // tree.alignment
    sums = units * tree.alignment
    rows = np.flatnonzero(sums >= least)
    rows = rows[np.argsort(-sums[rows], kind="stable")][: MOST_IN_A_BOX - len(heavy)]
    return [
        DominatorBox(
            parent=parent,
            name=heap.classes.names[row],
            object_id=None,
            objects=int(counts[row]),
            retained_bytes=int(sums[row]),
        )
        for row in rows.tolist()
    ]

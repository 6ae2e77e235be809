"""Many small objects of one class that several holders share: only a class loader or the roots dominate them."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np

from mqdiag.graph.heap import Heap, Nodes
from mqdiag.graph.holders.naming import Name, own_steps
from mqdiag.graph.holders.own_classes import is_application, is_library, named_classes
from mqdiag.graph.kernels.row_counts import sum_children
from mqdiag.graph.paths import edge_name

_SAMPLE = 24
_HOLDERS = 2
_LEAST_SHARE = 0.3
"""share of the samples that have a holder, for it to be named"""


class SharedObjects(msgspec.Struct, frozen=True, kw_only=True):
    """Objects of one class under one place of the dominator tree, and the fields that lead to most of them."""

    class_name: str
    objects: int
    retained_bytes: int
    example: int
    name: Name
    also: tuple[str, ...]


def shared_objects(heap: Heap, place: int, least_bytes: int) -> list[SharedObjects]:
    """Classes whose instances retain much together directly below a class loader or the roots."""
    tree = heap.dominance
    counts, units = np.zeros(heap.classes.count, np.int64), np.zeros(heap.classes.count, np.int64)
    sum_children(tree.dominated, tree.prefix, tree.order, heap.index.rows, place, counts, units)
    _, large = tree.heavy_children(place, least_bytes)
    large_rows = heap.index.rows[tree.order[large]]
    # each of these is an accumulation point by itself
    np.subtract.at(counts, large_rows, 1)
    np.subtract.at(units, large_rows, tree.retained(large) // tree.alignment)
    sums = units * tree.alignment
    passed = {*heap.index.rows[list(heap.class_of_node)].tolist()}
    for name in ("java.lang.Thread", "java.lang.ClassLoader"):
        passed |= set(heap.classes.subclasses(heap.classes.indices_named(name)).tolist())
    found = []
    for row in np.flatnonzero((sums >= least_bytes) & (counts > 1)).tolist():
        if row not in passed:
            nodes = _sample(heap, place, row)
            one = _named(heap, nodes, row, int(counts[row]), int(sums[row]))
            found += [] if one is None else [one]
    return found


def _sample(heap: Heap, place: int, row: int) -> Nodes:
    tree = heap.dominance
    nodes = heap.instances([row], subclasses=False)
    nodes = nodes[heap.reachable(nodes)]
    nodes = nodes[tree.dominator[tree.numbers[nodes]] == place]
    nodes = nodes[np.argsort(-heap.retained_sizes(nodes), kind="stable")]
    sample: Nodes = nodes[np.linspace(0, nodes.size - 1, min(_SAMPLE, nodes.size)).astype(np.int64)]
    return sample


def _named(heap: Heap, nodes: Nodes, row: int, count: int, retained: int) -> SharedObjects | None:
    """The objects with the fields that lead to many of them; None where each has another holder."""
    labels: Counter[str] = Counter()
    ways: dict[str, tuple[list[int], int]] = {}
    positions, holders = heap.referrers(nodes)
    seen: set[tuple[int, str]] = set()
    for position, holder in zip(positions.tolist(), holders.tolist(), strict=True):
        way = [*heap.path_nodes(holder), int(nodes[position])]
        if (heap.index.rows[way[:-1]] == row).any():
            # what is inside such an object, or another one of them, refers back to it
            continue
        at = _named_holder(heap, way)
        label = None if at is None else edge_name(heap, way[at], way[at + 1])
        if at is not None and label is not None and (position, label) not in seen:
            seen.add((position, label))
            labels[label] += 1
            ways.setdefault(label, (way, at))
    common = [label for label, times in labels.most_common(_HOLDERS) if times >= _LEAST_SHARE * nodes.size]
    if not common:
        return None
    first = int(nodes[0])
    return SharedObjects(
        class_name=heap.classes.names[row],
        objects=count,
        retained_bytes=retained,
        example=first,
        name=Name(
            label=common[0],
            kind="shared-objects",
            held=first,
            path=own_steps(heap, *ways[common[0]]),
            holder_class=common[0].rpartition(".")[0],
        ),
        also=tuple(common[1:]),
    )


def _named_holder(heap: Heap, way: list[int]) -> int | None:
    """Where on a way the application's class nearest to its end is; a library's where there is none."""
    names = named_classes(heap, way[:-1])
    for test in (is_application, is_library):
        for at in range(len(names) - 1, -1, -1):
            if test(names[at]):
                return at
    return None

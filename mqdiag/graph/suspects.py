"""Accumulation points: the objects in which retained weight really sits.

The largest dominator is often a class loader or a thread, which says nothing. From each large top-level dominator the
search goes down to where the weight stops being in one child, and stops before a linked chain.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from mqdiag.facts.heap import Suspect
from mqdiag.facts.vocabulary import HolderOwner
from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.row_counts import sum_inside
from mqdiag.graph.paths import describe, edge_name, steps_of
from mqdiag.graph.readable_path import JDK, is_named, named_class, readable_path

MIN_SHARE = 0.05
"""of the reachable bytes"""
MOST = 10
_BIG_DROP = 0.7
"""a child that keeps this share of its parent's weight is where the weight is"""
_TRANSPARENT = ("java.lang.ClassLoader", "java.lang.Thread", "java.lang.Class")
_WORTH_A_PASS = 0.3
"""share of the reachable bytes from which a better name is worth a pass over all references"""
_HOLDS = 5


def suspects(heap: Heap, is_rocketmq: Callable[[str], bool]) -> tuple[Suspect, ...]:
    """Objects that retain much, largest first.

    Args:
        heap: the graph.
        is_rocketmq: tells RocketMQ's own classes by name.
    """
    tree = heap.dominance
    total = tree.total_bytes
    least = max(int(total * MIN_SHARE), 1)
    search = _Search(heap, least)
    top = tree.top_level()
    weights = tree.retained(top)
    top, weights = top[weights >= least], weights[weights >= least]
    points: dict[int, None] = {}
    for number in top[np.argsort(-weights)].tolist():
        for point in search.down(number):
            points[point] = None
    found = np.array(list(points), np.int32)
    largest = found[np.argsort(-tree.retained(found), kind="stable")][:MOST]
    return tuple(_suspect(heap, number, total, is_rocketmq) for number in largest.tolist())


class _Search:
    """The way down the dominator tree."""

    def __init__(self, heap: Heap, least: int) -> None:
        self._heap = heap
        self._tree = heap.dominance
        self._least = least
        rows = [row for name in _TRANSPARENT for row in heap.classes.indices_named(name)]
        self._transparent = np.zeros(heap.classes.count, bool)
        self._transparent[heap.classes.subclasses(rows)] = True

    def down(self, number: int) -> list[int]:
        """Accumulation points at or below a large dominator."""
        found = []
        waiting = [number]
        while waiting:
            at = waiting.pop()
            way = [at]
            while True:
                here = way[-1]
                heaviest, large = self._tree.heavy_children(here, self._least)
                if not large.size:
                    found.append(here)
                    break
                if self._transparent[self._row(here)] and large.size > 1:
                    waiting += large.tolist()
                    break
                whole = self._transparent[self._row(here)]
                if not whole and self._weight(heaviest) < _BIG_DROP * self._weight(here):
                    found.append(here)
                    break
                if self._is_chain(way, heaviest):
                    found.append(self._before_chain(way, heaviest))
                    break
                way.append(heaviest)
        return found

    def _weight(self, number: int) -> int:
        return int(self._tree.retained(np.array([number], np.int32))[0])

    def _row(self, number: int) -> int:
        return int(self._heap.index.rows[self._tree.order[number]])

    def _is_chain(self, way: list[int], following: int) -> bool:
        """The same class three times on the way down: links of a list, whatever stands between them."""
        row = self._row(following)
        return sum(self._row(number) == row for number in way) >= 2

    def _before_chain(self, way: list[int], following: int) -> int:
        row = self._row(following)
        first = next(i for i, number in enumerate(way) if self._row(number) == row)
        return way[max(first - 1, 0)]


def _suspect(heap: Heap, number: int, total: int, is_rocketmq: Callable[[str], bool]) -> Suspect:
    tree = heap.dominance
    node = int(tree.order[number])
    weight = int(tree.retained(np.array([number], np.int32))[0])
    way = readable_path(heap, node) if weight >= _WORTH_A_PASS * total else heap.path_nodes(node)
    return Suspect(
        class_name=describe(heap, node) if node in heap.class_of_node else heap.class_name(node),
        object_id=f"0x{heap.object_id(node):x}",
        retained_bytes=weight,
        share=weight / total if total else 0.0,
        path=tuple(steps_of(heap, way)),
        owner=_owner(heap, number, way, is_rocketmq),
        holds=_contents(heap, number),
        label=_label(heap, number, way),
    )


def _label(heap: Heap, number: int, way: list[int]) -> str:
    """The field that a person would look for.

    The static field under which a class keeps most of its weight; else the field of the nearest class that is not the
    JDK's, on the way to the root: "Cache.ENTRIES", not the "HashMap.table" inside it.
    """
    tree = heap.dominance
    node = int(tree.order[number])
    if node in heap.class_of_node:
        heaviest, _ = tree.heavy_children(number, 0)
        return edge_name(heap, node, int(tree.order[heaviest])) if heaviest >= 0 else describe(heap, node)
    for holder, held in reversed(list(pairwise(way))):
        if is_named(heap, holder):
            return edge_name(heap, holder, held)
    holder = int(tree.dominator[number])
    return edge_name(heap, int(tree.order[holder]), node) if holder else describe(heap, node)


def _owner(heap: Heap, number: int, way: list[int], is_rocketmq: Callable[[str], bool]) -> HolderOwner:
    """Whose object it is: the nearest class of its own package on the way up to the roots."""
    tree = heap.dominance
    chain = [number]
    while tree.dominator[chain[-1]]:
        chain.append(int(tree.dominator[chain[-1]]))
    for at in chain:
        name = named_class(heap, int(tree.order[at]))
        if is_rocketmq(name):
            return "rocketmq"
        if not name.startswith(JDK) and not name.rstrip("[]").islower():
            return "application"
    for step in reversed(steps_of(heap, way)):
        name = step.split(": ", 1)[-1].removeprefix("class ").split(" -> ")[0]
        if is_rocketmq(name):
            return "rocketmq"
        if not name.startswith((*JDK, "[]", "local variable")):
            return "application"
    return "jdk"


def _contents(heap: Heap, number: int) -> tuple[str, ...]:
    """What is inside, by class: "byte[]: 120 MiB in 4,000"."""
    counts, sums = np.zeros(heap.classes.count, np.int64), np.zeros(heap.classes.count, np.int64)
    sum_inside(heap.dominance.inside(number), heap.index.rows, heap.sizes.units, counts, sums)
    bytes_by_row = sums * heap.sizes.alignment
    largest = np.argsort(-bytes_by_row)[:_HOLDS]
    return tuple(
        f"{heap.classes.names[row]}: {int(bytes_by_row[row]):,} bytes in {int(counts[row]):,}"
        for row in largest.tolist()
        if counts[row]
    )

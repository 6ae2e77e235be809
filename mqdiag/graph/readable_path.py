"""The way to an object that tells most: a listener that fills a static list has it in a local variable too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.known_holders import works_alone
from mqdiag.graph.holders.own_classes import is_application, is_library, named_class
from mqdiag.graph.kernels.breadth_first import breadth_first

_NOT_YET, _FIRST, _SHUT = -1, -2, -3
_MOST_TRIES = 3
"""of objects that turn out to hang below the object itself; each costs a search"""
_STEP = 1 << 16
"""objects expanded before it is asked whether that was far enough"""


def readable_path(heap: Heap, node: int) -> list[int]:
    """Nodes of the shortest way from a GC root, the root first; empty for an unreachable object.

    Where that way comes from a thread, and names no class of the application and no known holder that works alone, the
    way by the nearest object of the application that leads there; else by the nearest of a library. Costs a search
    over all references then.
    """
    way = heap.path_nodes(node)
    if len(way) < 2 or way[0] not in heap.references.extra_from:
        return way
    if _names(heap, way, is_application) or _names(heap, way, works_alone):
        return way
    return _by_way_of(heap, way, is_application) or _by_way_of(heap, way, is_library) or way


def _names(heap: Heap, way: list[int], test: Callable[[str], bool]) -> bool:
    return any(test(named_class(heap, at)) for at in way)


def _by_way_of(heap: Heap, way: list[int], test: Callable[[str], bool]) -> list[int]:
    """The way by the object nearest to it of such a class; empty where there is none."""
    owned = [row for row, name in enumerate(heap.classes.names) if test(name)]
    holders = heap.instances(owned, subclasses=False)
    mirrors = [node for node, row in heap.class_of_node.items() if test(heap.classes.names[row])]
    holders = np.concatenate((holders, np.array(mirrors, np.int32)))
    holders = holders[heap.reachable(holders) & ~_inside(heap, holders, way[1:])]
    for _ in range(_MOST_TRIES):
        ahead = _nearest(heap, holders, way[1:])
        if not ahead:
            break
        there = heap.path_nodes(ahead[0])
        # what hangs below the object itself refers back to it, and keeps nothing
        if there and not set(there) & set(way[1:]):
            return [*there, *ahead[1:], *way[way.index(ahead[-1]) + 1 :]]
        holders = holders[holders != ahead[0]]
    return []


def _inside(heap: Heap, nodes: NDArray[np.int32], way: list[int]) -> NDArray[np.bool_]:
    """Which nodes are on a way, or are dominated by a node on it."""
    tree = heap.dominance
    places, found = tree.numbers[nodes], np.zeros(nodes.size, bool)
    for first in tree.numbers[way].tolist():
        found |= (places >= first) & (places < first + int(tree.dominated[first]))
    return found


def _nearest(heap: Heap, holders: NDArray[np.int32], targets: list[int]) -> list[int]:
    """The shortest way from one of the holders to one of the targets; empty where there is none.

    Neither threads nor class objects nor class loaders are on it: they lead to everything.
    """
    graph = heap.references
    came_from = np.full(heap.count, _NOT_YET, np.int32)
    for name in ("java.lang.Thread", "java.lang.ClassLoader"):
        came_from[heap.instances(heap.classes.indices_named(name))] = _SHUT
    came_from[list(heap.class_of_node)] = _SHUT
    queue = np.empty(heap.count, np.int32)
    queue[: holders.size] = holders
    came_from[holders] = _FIRST
    weak = heap.instances(heap.classes.indices_named("java.lang.ref.Reference"))
    referents = heap.refs(weak, "referent")
    is_wanted = np.zeros(heap.count, bool)
    is_wanted[targets] = True
    no_classes = np.full(heap.classes.count, -1, np.int32)
    first, last = 0, holders.size
    while first < last:
        known = last
        first, last = breadth_first(
            graph.starts, graph.edges, heap.index.rows, no_classes, weak, referents,
            came_from, queue, first, last, _STEP,
        )  # fmt: skip
        met = queue[known:last][is_wanted[queue[known:last]]]
        if met.size:
            way = [int(met[0])]
            while came_from[way[-1]] >= 0:
                way.append(int(came_from[way[-1]]))
            return way[::-1]
    return []

"""The way to an object that tells most: a listener that fills a static list has it in a local variable too."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.own_classes import is_application, is_library, named_class
from mqdiag.graph.kernels.breadth_first import breadth_first
from mqdiag.knowledge.lookup import works_alone
from mqdiag.read.hprof.distinct import is_among

_NOT_YET, _FIRST, _SHUT = -1, -2, -3
_MOST_TRIES = 3
"""tries with objects that turn out to hang below the object itself; each costs a search"""
_STEP = 1 << 16
"""objects expanded before it is asked whether that was far enough"""


class _Barriers(NamedTuple):
    """Nodes that a search does not pass: threads, class objects and class loaders, which lead to everything.

    It passes weak references, but not to their referents.
    """

    shut: NDArray[np.int32]
    weak: NDArray[np.int32]
    """java.lang.ref.References, ascending"""
    referents: NDArray[np.int32]


_barriers: WeakKeyDictionary[Heap, _Barriers] = WeakKeyDictionary()
_ways: WeakKeyDictionary[Heap, dict[int, list[int]]] = WeakKeyDictionary()
"""ways that were searched for, by the node to which they lead"""


def readable_path(heap: Heap, node: int) -> list[int]:
    """Nodes of the shortest way from a GC root, the root first; empty for an unreachable object.

    Where that way comes from a thread, and names no class of the application and no known holder that works alone, the
    way by the nearest object of the application that leads there; else by the nearest of a library. Costs up to six
    searches over all references then, once for each node: the way is kept.
    """
    ways = _ways.setdefault(heap, {})
    if node not in ways:
        ways[node] = _search(heap, node)
    return ways[node]


def _search(heap: Heap, node: int) -> list[int]:
    way = heap.path_nodes(node)
    if len(way) < 2 or way[0] not in heap.references.extra_from:
        return way
    # an object of the application that only a frame has names no holder: its class is no place
    if _names(heap, way[:-1], is_application) or _names(heap, way, works_alone):
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
    begins = np.sort(tree.numbers[way])
    ends = np.maximum.accumulate(begins.astype(np.int64) + tree.dominated[begins])
    places = tree.numbers[nodes]
    nearest = np.searchsorted(begins, places, "right") - 1
    found: NDArray[np.bool_] = (nearest >= 0) & (places < ends[nearest])
    return found


def _nearest(heap: Heap, holders: NDArray[np.int32], targets: list[int]) -> list[int]:
    """The shortest way from one of the holders to one of the targets; empty where there is none."""
    graph = heap.references
    if heap not in _barriers:
        _barriers[heap] = _read_barriers(heap)
    shut, weak, referents = _barriers[heap]
    came_from = np.full(heap.count, _NOT_YET, np.int32)
    came_from[shut] = _SHUT
    wanted = np.sort(np.array(targets, np.int32))
    queue = np.empty(heap.count, np.int32)
    queue[: holders.size] = holders
    came_from[holders] = _FIRST
    no_classes = np.full(heap.classes.count, -1, np.int32)
    first, last = 0, holders.size
    while first < last:
        known = last
        first, last = breadth_first(
            graph.starts, graph.edges, heap.index.rows, no_classes, weak, referents,
            came_from, queue, first, last, _STEP,
        )  # fmt: skip
        met = queue[known:last][is_among(queue[known:last], wanted)]
        if met.size:
            way = [int(met[0])]
            while came_from[way[-1]] >= 0:
                way.append(int(came_from[way[-1]]))
            return way[::-1]
    return []


def _read_barriers(heap: Heap) -> _Barriers:
    rows = [
        row
        for name in ("java.lang.Thread", "java.lang.ClassLoader")
        for row in heap.classes.indices_named(name)
    ]
    mirrors = np.array(list(heap.class_of_node), np.int32)
    weak = heap.instances(heap.classes.indices_named("java.lang.ref.Reference"))
    return _Barriers(np.concatenate((heap.instances(rows), mirrors)), weak, heap.refs(weak, "referent"))

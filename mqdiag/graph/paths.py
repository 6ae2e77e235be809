"""Who refers to an object, and the shortest way to it from a GC root."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.kernels.breadth import breadth_first, find_referrers
from mqdiag.graph.roots import ROOT_NAMES

if TYPE_CHECKING:
    from mqdiag.graph.heap import Heap

Nodes = NDArray[np.int32]
_ROOT, _NOT_YET = -2, -1
_STEP = 1 << 16
"""objects expanded before it is asked whether that was far enough"""
_MOST_STEPS = 40
"""steps told of a path; the middle of a longer one is counted only"""


def referrers(heap: Heap, nodes: Nodes) -> tuple[NDArray[np.int64], Nodes]:
    """(position in `nodes`, referrer) over all reachable objects that refer to one of the nodes.

    One pass over all references, however many nodes are asked for. Instances do not count as referrers of their
    class.
    """
    wanted = np.zeros(heap.count, np.uint8)
    wanted[nodes[nodes >= 0]] = 1
    refs, numbers, nothing = heap.references, heap.dominance.numbers, np.empty(0, np.int32)
    count = find_referrers(refs.starts, refs.edges, numbers, wanted, nothing, nothing, False)
    sources, targets = np.empty(count, np.int32), np.empty(count, np.int32)
    find_referrers(refs.starts, refs.edges, numbers, wanted, sources, targets, True)
    order = np.argsort(nodes, kind="stable")
    left = np.searchsorted(nodes[order], targets, "left")
    repeats = np.searchsorted(nodes[order], targets, "right") - left
    within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    positions = order[np.repeat(left, repeats) + within]
    pairs = np.unique(np.stack((positions, np.repeat(sources, repeats).astype(np.int64))), axis=1)
    return pairs[0], pairs[1].astype(np.int32)


class PathSearch:
    """Breadth first from the GC roots, going on only as far as somebody asks.

    Soft, weak and phantom referents are no way, unless an object can be reached by one only. `came_from` int32[n]: the
    holder of each object on its shortest way; -2 for roots, -1 where the search has not come.
    """

    def __init__(self, heap: Heap) -> None:
        self._heap = heap
        roots = heap.roots.nodes
        self.came_from = np.full(heap.count, _NOT_YET, np.int32)
        self.came_from[roots] = _ROOT
        # Touched only as far as the search goes.
        self._queue = np.empty(heap.count, np.int32)
        self._queue[: roots.size] = roots
        self._first, self._last = 0, int(roots.size)
        self._weak = heap.instances(heap.classes.indices_named("java.lang.ref.Reference"))
        self._referents = heap.refs(self._weak, "referent")
        self._exhausted = False

    def complete(self) -> Nodes:
        """Search to the end; `came_from`."""
        while not self._exhausted:
            self._step()
        return self.came_from

    def path(self, node: int) -> list[int]:
        """Nodes of the shortest path, the root first; empty for an unreachable object."""
        if node < 0 or self._heap.dominance.numbers[node] == 0:
            return []
        while self.came_from[node] == _NOT_YET and not self._exhausted:
            self._step()
        path = [node]
        while self.came_from[path[-1]] >= 0:
            path.append(int(self.came_from[path[-1]]))
        return path[::-1]

    def _step(self) -> None:
        if self._first == self._last:
            self._take_weak_ways()
            return
        refs, heap = self._heap.references, self._heap
        until = min(self._first + _STEP, self._last)
        self._last = int(
            breadth_first(
                refs.starts, refs.edges, heap.index.rows, heap.class_nodes, self._weak, self._referents,
                self.came_from, self._queue, self._first, until, self._last,
            )
        )  # fmt: skip
        self._first = until

    def _take_weak_ways(self) -> None:
        """What only a weak reference reaches is better explained by it than not at all."""
        open_ways = (self._referents >= 0) & (self.came_from[self._weak] != _NOT_YET)
        open_ways &= self.came_from[self._referents] == _NOT_YET
        seeds, which = np.unique(self._referents[open_ways], return_index=True)
        self.came_from[seeds] = self._weak[open_ways][which]
        self._queue[self._last : self._last + seeds.size] = seeds
        self._last += seeds.size
        self._exhausted = seeds.size == 0


def path_nodes(heap: Heap, node: int) -> list[int]:
    """Nodes of the shortest path, the root first; empty for an unreachable object."""
    return heap.path_search.path(node)


def path_to_root(heap: Heap, node: int) -> list[str]:
    """Steps from a GC root to a node, the root first; empty when the object is unreachable."""
    return steps_of(heap, path_nodes(heap, node))


def steps_of(heap: Heap, nodes: list[int]) -> list[str]:
    """The words for a path."""
    if not nodes:
        return []
    kind = ROOT_NAMES.get(_root_type(heap, nodes[0]), "GC root")
    steps = [f"{kind}: {describe(heap, nodes[0])}"]
    hops = list(pairwise(nodes))
    half = _MOST_STEPS // 2
    for at, (holder, held) in enumerate(hops):
        if len(hops) <= _MOST_STEPS or at < half or at >= len(hops) - half:
            steps.append(f"{edge_name(heap, holder, held)} -> {describe(heap, held)}")
        elif at == half:
            steps.append(f"... {len(hops) - 2 * half:,} steps more ...")
    return steps


def _root_type(heap: Heap, node: int) -> int:
    at = int(np.searchsorted(heap.roots.nodes, node))
    return int(heap.roots.types[at])


def describe(heap: Heap, node: int) -> str:
    """A node as a person would name it: class name, thread name, or the class that a class object stands for."""
    row = heap.class_of_node.get(node)
    if row is not None:
        return f"class {heap.classes.names[row]}"
    name = heap.class_name(node)
    if name.endswith("[]"):
        return f"{name[:-1]}{int(heap.array_lengths(np.array([node], np.int32))[0])}]"
    thread = heap.string(heap.ref(node, "name")) if node in heap.roots.thread_nodes.values() else None
    return f'{name} "{thread}"' if thread else name


def edge_name(heap: Heap, holder: int, held: int) -> str:
    """How a holder refers to an object: field, static field, array element, or local variable."""
    row = heap.class_of_node.get(holder)
    if row is not None:
        for name, target in heap.classes.static_refs(row):
            if target == held:
                return f"{heap.classes.names[row]}.{name}"
        return f"class {heap.classes.names[row]}"
    holder_class = heap.class_name(holder)
    if holder_class.endswith("[]"):
        return "[]"
    for name in heap.classes.field_names(int(heap.index.rows[holder])):
        if heap.ref(holder, name) == held:
            return f"{holder_class}.{name}"
    if holder in heap.references.extra_from:
        return "local variable"
    if heap.class_nodes[heap.index.rows[holder]] == held:
        return f"{holder_class}.class"
    return holder_class

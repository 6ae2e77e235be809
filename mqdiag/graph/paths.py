"""Who refers to an object, and the shortest way to it from a GC root."""

from __future__ import annotations

from itertools import pairwise
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.kernels.breadth_first import breadth_first, path_lengths
from mqdiag.graph.object_graph import Nodes, ObjectGraph
from mqdiag.graph.roots import ROOT_NAMES
from mqdiag.graph.strings import text
from mqdiag.read.hprof.distinct import distinct
from mqdiag.read.hprof.types import REFERENCE

_ROOT, _NOT_YET = -2, -1
_STEP = 1 << 16
"""objects expanded before it is asked whether that was far enough"""
_MOST_STEPS = 40
"""steps told of a path; the middle of a longer one is counted only"""


def referrers(graph: ObjectGraph, numbers: NDArray[np.int32], nodes: Nodes) -> tuple[NDArray[np.int64], Nodes]:
    """(position in `nodes`, referrer) over all reachable objects that refer to one of the nodes.

    One or two passes over all references, however many nodes are asked for. Instances do not count as referrers of
    their class.

    Args:
        graph: the objects.
        numbers: int32[n], 0 for unreachable objects.
        nodes: what is referred to.
    """
    wanted = graph.dump.room.zeros(graph.count, np.uint8, any_order=True)
    wanted[nodes[nodes >= 0]] = 1
    sources, targets = graph.references.to(wanted, numbers)
    order = np.argsort(nodes, kind="stable")
    left = np.searchsorted(nodes[order], targets, "left")
    repeats = np.searchsorted(nodes[order], targets, "right") - left
    within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    positions = order[np.repeat(left, repeats) + within]
    pairs = distinct(positions << 32 | np.repeat(sources, repeats).astype(np.int64))
    return pairs >> 32, (pairs & 0xFFFF_FFFF).astype(np.int32)


class PathSearch:
    """Breadth first from the GC roots, going on only as far as somebody asks; several threads may ask at once.

    Soft, weak and phantom referents are no way, unless an object can be reached by one only. `came_from` int32[n]: the
    holder of each object on its shortest way; -2 for roots, -1 where the search has not come.
    """

    def __init__(self, graph: ObjectGraph, done: tuple[Nodes, Nodes] | None = None) -> None:
        """A search that begins, or one that an earlier run has done: its `ways`."""
        self._graph = graph
        self._searching = Lock()
        if done is not None:
            self.came_from, self._queue = done
            self._first = self._last = int(self._queue.size)
            self._exhausted = True
            return
        roots = graph.roots.nodes
        self.came_from = graph.dump.room.empty(graph.count, np.int32, any_order=True)
        self.came_from[:] = _NOT_YET
        self.came_from[roots] = _ROOT
        # Touched only as far as the search goes, where the search for dominators has left memory.
        self._queue = graph.dump.room.empty(graph.count, np.int32, any_order=True)
        self._queue[: roots.size] = roots
        self._first, self._last = 0, int(roots.size)
        self._weak = graph.instances(graph.classes.indices_named("java.lang.ref.Reference"))
        self._referents = graph.refs(self._weak, "referent")
        self._exhausted = False

    def complete(self) -> Nodes:
        """Search to the end; `came_from`."""
        with self._searching:
            while not self._exhausted:
                self._step()
        return self.came_from

    @property
    def ways(self) -> tuple[Nodes, Nodes] | None:
        """(`came_from`, the objects in the order in which they were found) of a search that is done."""
        return (self.came_from, self._queue[: self._last]) if self._exhausted else None

    def lengths(self) -> NDArray[np.int32]:
        """int32[n]: steps from a root to each object, 0 for a root; -1 where no way leads."""
        self.complete()
        found = np.full(self._graph.count, -1, np.int32)
        path_lengths(self._queue[: self._last], self.came_from, found)
        return found

    def path(self, node: int) -> list[int]:
        """Nodes of the shortest path to a reachable object, the root first."""
        with self._searching:
            while self.came_from[node] == _NOT_YET and not self._exhausted:
                self._step()
        came_from = self.came_from.item  # a way may have many thousands of steps, as a linked list has
        path = [node]
        while (holder := came_from(path[-1])) >= 0:
            path.append(holder)
        return path[::-1]

    def _step(self) -> None:
        if self._first == self._last:
            self._take_weak_ways()
            return
        refs, graph = self._graph.references, self._graph
        self._first, self._last = breadth_first(
            refs.starts, refs.edges, graph.index.rows, graph.class_nodes, self._weak, self._referents,
            self.came_from, self._queue, self._first, self._last, _STEP,
        )  # fmt: skip

    def _take_weak_ways(self) -> None:
        """What only a weak reference reaches is better explained by it than not at all."""
        open_ways = (self._referents >= 0) & (self.came_from[self._weak] != _NOT_YET)
        open_ways &= self.came_from[self._referents] == _NOT_YET
        seeds, which = np.unique(self._referents[open_ways], return_index=True)
        self.came_from[seeds] = self._weak[open_ways][which]
        self._queue[self._last : self._last + seeds.size] = seeds
        self._last += seeds.size
        self._exhausted = seeds.size == 0


def steps_of(graph: ObjectGraph, nodes: list[int]) -> list[str]:
    """The words for a path."""
    if not nodes:
        return []
    kind = ROOT_NAMES.get(_root_type(graph, nodes[0]), "GC root")
    return [f"{kind}: {describe(graph, nodes[0])}", *hops_of(graph, nodes)]


def hops_of(graph: ObjectGraph, nodes: list[int]) -> list[str]:
    """The words for the references of a path, without its first object, which need not be a root."""
    steps = []
    hops = list(pairwise(nodes))
    half = _MOST_STEPS // 2
    for at, (holder, held) in enumerate(hops):
        if len(hops) <= _MOST_STEPS or at < half or at >= len(hops) - half:
            steps.append(f"{edge_name(graph, holder, held)} -> {describe(graph, held)}")
        elif at == half:
            steps.append(f"... {len(hops) - 2 * half:,} steps more ...")
    return steps


def _root_type(graph: ObjectGraph, node: int) -> int:
    at = int(np.searchsorted(graph.roots.nodes, node))
    return int(graph.roots.types[at])


def describe(graph: ObjectGraph, node: int) -> str:
    """A node as a person would name it: class name, thread name, or the class that a class object stands for."""
    row = graph.class_of_node.get(node)
    if row is not None:
        return f"class {graph.classes.names[row]}"
    name = graph.class_name(node)
    if name.endswith("[]"):
        return f"{name[:-1]}{int(graph.array_lengths(np.array([node], np.int32))[0])}]"
    thread = text(graph, graph.ref(node, "name")) if node in graph.roots.thread_nodes.values() else None
    return f'{name} "{thread}"' if thread else name


def edge_name(graph: ObjectGraph, holder: int, held: int) -> str:
    """How a holder refers to an object: field, static field, array element, or local variable."""
    row = graph.class_of_node.get(holder)
    if row is not None:
        for name, target in graph.classes.static_refs(row):
            if target == held:
                return f"{graph.classes.names[row]}.{name}"
        return f"class {graph.classes.names[row]}"
    holder_class = graph.class_name(holder)
    if holder_class.endswith("[]"):
        return "[]"
    field = _field_that_holds(graph, holder, held)
    if field is not None:
        return f"{holder_class}.{field}"
    if holder in graph.references.extra_from:
        return "local variable"
    if graph.class_nodes[graph.index.rows[holder]] == held:
        return f"{holder_class}.class"
    return holder_class


def _field_that_holds(graph: ObjectGraph, holder: int, held: int) -> str | None:
    size, at = graph.header.id_size, graph.place(holder)
    if graph.data[at] != 0x21:
        return None
    begin = at + 9 + 2 * size
    fields = bytes(graph.data[begin : begin + int.from_bytes(bytes(graph.data[begin - 4 : begin]), "big")])
    wanted = graph.object_id(held).to_bytes(size, "big")
    for name, places in graph.classes.field_places(int(graph.index.rows[holder])).items():
        offset, kind = places[0]
        if kind == REFERENCE and fields[offset : offset + size] == wanted:
            return name
    return None

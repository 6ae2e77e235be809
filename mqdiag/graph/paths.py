"""Who refers to an object, and the shortest way to it from a GC root."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.roots import ROOT_NAMES

if TYPE_CHECKING:
    from mqdiag.graph.heap import Heap

_MAX_FRONTIER = 2_000_000


def referrers(heap: Heap, nodes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(position in `nodes`, referrer): reachable referrers, the tree parent first; class objects of instances not."""
    tree = heap.dominance
    numbers = np.where(nodes >= 0, tree.numbers[nodes], 0)
    there = np.flatnonzero(numbers > 0)
    inner = there[tree.parents[numbers[there]] > 0]
    parents = tree.order[tree.parents[numbers[inner]]]
    first = tree.heads[numbers[there]].astype(np.int64)
    counts = tree.heads[numbers[there].astype(np.int64) + 1].astype(np.int64) - first
    owners = np.repeat(there, counts)
    within = np.arange(owners.size) - np.repeat(np.cumsum(counts) - counts, counts)
    others = tree.order[tree.sources[np.repeat(first, counts) + within]]
    positions = np.concatenate((inner, owners))
    sources = np.concatenate((parents, others)).astype(np.int32)
    pairs = np.unique(np.stack((positions, sources.astype(np.int64))), axis=1)
    return pairs[0], pairs[1].astype(np.int32)


def path_to_root(heap: Heap, node: int) -> list[str]:
    """Steps from a GC root to a node, the root first; weak, soft and phantom referents are no way.

    Breadth first, backwards. Empty when the object is unreachable.
    """
    nodes = path_nodes(heap, node)
    if not nodes:
        return []
    kind = ROOT_NAMES.get(_root_type(heap, nodes[0]), "GC root")
    steps = [f"{kind}: {describe(heap, nodes[0])}"]
    for holder, held in pairwise(nodes):
        steps.append(f"{edge_name(heap, holder, held)} -> {describe(heap, held)}")
    return steps


def path_nodes(heap: Heap, node: int) -> list[int]:
    """Nodes of the shortest path, the root first."""
    if node < 0 or heap.dominance.numbers[node] == 0:
        return []
    is_root = np.zeros(heap.count, bool)
    is_root[heap.roots.nodes] = True
    came_from = {node: -1}
    frontier = np.array([node], np.int32)
    weak_seen = False
    while frontier.size:
        roots = frontier[is_root[frontier]]
        if roots.size:
            path = [int(roots[0])]
            while came_from[path[-1]] >= 0:
                path.append(came_from[path[-1]])
            return path
        owners, sources = referrers(heap, frontier)
        targets = frontier[owners]
        strong = ~_is_weak(heap, sources, targets) | weak_seen
        following = []
        for source, target in zip(sources[strong].tolist(), targets[strong].tolist(), strict=True):
            if source not in came_from:
                came_from[source] = target
                following.append(source)
        if not following and not weak_seen:
            # Only weak references lead here: they are better than no path at all.
            weak_seen = True
            came_from = {node: -1}
            following = [node]
        if len(came_from) > _MAX_FRONTIER:
            return []
        frontier = np.array(following, np.int32)
    return []


def _is_weak(heap: Heap, sources: NDArray[np.int32], targets: NDArray[np.int32]) -> NDArray[np.bool_]:
    """References that do not keep their target: the referent of a java.lang.ref.Reference."""
    kinds = heap.classes.indices_named("java.lang.ref.Reference")
    weak = np.zeros(sources.size, bool)
    if not kinds or not sources.size:
        return weak
    inside = np.isin(heap.index.rows[sources], heap.classes.subclasses(kinds))
    rows = np.flatnonzero(inside)
    weak[rows] = heap.refs(sources[rows], "referent") == targets[rows]
    return weak


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

"""The NetBeans library's rules, replayed on our graph.

docs/measurements/object-sizes.md names them. In the library they are in `NearestGCRoot`, `TreeObject`, `DominatorTree`
and `HprofHeap.computeRetainedSize`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph import Heap
from tests.accuracy.edges import (
    LOADER,
    PROTECTION_DOMAIN,
    SIGNERS,
    SUPER,
    Edges,
    dominance_of,
    edges_of,
    retained_of,
)
from tests.accuracy.retained import with_sizes

_ROOT_KINDS = {
    0x01: "JNI global",
    0x02: "JNI local",
    0x03: "Java frame",
    0x04: "native stack",
    0x05: "sticky class",
    0x06: "thread block",
    0x07: "monitor used",
    0x08: "thread object",
    0xFF: "unknown",
}
"""the library searches from the roots in the order of these names"""
_INSTANCE = 0x21
_ALL_HEADS = (SUPER, LOADER, SIGNERS, PROTECTION_DOMAIN)
_WEAK = tuple(f"java.lang.ref.{kind}Reference" for kind in ("Soft", "Weak", "Phantom", "Final"))


@dataclass(frozen=True, slots=True)
class _Search:
    """`reached` bool[n]; `holders` int64[n], who was there first, -1 for roots; `class_edges`: (instance, class)."""

    reached: NDArray[np.bool_]
    holders: NDArray[np.int64]
    class_edges: list[tuple[int, int]]


def steps(heap: Heap, sizes: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Retained bytes by node, from our rules to the library's: each step puts one more of its rules in place.

    Args:
        heap: the dump.
        sizes: the library's shallow sizes by node.
    """
    found = {"ours": with_sizes(heap, sizes)}
    roots = _roots(heap)
    root_nodes = np.array(sorted(roots), np.int32)
    edges = edges_of(heap, _ALL_HEADS, locals_of_threads=False)
    found["locals"] = retained_of(dominance_of(heap, edges, heap.class_nodes, root_nodes, sizes))

    edges = edges_of(heap, (LOADER,), locals_of_threads=False)
    found["heads"] = retained_of(dominance_of(heap, edges, heap.class_nodes, root_nodes, sizes))

    weak_targets = _weak_targets(heap)
    search = _search(heap, edges, roots, weak_targets)
    new = np.array(search.class_edges, np.int32).reshape(-1, 2)
    whole = Edges.sort(
        heap.count,
        np.concatenate((edges.sources, new[:, 0])),
        np.concatenate((edges.targets, new[:, 1])),
    )
    nobody = np.full(heap.classes.count, -1, np.int32)
    found["classes"] = retained_of(dominance_of(heap, whole, nobody, root_nodes, sizes))

    is_root = np.zeros(heap.count, bool)
    is_root[root_nodes] = True
    trees, tree_sizes = _trees(heap, edges, whole, search, weak_targets, is_root, sizes)
    # What an unreachable object refers to has no dominator in the library.
    alive = search.reached[whole.targets]
    is_root[whole.targets[alive & ~search.reached[whole.sources]]] = True
    inside = alive & search.reached[whole.sources]
    whole = Edges.sort(heap.count, whole.sources[inside], whole.targets[inside])
    all_roots = np.flatnonzero(is_root).astype(np.int32)
    tree = dominance_of(heap, whole, nobody, all_roots, sizes)
    found["unreachable"] = retained_of(tree)

    # A tree is added to its dominator as one; class objects add nothing, nor does what a tree class object holds.
    is_class = np.zeros(heap.count, bool)
    is_class[list(heap.class_of_node)] = True
    dominators = tree.order[tree.dominator[tree.numbers]]
    top = trees & ~((dominators >= 0) & trees[dominators])
    units = np.where(trees, np.where(top, tree_sizes, 0), np.where(search.reached, sizes, 0))
    units[is_class] = 0
    summed = retained_of(dominance_of(heap, whole, nobody, all_roots, units))
    found["trees"] = np.where(trees, tree_sizes, summed)
    return found


def _roots(heap: Heap) -> list[int]:
    """All roots in the library's order; frames' locals are roots like any other."""
    roots = heap.dump.roots
    rows = zip(
        roots.types.tolist(), roots.ids.tolist(), heap.index.lookup.find(roots.ids).tolist(), strict=True
    )
    found = sorted((_ROOT_KINDS[kind], object_id, node) for kind, object_id, node in rows if node >= 0)
    return list(dict.fromkeys(node for _, _, node in found))


def _weak_targets(heap: Heap) -> NDArray[np.int32]:
    """int32[n]: the referent of each soft, weak, phantom and final reference; -1 elsewhere."""
    named = [row for name in _WEAK for row in heap.classes.indices_named(name)]
    nodes = heap.instances(named)
    found = np.full(heap.count, -1, np.int32)
    found[nodes] = heap.refs(nodes, "referent")
    return found


def _search(heap: Heap, edges: Edges, roots: list[int], weak_targets: NDArray[np.int32]) -> _Search:
    """Breadth first, not through weak referents; only the first instance that is met refers to its class."""
    starts, targets, rows = edges.starts.tolist(), edges.targets.tolist(), heap.index.rows.tolist()
    weak, class_nodes = weak_targets.tolist(), {row: node for node, row in heap.class_of_node.items()}
    is_instance = (heap.data[heap.index.offsets] == _INSTANCE).tolist()
    reached = [False] * heap.count
    holders = [-1] * heap.count
    for root in roots:
        reached[root] = True
    waiting, met, class_edges = deque(roots), set[int](), []
    while waiting:
        node = waiting.popleft()
        muted = weak[node]
        for target in targets[starts[node] : starts[node + 1]]:
            if target == muted:
                muted = -1  # the field `referent` only; another field may hold the same object
            elif not reached[target]:
                reached[target] = True
                holders[target] = node
                waiting.append(target)
        if is_instance[node] and rows[node] not in met:
            met.add(rows[node])
            target = class_nodes.get(rows[node], -1)
            if target >= 0 and not reached[target]:
                reached[target] = True
                holders[target] = node
                waiting.append(target)
                class_edges.append((node, target))
    return _Search(np.array(reached), np.array(holders), class_edges)


def _trees(
    heap: Heap,
    edges: Edges,
    whole: Edges,
    search: _Search,
    weak_targets: NDArray[np.int32],
    is_root: NDArray[np.bool_],
    sizes: NDArray[np.int64],
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """(objects all of whose contents have one referrer, their sizes with contents).

    The library sums these from the leaves up, before it looks for dominators, and so counts a root that has one
    referrer in that referrer, and class objects with the size of a `java.lang.Class`.
    """
    count = heap.count
    pairs = np.unique(whole.sources.astype(np.int64) * count + whole.targets)
    single = (np.bincount(pairs % count, minlength=count) <= 1).tolist()
    pairs = np.unique(edges.sources.astype(np.int64) * count + edges.targets)
    starts, held = np.searchsorted(pairs // count, np.arange(count + 1)).tolist(), (pairs % count).tolist()
    trees, tree_sizes = np.zeros(count, bool), sizes.copy()
    first_of_class = {node for node, _ in search.class_edges}
    pushes = (np.array(single) & ~is_root & (search.holders >= 0)).tolist()
    holders = search.holders.tolist()

    level: dict[int, None] = {}
    for node in np.flatnonzero(search.reached).tolist():
        contents = [each for each in held[starts[node] : starts[node + 1]] if each != weak_targets[node]]
        if not contents and node not in first_of_class:
            trees[node] = True
            if pushes[node]:
                level[holders[node]] = None
    while level:
        following: dict[int, None] = {}
        for node in level:
            contents = held[starts[node] : starts[node + 1]]
            if all(single[each] and trees[each] for each in contents):
                trees[node] = True
                tree_sizes[node] = sizes[node] + int(tree_sizes[contents].sum())
                if pushes[node]:
                    following[holders[node]] = None
        level = following
    return trees, tree_sizes

"""One Java collection in the order in which Java would iterate it.

`collections.py` reads many collections at once and does not care for order; here a person or a notebook looks at one.
Nulls keep their places. Sources: java.util of JDK 8 to 25.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.array_elements import array_elements
from mqdiag.graph.collections import items, map_entries
from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.linked_chains import follow_chains

Nodes = NDArray[np.int32]
_MAPS = ("Map", "Map1", "MapN", "Hashtable")
_COLLECTIONS = ("List", "List12", "ListN", "Set", "Set12", "SetN", "Collection", "Queue", "Deque", "Vector")
_MAX_NESTING = 8


def is_map(heap: Heap, node: int) -> bool:
    """True for maps of java.util and their subclasses; a view of another map is none."""
    return _is(heap, node, _MAPS)


def is_collection(heap: Heap, node: int) -> bool:
    """True for lists, sets and queues of java.util and their subclasses; a view of another collection is none."""
    return not is_map(heap, node) and _is(heap, node, _COLLECTIONS)


def _is(heap: Heap, node: int, endings: tuple[str, ...]) -> bool:
    row = int(heap.index.rows[node])
    name = heap.classes.names[row]
    # HashMap$KeySet, ArrayList$SubList, TreeMap$AscendingSubMap: what they show is in the object behind them.
    if name.endswith("[]") or "Sub" in name.rsplit("$", 1)[-1] or heap.classes.has_field(row, "this$0"):
        return False
    names = [heap.classes.names[above] for above in heap.classes.ancestors(row)]
    return any(
        above.startswith("java.util.") and above.endswith(endings) and above != "java.util.BitSet"
        for above in names
    )


def ordered_entries(heap: Heap, node: int) -> tuple[Nodes, Nodes]:
    """(keys, values) of a map, int32 with -1 for null: by key in a TreeMap, by insertion in a LinkedHashMap."""
    node = _unwrapped(heap, node)
    root, head = heap.ref(node, "root"), heap.ref(node, "head")
    if root >= 0 and _has(heap, root, ("left", "right", "key", "value")):
        nodes = _in_order(heap, root)
    elif head >= 0 and _has(heap, head, ("after", "key", "value")):
        nodes = _chain(heap, head, "after")
    elif head >= 0 and heap.ref(head, "node") >= 0:
        # ConcurrentSkipListMap: the lowest level of the index is a plain chain, with markers and a head without key.
        nodes = _chain(heap, heap.ref(head, "node"), "next")
        nodes = nodes[heap.refs(nodes, "key") >= 0]
        values = heap.refs(nodes, "val")
        return heap.refs(nodes, "key"), np.where(values >= 0, values, heap.refs(nodes, "value"))
    elif heap.ref(node, "keyUniverse") >= 0:
        keys, values = (
            array_elements(heap, heap.ref(node, "keyUniverse")),
            array_elements(heap, heap.ref(node, "vals")),
        )
        there = np.flatnonzero(values[: keys.size] >= 0)
        return keys[there], values[there]
    else:
        _, keys, values = map_entries(heap, np.array([node], np.int32))
        return keys, values
    return heap.refs(nodes, "key"), heap.refs(nodes, "value")


def ordered_items(heap: Heap, node: int) -> Nodes:
    """Items of a list, set or queue: int32, -1 for null."""
    for _ in range(_MAX_NESTING):
        backing = next((at for at in (heap.ref(node, "m"), heap.ref(node, "map")) if at >= 0), -1)
        if backing >= 0:
            return ordered_entries(heap, backing)[0]
        inner = next((at for at in (heap.ref(node, name) for name in ("list", "c", "al")) if at >= 0), -1)
        if inner < 0:
            break
        node = inner
    for array, count in (("elementData", "size"), ("elementData", "elementCount")):
        length = heap.number(node, count)
        if length is not None and heap.ref(node, array) >= 0:
            return array_elements(heap, heap.ref(node, array), max(length, 0))
    bits = heap.number(node, "elements")
    if bits is not None and heap.ref(node, "universe") >= 0:
        universe = array_elements(heap, heap.ref(node, "universe"))[:64]  # RegularEnumSet
        return universe[[at for at in range(universe.size) if bits >> at & 1]]
    circular = _circular(heap, node)
    if circular is not None:
        return circular
    for array in ("array", "a"):
        found = array_elements(heap, heap.ref(node, array))
        if found.size:
            return found
    return items(heap, np.array([node], np.int32))[1]


def _circular(heap: Heap, node: int) -> Nodes | None:
    """ArrayDeque and ArrayBlockingQueue: the array from the head on, around its end."""
    for array, start in (("elements", "head"), ("items", "takeIndex")):
        first = heap.number(node, start)
        if first is not None and heap.ref(node, array) >= 0:
            found = np.roll(array_elements(heap, heap.ref(node, array)), -first)
            return found[found >= 0]
    return None


def _unwrapped(heap: Heap, node: int) -> int:
    """The map inside Properties and the wrappers of Collections."""
    for _ in range(_MAX_NESTING):
        inner = next((at for at in (heap.ref(node, "m"), heap.ref(node, "map")) if at >= 0), -1)
        if inner < 0 or inner == node:
            break
        node = inner
    return node


def _has(heap: Heap, node: int, fields: tuple[str, ...]) -> bool:
    row = int(heap.index.rows[node])
    return all(heap.classes.has_field(row, field) for field in fields)


def _chain(heap: Heap, head: int, field: str) -> Nodes:
    """The links from a head on; a cycle ends where it closes."""
    links = heap.instances([int(heap.index.rows[head])])
    following = heap.refs(links, field)
    places = np.searchsorted(links, following)
    places[(following < 0) | (places >= links.size)] = -1
    places[(places >= 0) & (links[places] != following)] = -1
    owners, order = np.empty(links.size, np.int64), np.empty(links.size, np.int64)
    start = np.array([np.searchsorted(links, head)], np.int64)
    count = follow_chains(places.astype(np.int64), start, owners, order)
    return links[order[:count]]


def _in_order(heap: Heap, root: int) -> Nodes:
    """Entries of a binary tree from left to right, level by level; what is met twice in damaged data counts once."""
    levels: list[tuple[Nodes, NDArray[np.int64], NDArray[np.bool_]]] = []
    seen = np.zeros(heap.count, bool)
    nodes, parents = np.array([root], np.int32), np.array([-1], np.int64)
    is_left = np.zeros(1, bool)
    while nodes.size:
        seen[nodes] = True
        levels.append((nodes, parents, is_left))
        children = np.concatenate((heap.refs(nodes, "left"), heap.refs(nodes, "right")))
        parents = np.tile(np.arange(nodes.size), 2)
        is_left = np.arange(children.size) < nodes.size
        fresh = (children >= 0) & ~seen[children]
        children, parents, is_left = children[fresh], parents[fresh], is_left[fresh]
        nodes, first = np.unique(children, return_index=True)
        parents, is_left = parents[first], is_left[first]
    weights = [np.ones(nodes.size, np.int64) for nodes, _, _ in levels]
    lefts = [np.zeros(nodes.size, np.int64) for nodes, _, _ in levels]
    for level in range(len(levels) - 1, 0, -1):
        _, parents, is_left = levels[level]
        np.add.at(weights[level - 1], parents, weights[level])
        lefts[level - 1][parents[is_left]] = weights[level][is_left]
    result = np.empty(int(weights[0][0]), np.int32)
    begins = np.zeros(1, np.int64)
    for level, (nodes, parents, is_left) in enumerate(levels):
        if level:
            above = begins[parents]
            begins = np.where(is_left, above, above + lefts[level - 1][parents] + 1)
        result[begins + lefts[level]] = nodes
    return result

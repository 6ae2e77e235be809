"""Java collections read by structure, many at once.

The tell-tale fields decide, not class names or JDK versions, so that subclasses and older layouts work too. Sources:
java.util and java.util.concurrent of JDK 7 to 25.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.linked_chains import follow_chains
from mqdiag.read.hprof.distinct import distinct, is_in

Nodes = NDArray[np.int32]
Owners = NDArray[np.int64]

_MAP_WRAPPERS = ("m", "map", "backingMap")
"""Collections$SynchronizedMap.m, Properties.map (JDK 9 and newer), HashSet.map, Collections$SetFromMap.m"""
_LIST_WRAPPERS = ("list", "c", "coll", "al")
"""Collections$UnmodifiableList.list, …Collection.c, CopyOnWriteArraySet.al"""
_ARRAYS = ("elementData", "queue", "items", "array", "a", "elements")
"""ArrayList and Vector, PriorityQueue and DelayedWorkQueue, ArrayBlockingQueue, CopyOnWriteArrayList, Arrays$ArrayList,
ImmutableCollections$ListN"""
_MAX_NESTING = 8


def map_entries(heap: Heap, maps: Nodes) -> tuple[Owners, Nodes, Nodes]:
    """Entries of maps.

    HashMap and LinkedHashMap with tree bins, ConcurrentHashMap in resize and with JDK 7's segments, TreeMap,
    Hashtable, Properties, WeakHashMap, IdentityHashMap, immutable and wrapped maps.

    Args:
        heap: the graph.
        maps: int32[k]; -1 and what is no map give nothing.

    Returns:
        (position of the map in `maps` int64, key int32, value int32), by map. Null keys and values are -1.
    """
    parts = [_hashed(heap, maps), _sorted_tree(heap, maps), _alternating(heap, maps), _wrapped(heap, maps)]
    owners, keys, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(owners, kind="stable")
    return owners[order], keys[order], values[order]


def items(heap: Heap, collections: Nodes, nesting: int = 0) -> tuple[Owners, Nodes]:
    """Items of lists, queues and sets, in their order, nulls left out.

    Returns:
        (position of the collection int64, item int32), by collection.
    """
    parts = [_in_arrays(heap, collections), _linked(heap, collections), _single(heap, collections)]
    inner = _first_of(heap, collections, _LIST_WRAPPERS)
    has_items = np.zeros(collections.size, bool)
    for owners, _ in parts:
        has_items[owners] = True
    inner[has_items | (inner == collections)] = -1
    if (inner >= 0).any() and nesting < _MAX_NESTING:
        parts.append(items(heap, inner, nesting + 1))
    backing = _first_of(heap, collections, _MAP_WRAPPERS)
    if (backing >= 0).any():
        owners, keys, _ = map_entries(heap, backing)
        parts.append((owners, keys))
    owners, found = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(owners, kind="stable")
    return owners[order], found[order]


def sizes(heap: Heap, collections: Nodes) -> NDArray[np.int64]:
    """Counted entries or items of each collection, int64."""
    owners, _, _ = map_entries(heap, collections)
    counts = np.bincount(owners, minlength=collections.size)
    owners, _ = items(heap, np.where(counts > 0, -1, collections).astype(np.int32))
    return counts + np.bincount(owners, minlength=collections.size)


def compares_by_identity(heap: Heap, held: int) -> bool:
    """Whether a map, or the map inside it, is an IdentityHashMap: equal keys are meant to be different ones there."""
    rows = heap.classes.subclasses(heap.classes.indices_named("java.util.IdentityHashMap")).tolist()
    node = np.array([held], np.int32)
    for _ in range(_MAX_NESTING + 2):
        if int(heap.class_index(node)[0]) in rows:
            return True
        node = _first_of(heap, node, _MAP_WRAPPERS)
    return False


def _nothing() -> tuple[Owners, Nodes, Nodes]:
    return np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32)


def _first_of(heap: Heap, nodes: Nodes, fields: tuple[str, ...]) -> Nodes:
    """The first of several reference fields that is there."""
    found = np.full(nodes.size, -1, np.int32)
    for field in fields:
        missing = found < 0
        found[missing] = heap.refs(nodes[missing], field)
    return found


def _hashed(heap: Heap, maps: Nodes) -> tuple[Owners, Nodes, Nodes]:
    """Maps with a table of linked entries."""
    owners, segments = heap.elements(heap.refs(maps, "segments"))
    position, bins = heap.elements(heap.refs(segments, "table"))
    # In a resize the next table is found through the forwarding nodes only: a bin just copied to it stands in both.
    direct, direct_bins = heap.elements(heap.refs(maps, "table"))
    owner_parts, bin_parts = [owners[position], direct], [bins, direct_bins]
    owners, nodes = np.concatenate(owner_parts), np.concatenate(bin_parts)
    kept: list[tuple[Owners, Nodes]] = []
    seen = np.zeros(heap.count, bool)
    while nodes.size:
        fresh = (nodes >= 0) & ~seen[nodes]
        owners, nodes = owners[fresh], nodes[fresh]
        # A table still being moved may show an entry twice in one step.
        nodes, first = np.unique(nodes, return_index=True)
        owners = owners[first]
        seen[nodes] = True
        # TreeBin and ForwardingNode are entries without a key of their own.
        trees, moved = heap.refs(nodes, "first"), heap.refs(nodes, "nextTable")
        plain = (trees < 0) & (moved < 0) & _have(heap, nodes, ("value", "val"))
        kept.append((owners[plain], nodes[plain]))
        position, elsewhere = heap.elements(moved)
        following = heap.refs(nodes, "next")
        owners = np.concatenate((owners[trees >= 0], owners[following >= 0], owners[position]))
        nodes = np.concatenate((trees[trees >= 0], following[following >= 0], elsewhere))
    if not kept:
        return _nothing()
    owners, nodes = (np.concatenate(column) for column in zip(*kept, strict=True))
    keys = _first_of(heap, nodes, ("key", "referent"))
    return owners, keys, _first_of(heap, nodes, ("val", "value"))


def _have(heap: Heap, nodes: Nodes, fields: tuple[str, ...]) -> NDArray[np.bool_]:
    rows = heap.class_index(nodes)
    known = {
        row: any(heap.classes.has_field(row, field) for field in fields) for row in distinct(rows).tolist()
    }
    return np.array([known[row] for row in rows.tolist()], bool)


def _sorted_tree(heap: Heap, maps: Nodes) -> tuple[Owners, Nodes, Nodes]:
    """TreeMap: entries with left and right; level by level, a cycle in damaged data ends itself."""
    nodes = heap.refs(maps, "root")
    owners = np.arange(maps.size)
    seen = np.zeros(heap.count, bool)
    kept: list[tuple[Owners, Nodes]] = []
    while True:
        fresh = (nodes >= 0) & ~seen[nodes]
        owners, nodes = owners[fresh], nodes[fresh]
        if not nodes.size:
            break
        seen[nodes] = True
        kept.append((owners, nodes))
        left, right = heap.refs(nodes, "left"), heap.refs(nodes, "right")
        owners, nodes = np.concatenate((owners, owners)), np.concatenate((left, right))
    if not kept:
        return _nothing()
    owners, nodes = (np.concatenate(column) for column in zip(*kept, strict=True))
    entries = _have(heap, nodes, ("value",))
    owners, nodes = owners[entries], nodes[entries]
    return owners, heap.refs(nodes, "key"), heap.refs(nodes, "value")


def _alternating(heap: Heap, maps: Nodes) -> tuple[Owners, Nodes, Nodes]:
    """IdentityHashMap and ImmutableCollections$MapN: keys and values take turns; Map1 has two fields."""
    owners, keys, values = np.arange(maps.size), heap.refs(maps, "k0"), heap.refs(maps, "v0")
    single = keys >= 0
    owners, keys, values = owners[single], keys[single], values[single]
    known = ("java.util.IdentityHashMap", "java.util.ImmutableCollections$MapN")
    rows = [row for name in known for row in heap.classes.indices_named(name)]
    chosen = np.where(is_in(heap.class_index(maps), rows), maps, -1).astype(np.int32)
    if not (chosen >= 0).any():
        return owners, keys, values
    position, flat = heap.elements(heap.refs(chosen, "table"))
    # Values are seldom null here; a pair with one would shift the rest, so such maps are left out.
    even = is_in(position, np.flatnonzero(np.bincount(position) % 2 == 0))
    position, flat = position[even], flat[even]
    return (
        np.concatenate((owners, position[::2])),
        np.concatenate((keys, flat[::2])),
        np.concatenate((values, flat[1::2])),
    )


def _wrapped(heap: Heap, maps: Nodes, nesting: int = 0) -> tuple[Owners, Nodes, Nodes]:
    """Maps inside maps, when the outer one has no table of its own."""
    inner = _first_of(heap, maps, _MAP_WRAPPERS)
    inner[(heap.refs(maps, "table") >= 0) | (inner == maps)] = -1
    if nesting >= _MAX_NESTING or not (inner >= 0).any():
        return _nothing()
    parts = [_hashed(heap, inner), _sorted_tree(heap, inner), _alternating(heap, inner)]
    parts.append(_wrapped(heap, inner, nesting + 1))
    owners, keys, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return owners, keys, values


def _in_arrays(heap: Heap, collections: Nodes) -> tuple[Owners, Nodes]:
    """Lists and queues over one array."""
    arrays = _first_of(heap, collections, _ARRAYS)
    return heap.elements(arrays)


def _linked(heap: Heap, collections: Nodes) -> tuple[Owners, Nodes]:
    """LinkedList, LinkedBlockingQueue and Deque, ConcurrentLinkedQueue and Deque: nodes with an item, one by one.

    The head of a LinkedBlockingQueue is a dummy, and a node taken out of a queue points to itself.
    """
    heads = _first_of(heap, collections, ("head", "first"))
    owner_parts, item_parts = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for row in distinct(heap.class_index(heads[heads >= 0])).tolist():
        if not heap.classes.has_field(row, "item"):
            continue
        links = heap.instances([row], subclasses=False)
        owners, places = np.empty(links.size, np.int64), np.empty(links.size, np.int64)
        count = follow_chains(_places(links, heap.refs(links, "next")), _places(links, heads), owners, places)
        found = heap.refs(links[places[:count]], "item")
        owner_parts.append(owners[:count][found >= 0])
        item_parts.append(found[found >= 0])
    return np.concatenate(owner_parts), np.concatenate(item_parts)


def _places(among: Nodes, wanted: Nodes) -> NDArray[np.int64]:
    """Where nodes stand in an ascending array; -1 for those that do not."""
    at = np.minimum(np.searchsorted(among, wanted), among.size - 1)
    return np.where(among[at] == wanted, at, -1)


def _single(heap: Heap, collections: Nodes) -> tuple[Owners, Nodes]:
    """Collections$SingletonList.element, ImmutableCollections$List12.e0 and e1."""
    owner_parts, item_parts = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for field in ("element", "e0", "e1"):
        found = heap.refs(collections, field)
        owner_parts.append(np.flatnonzero(found >= 0))
        item_parts.append(found[found >= 0])
    return np.concatenate(owner_parts), np.concatenate(item_parts)

"""Memory outside the heap that buffers in the heap own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.waste import CACHED_BY_THREADS, DirectBuffers, DirectHolder
from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.naming import name_of
from mqdiag.graph.jvm import direct_memory_limit
from mqdiag.read.hprof.distinct import is_in

HOLDERS = 10
SEVERAL = "several holders"
_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
_NETTY, _CHUNK = ".util.internal.PlatformDependent", ".buffer.PoolChunk"
_MOST_STEPS = 64
_SAMPLE = 16
"""buffers of a holder of which the field is looked up"""
_MOST_PATHS = 4096
"""buffers without a dominator of its own whose paths are looked at"""


def direct_buffers(heap: Heap) -> DirectBuffers | None:
    """Owned memory by kind, the JVM's and Netty's own counts, and who holds it; None without such a class."""
    rows = heap.classes.indices_named("java.nio.DirectByteBuffer")
    if not rows:
        return None
    nodes = heap.instances(rows)
    # A slice or duplicate keeps the buffer that it is a view of in `att`.
    nodes = nodes[heap.refs(nodes, "att") < 0]
    capacity = np.maximum(heap.numbers(nodes, "capacity"), 0)
    cleaner = heap.refs(nodes, "cleaner")
    thunk = heap.class_index(heap.refs(cleaner, "thunk"))
    unmappers = heap.classes.indices_ending("Unmapper")
    mapped = (heap.refs(nodes, "fd") >= 0) | is_in(thunk, unmappers)
    alive = heap.reachable(nodes)
    managed = (cleaner >= 0) & ~mapped
    unmanaged = (cleaner < 0) & ~mapped & (capacity > 0) & alive
    owned = managed & alive
    mapped &= alive
    netty, netty_limit = _netty(heap)
    limit = direct_memory_limit(heap)
    return DirectBuffers(
        buffers=int(owned.sum()),
        capacity_bytes=int(capacity[owned].sum()),
        unreachable_bytes=int(capacity[managed & ~alive].sum()),
        unmanaged_buffers=int(unmanaged.sum()),
        unmanaged_bytes=int(capacity[unmanaged].sum()),
        mapped_buffers=int(mapped.sum()),
        mapped_bytes=int(capacity[mapped].sum()),
        reserved_bytes=_reserved(heap),
        limit_bytes=None if limit is None else limit.limit_bytes,
        netty_bytes=netty,
        netty_limit_bytes=netty_limit,
        netty_in_use_bytes=_in_use(heap),
        holders=_holders(heap, nodes[owned], capacity[owned], nodes[unmanaged], capacity[unmanaged]),
    )


def _reserved(heap: Heap) -> int | None:
    """RESERVED_MEMORY of JDK 9 and newer, reservedMemory of JDK 8."""
    for row in heap.classes.indices_named("java.nio.Bits"):
        for name in ("RESERVED_MEMORY", "reservedMemory"):
            counter = heap.classes.static_ref(row, name)
            if counter >= 0:
                return heap.number(counter, "value")
    return None


def _netty(heap: Heap) -> tuple[int | None, int | None]:
    """(counted bytes, limit) of the Netty that counts most; one JVM may have several, relocated ones too."""
    found = []
    for row in heap.classes.indices_ending(_NETTY):
        counter = heap.classes.static_ref(row, "DIRECT_MEMORY_COUNTER")
        count = heap.number(counter, "value") if counter >= 0 else None
        limit = heap.classes.static_value(row, "DIRECT_MEMORY_LIMIT")
        if count is not None:
            found.append((count, limit if isinstance(limit, int) and limit > 0 else None))
    return max(found, key=lambda pair: pair[0], default=(None, None))


def _in_use(heap: Heap) -> int | None:
    """Bytes of Netty's direct chunks that are not free: buffers that were released into a thread's cache are in it."""
    chunks = heap.instances(heap.classes.indices_ending(_CHUNK))
    direct = heap.classes.subclasses(heap.classes.indices_named("java.nio.DirectByteBuffer"))
    chunks = chunks[heap.reachable(chunks) & is_in(heap.class_index(heap.refs(chunks, "memory")), direct)]
    size, free = heap.numbers(chunks, "chunkSize"), heap.numbers(chunks, "freeBytes")
    known = (size != heap.MISSING) & (free != heap.MISSING) & (free >= 0) & (free <= size)
    return int((size - free).sum()) if chunks.size and known.all() else None


def _holders(
    heap: Heap,
    owned: NDArray[np.int32],
    owned_capacity: NDArray[np.int64],
    unmanaged: NDArray[np.int32],
    unmanaged_capacity: NDArray[np.int64],
) -> tuple[DirectHolder, ...]:
    unmanaged_rows = _holder_rows(heap, unmanaged)
    # What the JDK's native code wraps, such as its own file of modules, has no holder and takes nothing from a limit.
    named = unmanaged_rows >= 0
    rows = np.concatenate((_holder_rows(heap, owned), unmanaged_rows[named]))
    nodes = np.concatenate((owned, unmanaged[named]))
    kinds, which = np.unique(rows, return_inverse=True)
    counts = np.bincount(which, minlength=kinds.size)
    capacity = np.concatenate((owned_capacity, unmanaged_capacity[named]))
    sums = np.bincount(which, capacity, kinds.size).astype(np.int64)
    found = []
    for at in np.argsort(-sums, kind="stable")[:HOLDERS].tolist():
        class_name = heap.classes.names[kinds[at]] if kinds[at] >= 0 else SEVERAL
        field, held = _field(heap, class_name, nodes[which == at])
        found.append(
            DirectHolder(
                class_name=class_name,
                buffers=int(counts[at]),
                capacity_bytes=int(sums[at]),
                field=field,
                object_id=None if held is None else f"0x{heap.object_id(held):x}",
            )
        )
    return tuple(found)


def _field(heap: Heap, class_name: str, nodes: NDArray[np.int32]) -> tuple[str | None, int | None]:
    """The field of a class by which its buffers are reached, and what it refers to; nothing where they differ."""
    sample = nodes[:: max(1, nodes.size // _SAMPLE)][:_SAMPLE]
    names = [name_of(heap, int(node), {}) for node in sample]
    if (
        len({name.held for name in names}) != 1
        or names[0].kind != "field"
        or names[0].holder_class != class_name
    ):
        return None, None
    return names[0].label, names[0].held


def _holder_rows(heap: Heap, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Class of the nearest dominator that is not the JDK's, else of such an object on the path from a root; or -1.

    `CACHED_BY_THREADS` counts as such a class.
    """
    tree = heap.dominance
    rows = np.full(nodes.size, -1, np.int32)
    places = tree.dominator[tree.numbers[nodes]]
    own = np.array([_is_holder(name) for name in heap.classes.names], bool)
    for _ in range(_MOST_STEPS):
        open_ways = np.flatnonzero((rows < 0) & (places > 0))
        if not open_ways.size:
            break
        found = _rows_named_by(heap, tree.order[places[open_ways]])
        rows[open_ways[own[found]]] = found[own[found]]
        places[open_ways] = tree.dominator[places[open_ways]]
    # the cleaner of a buffer refers to it too, so that often nothing but the roots dominates it
    for at in np.flatnonzero(rows < 0)[:_MOST_PATHS].tolist():
        way = _rows_named_by(heap, np.array(heap.path_nodes(int(nodes[at])), np.int32))
        named = way[own[way]]
        if named.size:
            rows[at] = named[-1]
    return rows


def _is_holder(name: str) -> bool:
    return name == CACHED_BY_THREADS or (not name.startswith(_JDK) and name[-1] != "]")


def _rows_named_by(heap: Heap, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Classes of objects; of class objects the classes that they stand for."""
    rows = heap.index.rows[nodes].astype(np.int32)
    for at in np.flatnonzero(is_in(nodes, list(heap.class_of_node))).tolist():
        rows[at] = heap.class_of_node[int(nodes[at])]
    return rows

"""Thread locals of live threads: java.lang.ThreadLocal, inheritable ones too, and Netty's FastThreadLocal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.waste import ThreadLocals, ThreadLocalsOf
from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.distinct import is_in

THREADS = 10
CLASSES = 5
_NETTY_MAP = ".util.internal.InternalThreadLocalMap"


def thread_locals(heap: Heap) -> ThreadLocals | None:
    """All of them with what they retain; None without threads."""
    threads = np.array(sorted(set(heap.roots.thread_nodes.values())), np.int32)
    if not threads.size:
        return None
    owners, values, stale = _entries(heap, threads)
    there = heap.reachable(values)
    owners, values, stale = owners[there], values[there], stale[there]
    distinct, first = np.unique(values, return_index=True)
    owners, stale = owners[first], stale[first]
    retained = heap.dominance.retained_together(distinct)
    # A cut dump lacks objects that the JVM had: a reference into the gap looks like one that was cleared.
    whole = heap.problem is None
    return ThreadLocals(
        entries=distinct.size,
        retained_bytes=int(retained.sum()),
        stale_entries=int(stale.sum()) if whole else None,
        stale_bytes=int(retained[stale].sum()) if whole else None,
        threads=_threads(heap, threads, owners, distinct, retained),
        values=_classes(heap, distinct, retained),
    )


def _entries(
    heap: Heap, threads: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
    """(position of the thread, value, whether the key was collected) of all entries that have a value."""
    parts = []
    for field in ("threadLocals", "inheritableThreadLocals"):
        owners, entries = heap.elements(heap.refs(heap.refs(threads, field), "table"))
        keyless = heap.refs(entries, "referent") < 0
        parts.append((owners, heap.refs(entries, "value"), keyless))
    owners, values = heap.elements(heap.refs(heap.refs(threads, "threadLocalMap"), "indexedVariables"))
    unset = [heap.classes.static_ref(row, "UNSET") for row in heap.classes.indices_ending(_NETTY_MAP)]
    used = ~is_in(values, unset)
    parts.append((owners[used], values[used], np.zeros(int(used.sum()), bool)))
    owners, values, keyless = (np.concatenate(column) for column in zip(*parts, strict=True))
    return owners, values, keyless


def _threads(
    heap: Heap,
    threads: NDArray[np.int32],
    owners: NDArray[np.int64],
    values: NDArray[np.int32],
    retained: NDArray[np.int64],
) -> tuple[ThreadLocalsOf, ...]:
    counts = np.bincount(owners, minlength=threads.size)
    sums = np.bincount(owners, retained, threads.size).astype(np.int64)
    largest = np.argsort(-sums, kind="stable")[:THREADS]
    largest = largest[counts[largest] > 0]
    names = heap.strings(heap.refs(threads[largest], "name"))
    found = []
    for at, name in zip(largest.tolist(), names, strict=True):
        mine = np.flatnonzero(owners == at)
        heaviest = int(values[mine[retained[mine].argmax()]])
        found.append(
            ThreadLocalsOf(
                thread=name or "",
                object_id=f"0x{heap.object_id(int(threads[at])):x}",
                entries=int(counts[at]),
                retained_bytes=int(sums[at]),
                largest_class=heap.class_name(heaviest),
            )
        )
    return tuple(found)


def _classes(heap: Heap, values: NDArray[np.int32], retained: NDArray[np.int64]) -> tuple[str, ...]:
    rows, which = np.unique(heap.index.rows[values], return_inverse=True)
    counts = np.bincount(which, minlength=rows.size)
    sums = np.bincount(which, retained, rows.size).astype(np.int64)
    return tuple(
        f"{heap.classes.names[rows[at]]}: {int(sums[at]):,} bytes in {int(counts[at]):,}"
        for at in np.argsort(-sums, kind="stable")[:CLASSES].tolist()
    )

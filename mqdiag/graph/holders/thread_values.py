"""What threads hold by themselves: local variables and thread locals, summed over all threads of a kind."""

from __future__ import annotations

from collections import defaultdict

import msgspec
import numpy as np

from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.naming import frame_of_local, method_of, thread_local_names
from mqdiag.graph.holders.own_classes import is_application, named_class
from mqdiag.graph.threads import ThreadRecord

_THREADS_AT_MOST = 4096
_LEAST_SHARE = 0.0005
"""of the reachable bytes, for one value to be looked at: many threads may have one each"""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """Values of one kind in one or several threads.

    `label` is the method of the frame, or the field that holds the ThreadLocal; `places` are the values in the
    dominator tree, the largest first.
    """

    kind: str
    label: str
    frame: str | None
    threads: tuple[str, ...]
    places: tuple[int, ...]
    retained_bytes: int


class ThreadValues(msgspec.Struct, frozen=True, kw_only=True):
    """`held` by kind and label; `fields` are places below threads that only a field of an object leads to."""

    held: tuple[Held, ...]
    fields: tuple[int, ...]


def thread_values(heap: Heap, records: dict[int, ThreadRecord], least_bytes: int) -> ThreadValues:
    """Look at the threads that retain much.

    Args:
        heap: the graph.
        records: threads by node.
        least_bytes: what a place among `fields` retains at least.
    """
    tree = heap.dominance
    least = max(int(tree.total_bytes * _LEAST_SHARE), 1)
    found: dict[tuple[str, str], list[tuple[int, int, str, str | None]]] = defaultdict(list)
    locals_of: list[tuple[int, int, int]] = []
    fields: list[int] = []
    threads = np.array(sorted(records), np.int32)
    threads = threads[np.argsort(-heap.retained_sizes(threads), kind="stable")][:_THREADS_AT_MOST]
    for node, weight in zip(threads.tolist(), heap.retained_sizes(threads).tolist(), strict=True):
        if weight < least:
            break
        record = records[node]
        values = _thread_local_values(heap, node)
        _, large = tree.heavy_children(int(tree.numbers[node]), least)
        maps = {heap.ref(node, field) for field in ("threadLocals", "inheritableThreadLocals")}
        own = range(int(tree.numbers[node]), int(tree.numbers[node]) + int(tree.dominated[tree.numbers[node]]))
        for value, key in values.items():
            retained = int(heap.retained_sizes(np.array([value], np.int32))[0])
            # a value that several threads have is an accumulation point by itself
            if retained >= least and int(tree.numbers[value]) in own:
                locals_of.append((value, key, node))
        for place in large.tolist():
            child = int(tree.order[place])
            if child in values or child in maps:
                continue
            frame = frame_of_local(record, child)
            if frame is None or is_application(named_class(heap, child)):
                if int(tree.retained(np.array([place], np.int32))[0]) >= least_bytes:
                    fields.append(place)
                continue
            retained = int(tree.retained(np.array([place], np.int32))[0])
            found["local-variable", method_of(frame)].append((retained, place, record.name, frame))
    names = thread_local_names(heap, [key for _, key, _ in locals_of])
    for value, key, node in locals_of:
        retained = int(heap.retained_sizes(np.array([value], np.int32))[0])
        label = names.get(key, heap.class_name(key) if key >= 0 else "java.lang.ThreadLocal")
        found["thread-local", label].append((retained, int(tree.numbers[value]), records[node].name, None))
    return ThreadValues(
        held=tuple(_held(kind, label, rows) for (kind, label), rows in found.items()), fields=tuple(fields)
    )


def _held(kind: str, label: str, rows: list[tuple[int, int, str, str | None]]) -> Held:
    rows.sort(key=lambda row: -row[0])
    return Held(
        kind=kind,
        label=label,
        frame=rows[0][3],
        threads=tuple(dict.fromkeys(row[2] for row in rows)),
        places=tuple(row[1] for row in rows),
        retained_bytes=sum(row[0] for row in rows),
    )


def _thread_local_values(heap: Heap, thread: int) -> dict[int, int]:
    """Value to key, -1 for a key that was collected; of ThreadLocal and InheritableThreadLocal."""
    found: dict[int, int] = {}
    for field in ("threadLocals", "inheritableThreadLocals"):
        _, entries = heap.elements(np.array([heap.ref(thread, f"{field}.table")], np.int32))
        values, keys = heap.refs(entries, "value"), heap.refs(entries, "referent")
        found |= {value: key for value, key in zip(values.tolist(), keys.tolist(), strict=True) if value >= 0}
    return found

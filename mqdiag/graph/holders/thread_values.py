"""What threads hold by themselves: local variables and thread locals, summed over all threads of a kind."""

from __future__ import annotations

from collections import Counter, defaultdict

import msgspec
import numpy as np

from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.naming import frame_of_local, is_own_local, thread_local_names
from mqdiag.graph.holders.own_classes import is_application, named_class
from mqdiag.graph.readable_path import readable_path
from mqdiag.graph.threads import ThreadRecord
from mqdiag.knowledge.lookup import works_alone
from mqdiag.knowledge.own_code import method_of

_THREADS_AT_MOST = 4096
_LEAST_SHARE = 0.0005
"""share of the reachable bytes, for one value to be looked at: many threads may have one each"""
_MAPS = ("threadLocals", "inheritableThreadLocals")
_FAST_MAP, _FAST_KEY = "threadLocalMap", ".util.concurrent.FastThreadLocal"
"""the field of Netty's threads, and the end of a class name, as Netty may be relocated"""


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
    fast_keys = _fast_keys(heap)
    threads = np.array(sorted(records), np.int32)
    threads = threads[np.argsort(-heap.retained_sizes(threads), kind="stable")][:_THREADS_AT_MOST]
    for node, weight in zip(threads.tolist(), heap.retained_sizes(threads).tolist(), strict=True):
        if weight < least:
            break
        record = records[node]
        values = _thread_local_values(heap, node) | _fast_values(heap, node, fast_keys)
        _, large = tree.heavy_children(int(tree.numbers[node]), least)
        maps = {heap.ref(node, field) for field in (*_MAPS, _FAST_MAP)}
        own = range(int(tree.numbers[node]), int(tree.numbers[node]) + int(tree.dominated[tree.numbers[node]]))
        for value, key in values.items():
            retained = int(heap.retained_sizes(np.array([value], np.int32))[0])
            # a value that several threads have is an accumulation point by itself
            if retained >= least and int(tree.numbers[value]) in own:
                locals_of.append((value, key, node))
        alone = works_alone(named_class(heap, node))
        for place in large.tolist():
            child = int(tree.order[place])
            if child in values or child in maps:
                continue
            frame = frame_of_local(record, child)
            retained = int(tree.retained(np.array([place], np.int32))[0])
            if frame is None or alone or is_application(named_class(heap, child)):
                if retained >= least_bytes:
                    fields.append(place)
            elif retained >= least_bytes and not is_own_local(record, child) and _in_own_field(heap, child):
                fields.append(place)
            else:
                found["local-variable", method_of(frame)].append((retained, place, record.name, frame))
    names = thread_local_names(heap, [key for _, key, _ in locals_of])
    for value, key, node in locals_of:
        retained = int(heap.retained_sizes(np.array([value], np.int32))[0])
        label = names.get(key, heap.class_name(key) if key >= 0 else "java.lang.ThreadLocal")
        found["thread-local", label].append((retained, int(tree.numbers[value]), records[node].name, None))
    return ThreadValues(
        held=tuple(_held(kind, label, rows) for (kind, label), rows in found.items()), fields=tuple(fields)
    )


def _in_own_field(heap: Heap, node: int) -> bool:
    """Whether a field of the application leads to what only frames of a library or of the JDK have in a local."""
    return any(is_application(named_class(heap, at)) for at in readable_path(heap, node))


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
    for field in _MAPS:
        _, entries = heap.elements(np.array([heap.ref(thread, f"{field}.table")], np.int32))
        values, keys = heap.refs(entries, "value"), heap.refs(entries, "referent")
        found |= {value: key for value, key in zip(values.tolist(), keys.tolist(), strict=True) if value >= 0}
    return found


def _fast_keys(heap: Heap) -> dict[int, int]:
    """Each FastThreadLocal of Netty by its index; none of those that two copies of Netty gave to one each."""
    keys = heap.instances(heap.classes.indices_ending(_FAST_KEY))
    indexes = heap.numbers(keys, "index").tolist()
    times = Counter(indexes)
    return {index: key for index, key in zip(indexes, keys.tolist(), strict=True) if times[index] == 1}


def _fast_values(heap: Heap, thread: int, keys: dict[int, int]) -> dict[int, int]:
    """Value to key of a thread of Netty, which has each value at the index of its key."""
    array = heap.ref(thread, f"{_FAST_MAP}.indexedVariables")
    if array < 0:
        return {}
    one = np.array([array], np.int32)
    _, values = heap.elements(one)
    # without a null among them elements are at their indexes: an object UNSET stands for a value that is not there
    if values.size != int(heap.array_lengths(one)[0]):
        return {}
    return {value: keys[index] for index, value in enumerate(values.tolist()) if index in keys}

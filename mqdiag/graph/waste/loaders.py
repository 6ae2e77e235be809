"""Class loaders of one kind that loaded the same classes: what redeployed applications and closed plugins leave."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.waste import LoaderGroup
from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.distinct import is_in

MOST_GROUPS = 5
MANY = 5
"""loaders of one class from which on it is asked what keeps them, if none of them is closed: that costs a walk"""
_LOADER = 2
"""column of a class's heads"""


def repeated_loaders(heap: Heap) -> tuple[LoaderGroup, ...]:
    """Kinds of reachable loaders that share class names, by retained bytes."""
    shared: dict[str, dict[str, list[int]]] = {}
    for name, loaders in _loaders_of_repeated_names(heap).items():
        for loader in loaders:
            shared.setdefault(heap.class_name(loader), {}).setdefault(name, []).append(loader)
    groups = []
    for kind, by_name in shared.items():
        repeated = {name: loaders for name, loaders in by_name.items() if len(loaders) > 1}
        if repeated:
            groups.append(_group(heap, kind, repeated))
    groups.sort(key=lambda group: (-group.retained_bytes, group.loader_class))
    return tuple(groups[:MOST_GROUPS])


def _loaders_of_repeated_names(heap: Heap) -> dict[str, list[int]]:
    """Class name to the reachable loaders that define such a class, the boot loader left out."""
    dumped = heap.dump.classes.dumped
    names: dict[str, list[int]] = {}
    for row, name in enumerate(heap.classes.names[:dumped]):
        names.setdefault(name, []).append(row)
    repeated = [row for rows in names.values() if len(rows) > 1 for row in rows]
    nodes = heap.index.lookup.find(heap.dump.classes.heads[repeated, _LOADER])
    found: dict[str, list[int]] = {}
    for row, node, alive in zip(repeated, nodes.tolist(), heap.reachable(nodes).tolist(), strict=True):
        if alive:
            found.setdefault(heap.classes.names[row], []).append(node)
    return {name: sorted(set(loaders)) for name, loaders in found.items()}


def _group(heap: Heap, kind: str, repeated: dict[str, list[int]]) -> LoaderGroup:
    example = min(repeated, key=lambda name: (-len(repeated[name]), _is_generated(name), name))
    loaders = np.array(repeated[example], np.int32)
    closed = _closed(heap, loaders)
    classes = _classes_of(heap, loaders)
    chosen = int(loaders[np.lexsort((-heap.retained_sizes(loaders), ~closed))[0]])
    together = np.concatenate((loaders, classes))
    if closed.any() or loaders.size >= MANY:
        # An object held from outside keeps its class, and that its loader: neither dominates all of the others.
        retained = heap.retained_of_sets([together])[0][1]
        path = tuple(heap.path_to_root(chosen))
    else:
        retained, path = int(heap.dominance.retained_together(together).sum()), ()
    return LoaderGroup(
        loader_class=kind,
        loaders=loaders.size,
        closed=int(closed.sum()),
        example_class=example,
        repeated_classes=len(repeated),
        retained_bytes=retained,
        object_id=f"0x{heap.object_id(chosen):x}",
        path=path,
    )


def _classes_of(heap: Heap, loaders: NDArray[np.int32]) -> NDArray[np.int32]:
    """Reachable class objects that these loaders defined."""
    records, dumped = heap.dump.classes, heap.dump.classes.dumped
    mine = is_in(heap.index.lookup.find(records.heads[:dumped, _LOADER]), loaders)
    nodes = heap.index.lookup.find(records.ids[:dumped][mine])
    return nodes[heap.reachable(nodes)]


def _is_generated(name: str) -> bool:
    return any(part in name for part in ("$$", "$Proxy", "Lambda", "/0x"))


def _closed(heap: Heap, loaders: NDArray[np.int32]) -> NDArray[np.bool_]:
    """URLClassLoader.ucp.closed is set by close() and by nothing else; JDK 7 to 25."""
    closed: NDArray[np.bool_] = heap.numbers(heap.refs(loaders, "ucp"), "closed") == 1
    return closed

"""The shortest ways from GC roots to many objects as one tree of classes and fields.

What Eclipse MAT calls "merge shortest paths to GC roots", but by class and field: one object in a static map and
twelve million of them both give a few lines.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.shown import PathStep
from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels import merge as kernel
from mqdiag.graph.paths import describe
from mqdiag.graph.roots import ROOT_NAMES
from mqdiag.read.cores import LEAST_OBJECTS, pool, worker_count
from mqdiag.read.hprof.distinct import is_in

Nodes = NDArray[np.int32]
LEAST_SHARE = 0.01
"""a step below this share of what the whole tree leads to is only counted"""
MOST_BRANCHES = 8
MOST_STEPS = 60
"""longest way told"""
_NOT_YET = -1
_FIRST_ROOM, _MOST_ROOM = 1 << 16, 1 << 22
_ROOT_TYPES = 256
_SLICE = 1 << 13
"""references that are looked up together"""
_HEADS = {-4: "superclass", -5: "class loader", -6: "signers", -7: "protection domain"}


def paths_to_all(heap: Heap, nodes: Nodes, retained: NDArray[np.int64]) -> tuple[PathStep, ...]:
    """Merged shortest paths to many objects, largest first.

    Args:
        heap: the graph.
        nodes: reachable, distinct.
        retained: int64, see `Dominance.retained_together`.
    """
    shallow = heap.shallow_sizes(nodes)
    return _Merged(heap, heap.shortest_paths[nodes], nodes, shallow, retained).tree()


def paths_to_one(heap: Heap, node: int, referrers: Nodes) -> tuple[PathStep, ...]:
    """Merged shortest paths to an object through each of its referrers, largest share of referrers first.

    Referrers that can be reached only through the object itself are left out.
    """
    came_from = heap.shortest_paths
    if came_from[node] == _NOT_YET:
        return ()
    weak = heap.instances(heap.classes.indices_named("java.lang.ref.Reference"))
    is_weak = is_in(referrers, weak)
    is_weak[is_weak] = heap.refs(referrers[is_weak], "referent") == node
    sources = np.union1d(referrers[~is_weak & (came_from[referrers] != _NOT_YET)], [came_from[node]])
    one = np.ones(sources.size, np.int64)
    targets = np.full(sources.size, node, np.int32)
    return _Merged(heap, sources.astype(np.int32), targets, one * 0, one * 0, shut=node).tree()


class _Groups(msgspec.Struct):
    """What the kernel found; see `merge_paths`. `below` lists the groups under each, -1 for the roots."""

    groups: NDArray[np.int32]
    examples: Nodes
    objects: NDArray[np.int64]
    sums: NDArray[np.int64]
    below: dict[int, list[int]]


class _Merged:
    def __init__(
        self,
        heap: Heap,
        sources: Nodes,
        targets: Nodes,
        shallow: NDArray[np.int64],
        retained: NDArray[np.int64],
        shut: int = -1,
    ) -> None:
        self._heap = heap
        self._shut = shut
        classes, came_from = _classes(heap), heap.shortest_paths
        on_the_way = _holders_on_paths(came_from, sources)
        edges = np.empty(heap.count, np.int32)
        edges[on_the_way] = _edge_codes(heap, classes, came_from[on_the_way], on_the_way)
        paths = kernel.ShortestPaths(heap.roots.nodes, heap.roots.types, came_from, edges)
        ends = kernel.Targets(sources, targets, _edge_codes(heap, classes, sources, targets), shallow, retained)
        room = _FIRST_ROOM
        while True:
            found = self._merge(paths, classes, ends, room)
            if found is not None:
                break
            room *= 8
        self._found = found
        self._class_count = heap.classes.count
        self._total = found.sums[:, 1:][found.groups[:, 0] < 0].sum(axis=0)

    def _merge(
        self, paths: kernel.ShortestPaths, classes: kernel.Classes, targets: kernel.Targets, room: int
    ) -> _Groups | None:
        """None when there are more groups than room."""
        heap = self._heap
        # At the last size what does not fit stays with its holder; only roots are sure of a place.
        size = room if room < _MOST_ROOM else room + 2 * heap.classes.count * _ROOT_TYPES
        group_of = np.full(heap.count, kernel.NONE, np.int32)
        if self._shut >= 0:
            group_of[self._shut] = kernel.SHUT
        found = kernel.Groups(
            most=room,
            group_of=group_of,
            stack=np.empty(heap.count, np.int32),
            table=np.full(1 << (size * 3 // 2).bit_length(), -1, np.int32),
            entry_keys=np.empty((size, 3), np.int32),
            entry_groups=np.empty(size, np.int32),
            groups=np.empty((size, 3), np.int32),
            examples=np.empty(size, np.int32),
            objects=np.zeros(size, np.int64),
            sums=np.zeros((size, 4), np.int64),
            used=np.zeros(3, np.int64),
        )
        if not kernel.merge_paths(heap.index.rows, classes, paths, targets, found):
            return None
        count = int(found.used[1])
        below: dict[int, list[int]] = {}
        for group, above in enumerate(found.groups[:count, 0].tolist()):
            below.setdefault(above, []).append(group)
        return _Groups(
            found.groups[:count], found.examples[:count], found.objects[:count], found.sums[:count], below
        )

    def tree(self) -> tuple[PathStep, ...]:
        """The steps from the roots."""
        return tuple(self._step(group, 1) for group in self._children(-1)[0])

    def _children(self, group: int) -> tuple[list[int], list[int]]:
        """(groups to show, largest first; groups that are too small)."""
        sums = self._found.sums
        groups = [below for below in self._found.below.get(group, []) if sums[below, 1]]
        groups.sort(key=lambda below: (-int(sums[below, 3]), -int(sums[below, 1]), below))
        shown = [below for below in groups[:MOST_BRANCHES] if self._share(below) >= LEAST_SHARE]
        return shown, groups[len(shown) :]

    def _share(self, group: int) -> float:
        """The larger of the shares of instances and of retained bytes."""
        sums = self._found.sums[group]
        return max(
            int(sums[1]) / max(int(self._total[0]), 1),
            int(sums[3]) / max(int(self._total[2]), 1),
        )

    def _step(self, group: int, depth: int) -> PathStep:
        shown, hidden = self._children(group)
        if depth >= MOST_STEPS:
            shown, hidden = [], shown + hidden
        ends, instances, shallow, retained = self._found.sums[group].tolist()
        example = int(self._found.examples[group])
        objects = int(self._found.objects[group])
        alone = max(objects, ends) == 1
        label = describe(self._heap, example)
        above, code, kind = self._found.groups[group].tolist()
        class_name = self._class_name(kind)
        return PathStep(
            root=ROOT_NAMES.get(code, "GC root") if above < 0 else None,
            field="" if above < 0 else self._field(int(self._found.groups[above, 2]), code),
            class_name=class_name,
            label=label if alone and label != class_name else None,
            object_id=f"0x{self._heap.object_id(example):x}" if alone else None,
            objects=objects,
            ends=ends,
            instances=instances,
            shallow_bytes=shallow,
            retained_bytes=retained,
            below=tuple(self._step(below, depth + 1) for below in shown),
            more_steps=len(hidden),
            more_instances=sum(int(self._found.sums[below, 1]) for below in hidden),
        )

    def _class_name(self, kind: int) -> str:
        names = self._heap.classes.names
        return names[kind] if kind < self._class_count else f"class {names[kind - self._class_count]}"

    def _field(self, holder: int, code: int) -> str:
        heap = self._heap
        if code == kernel.ELEMENT:
            return "[]"
        if code == kernel.LOCAL:
            return "local variable"
        row = holder - self._class_count
        if code == kernel.CLASS or code in _HEADS:
            what = _HEADS.get(code, "class")
            return f"{heap.classes.names[row if row >= 0 else holder]}, {what}"
        if row >= 0:
            name = heap.dump.classes.static_names[heap.dump.classes.static_starts[row] + code]
            return f"{heap.classes.names[row]}.{heap.dump.names.text(int(name))}"
        place = int(heap.dump.classes.layout_places[heap.dump.classes.layout_starts[holder] + code])
        for name, places in heap.classes.field_places(holder).items():
            if any(offset == place for offset, _ in places):
                return f"{heap.classes.names[holder]}.{name}"
        return heap.classes.names[holder]


def _classes(heap: Heap) -> kernel.Classes:
    classes = heap.dump.classes
    class_objects = np.array(sorted(heap.class_of_node), np.int32)
    represented = np.array([heap.class_of_node[node] for node in class_objects.tolist()], np.int32)
    return kernel.Classes(
        layout_starts=classes.layout_starts,
        layout_places=classes.layout_places,
        static_starts=classes.static_starts,
        static_types=classes.static_types,
        static_values=classes.static_values,
        kept_alive=heap.class_nodes,
        class_row=int(heap.index.rows[class_objects[0]]) if class_objects.size else -1,
        class_objects=class_objects,
        represented=represented,
    )


def _holders_on_paths(came_from: Nodes, holders: Nodes) -> Nodes:
    found = np.empty(came_from.size, np.int32)
    count = kernel.holders_on_paths(came_from, holders, np.zeros(came_from.size, np.uint8), found)
    return found[:count]


def _edge_codes(heap: Heap, classes: kernel.Classes, holders: Nodes, held: Nodes) -> NDArray[np.int32]:
    """int32[k], see the kernel.

    The records lie all over the file: those of a slice are still in the processor's cache after they were checked.
    """
    codes = np.empty(held.size, np.int32)

    def find(first: int) -> None:
        part = slice(first, first + _SLICE)
        there = holders[part]
        offsets = heap.index.offsets_at(np.concatenate((there[there >= 0], held[part])))
        objects = kernel.Objects(heap.data, heap.header.id_size, offsets, heap.index.rows)
        kernel.edge_codes(objects, classes, there, held[part], codes[part])

    with pool(worker_count(), is_large=heap.count >= LEAST_OBJECTS) as threads:
        list(threads.map(find, range(0, held.size, _SLICE)))
    return codes

"""The names by which objects refer to others: fields, statics, elements, local variables."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.reference_names import FieldNames, ReferenceRows, name_references
from mqdiag.read.hprof.distinct import distinct, is_in
from mqdiag.read.hprof.records import big_endian
from mqdiag.read.hprof.types import REFERENCE

ELEMENT, LOCAL = "[]", "local variable"
_UNNAMED = ""
_HEADS = ("superclass", "class loader", "signers", "protection domain")
"""what a class object refers to besides its statics, in the order of its record"""


class ReferenceNames:
    """Names of all references of a heap, as numbers into `names`; made once, asked for slices of the objects."""

    def __init__(self, heap: Heap) -> None:
        self._heap = heap
        self._numbers: dict[str, int] = {}
        self._rows = ReferenceRows(
            heap.data, heap.header.id_size, heap.index.offsets, heap.index.rows,
            heap.references.starts, heap.references.edges,
        )  # fmt: skip
        self._fields = FieldNames(
            heap.dump.classes.layout_starts,
            heap.dump.classes.layout_places,
            self._of_layouts(),
            self._number(ELEMENT),
            self._number(_UNNAMED),
        )
        self._local = self._number(LOCAL)
        self._thread_nodes = distinct(heap.references.extra_from)
        self._thread_nodes = self._thread_nodes[
            is_in(self._thread_nodes, list(heap.roots.thread_nodes.values()))
        ]
        self._class_edges, self._class_names = self._of_class_objects()

    @cached_property
    def names(self) -> list[str | None]:
        """The names by number; None for a reference that no field holds."""
        return [name or None for name in self._numbers]

    def of(self, first: int, last: int) -> NDArray[np.int32]:
        """Numbers of the names of all references of the objects `first` to `last`, in the order of the graph."""
        starts = self._heap.references.starts
        begin, end = int(starts[first]), int(starts[last])
        found = np.empty(end - begin, np.int32)
        name_references(self._rows, self._fields, first, last, self._heap.references.dangling == 0, found)
        low, high = np.searchsorted(self._class_edges, (begin, end))
        found[self._class_edges[low:high] - begin] = self._class_names[low:high]
        inside = self._thread_nodes[(self._thread_nodes >= first) & (self._thread_nodes < last)]
        for thread in inside.tolist():
            own = found[int(starts[thread]) - begin : int(starts[thread + 1]) - begin]
            own[own == self._fields.unnamed] = self._local
        return found

    def _number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def _of_layouts(self) -> NDArray[np.int32]:
        """The number of the field's name for each entry of `layout_places`."""
        heap, classes = self._heap, self._heap.dump.classes
        numbers = np.full(classes.layout_places.size, self._number(_UNNAMED), np.int32)
        for row in np.flatnonzero(heap.row_counts).tolist():
            begin, end = int(classes.layout_starts[row]), int(classes.layout_starts[row + 1])
            if begin == end:
                continue
            by_place = {
                place: name
                for name, places in heap.classes.field_places(row).items()
                for place, kind in places
                if kind == REFERENCE
            }
            for at, place in enumerate(classes.layout_places[begin:end].tolist(), begin):
                numbers[at] = self._number(by_place.get(place, _UNNAMED))
        return numbers

    def _of_class_objects(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """(places among the edges, numbers of names) of what class objects refer to, ascending."""
        heap, classes = self._heap, self._heap.dump.classes
        dumped, lookup = classes.dumped, heap.index.lookup
        nodes = lookup.find(classes.ids[:dumped])
        there = np.flatnonzero(nodes >= 0)
        there = there[heap.data[heap.index.places(nodes[there])] == 0x20]
        heads = classes.heads[there, 1 : 1 + len(_HEADS)]
        found = lookup.find(heads.ravel()) >= 0
        owners = [np.repeat(there, len(_HEADS))[found]]
        names = [np.tile([self._number(name) for name in _HEADS], there.size)[found]]
        statics = np.flatnonzero(classes.static_types == REFERENCE)
        rows = np.searchsorted(classes.static_starts, statics, "right") - 1
        targets = lookup.find(big_endian(heap.data, classes.static_values[statics], heap.header.id_size))
        kept = (targets >= 0) & is_in(rows, there)
        owners.append(rows[kept])
        text = heap.dump.names.text
        names.append(
            np.array([self._number(text(int(name))) for name in classes.static_names[statics[kept]]], np.int64)
        )
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        owner, numbers = owner[order], np.concatenate(names)[order]
        first = np.searchsorted(owner, owner, "left")
        edges = heap.references.starts[nodes[owner]].astype(np.int64) + np.arange(owner.size) - first
        order = np.argsort(edges, kind="stable")
        return edges[order], numbers[order].astype(np.int32)

"""The table `refs`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.graph.object_graph import Nodes
from mqdiag.graph.reference_names import ReferenceNames
from mqdiag.query.arrow_arrays import number_array, text_array, words_array
from mqdiag.query.object_columns import ID, NAME, ids
from mqdiag.query.table import PART, Column, Part, Table


class _References:
    """Read in slices of the objects that refer."""

    def __init__(self, heap: Heap) -> None:
        self._heap = heap
        self._starts = heap.references.starts

    def parts(self) -> Iterator[Part]:
        """Slices of objects with about as many references as a part has rows."""
        first = 0
        while first < self._heap.count:
            wanted = int(self._starts[first]) + PART
            last = int(np.searchsorted(self._starts, wanted, "right")) - 1
            last = min(max(last, first + 1), self._heap.count)
            yield first, last
            first = last

    @cached_property
    def _names(self) -> ReferenceNames:
        return ReferenceNames(self._heap)

    @cached_property
    def _words(self) -> pa.Array:
        return text_array(self._names.names)

    def owners(self, first: int, last: int) -> pa.Array:
        nodes = np.arange(first, last, dtype=np.int32)
        counts = np.diff(self._starts[first : last + 1])
        return number_array(np.repeat(self._heap.object_ids(nodes), counts), pa.uint64())

    def owner_classes(self, first: int, last: int) -> pa.Array:
        counts = np.diff(self._starts[first : last + 1])
        return self._named(np.repeat(self._heap.index.rows[first:last], counts))

    def target_classes(self, first: int, last: int) -> pa.Array:
        return self._named(self._heap.index.rows[self._edges(first, last)])

    def fields(self, first: int, last: int) -> pa.Array:
        return words_array(self._names.of(first, last), self._words)

    def targets(self, first: int, last: int) -> pa.Array:
        return ids(self._heap, self._edges(first, last))

    def target_sizes(self, first: int, last: int) -> NDArray[np.int64]:
        return self._heap.shallow_sizes(self._edges(first, last))

    def _edges(self, first: int, last: int) -> Nodes:
        return self._heap.references.edges[int(self._starts[first]) : int(self._starts[last])]

    @cached_property
    def _class_names(self) -> pa.Array:
        return text_array(self._heap.classes.names)

    def _named(self, rows: NDArray[Any]) -> pa.Array:
        return words_array(rows, self._class_names)


def table(heap: Heap, hide: bool) -> Table:
    """A row for each reference."""
    references = _References(heap)
    return Table(
        int(heap.references.edges.size),
        {
            "from_id": Column(ID, references.owners),
            "field": Column(
                NAME,
                references.fields,
            ),
            "to_id": Column(ID, references.targets),
            "from_class": Column(NAME, references.owner_classes),
            "to_class": Column(NAME, references.target_classes),
            "to_shallow": Column(pa.int64(), references.target_sizes),
        },
        references.parts,
    )

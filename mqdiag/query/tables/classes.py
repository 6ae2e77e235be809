"""The table `classes`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.query.arrow_arrays import number_array
from mqdiag.query.table import Column, Table


class _Classes:
    """The classes that a dump describes or has objects of."""

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        dumped = heap.dump.classes.dumped
        self.rows = np.flatnonzero((np.arange(heap.classes.count) < dumped) | (heap.row_counts > 0))

    def names(self, first: int, last: int) -> list[str]:
        return [self.heap.classes.names[row] for row in self.rows[first:last].tolist()]

    def superclasses(self, first: int, last: int) -> list[str | None]:
        above = self.heap.classes.superclass[self.rows[first:last]].tolist()
        return [self.heap.classes.names[row] if row >= 0 else None for row in above]

    def ids(self, first: int, last: int) -> pa.Array:
        found = self.heap.dump.classes.ids[self.rows[first:last]]
        return number_array(found, pa.uint64(), found == 0)

    def loaders(self, first: int, last: int) -> pa.Array:
        found = np.ascontiguousarray(self.heap.dump.classes.heads[self.rows[first:last], 2])
        return number_array(found, pa.uint64(), self.heap.index.lookup.find(found) < 0)

    def instances(self, first: int, last: int) -> NDArray[np.int64]:
        return self.heap.class_sizes[0][self.rows[first:last]]

    def shallow(self, first: int, last: int) -> NDArray[np.int64]:
        return self.heap.class_sizes[1][self.rows[first:last]]

    def retained(self, first: int, last: int) -> NDArray[np.int64]:
        return self.heap.class_retained[self.rows[first:last]]


def table(heap: Heap, hide: bool) -> Table:
    """A row for each loaded class."""
    classes = _Classes(heap)
    return Table(
        int(classes.rows.size),
        {
            "id": Column(pa.uint64(), classes.ids),
            "class": Column(pa.string(), classes.names),
            "superclass": Column(pa.string(), classes.superclasses),
            "loader": Column(pa.uint64(), classes.loaders),
            "instances": Column(pa.int64(), classes.instances),
            "shallow": Column(pa.int64(), classes.shallow),
            "retained": Column(
                pa.int64(),
                classes.retained,
            ),
        },
    )

"""The table `strings`."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.graph import strings as graph_strings
from mqdiag.query.hidden import hidden
from mqdiag.query.object_columns import id_column, ids, numbers_column, of_nodes, size_columns, texts
from mqdiag.query.table import Column, Table, row_parts

_AT_ONCE = 1 << 13
"""strings decoded at once: a crafted dump has many that share one array, and each text may take 24 KB"""


class _Strings:
    """All strings of a heap."""

    def __init__(self, heap: Heap, hide: bool) -> None:
        self._heap, self._hide = heap, hide
        self.nodes = heap.instances(heap.classes.indices_named("java.lang.String"), subclasses=False)

    def texts(self, first: int, last: int) -> pa.Array:
        found = texts(self._heap, self.nodes[first:last])
        return hidden(found) if self._hide else found

    def arrays(self, first: int, last: int) -> pa.Array:
        return ids(self._heap, self._heap.refs(self.nodes[first:last], "value"))

    def counts(self, first: int, last: int) -> NDArray[np.int64]:
        return self._counts[first:last]

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        """For each string how many have the same hash; a hash has 63 bits, so two texts do not share one."""
        hashes = np.empty(self.nodes.size, np.uint64)
        for first, last in row_parts(self.nodes.size):
            hashes[first:last] = graph_strings.hashes(self._heap, self.nodes[first:last])
        _, places, counts = np.unique(hashes, return_inverse=True, return_counts=True)
        found: NDArray[np.int64] = counts[places]
        return found


def table(heap: Heap, hide: bool) -> Table:
    """A row for each string, by address."""
    strings = _Strings(heap, hide)
    pick = of_nodes(strings.nodes)
    return Table(
        int(strings.nodes.size),
        {
            "id": id_column(heap, pick),
            "text": Column(pa.large_string(), strings.texts),
            "length": numbers_column(
                heap,
                pick,
                lambda nodes: graph_strings.lengths(heap, nodes),
                heap.MISSING,
            ),
            "count": Column(pa.int64(), strings.counts),
            "value": Column(pa.uint64(), strings.arrays),
            **size_columns(heap, pick),
        },
        lambda: row_parts(int(strings.nodes.size), _AT_ONCE),
    )

"""Columns that tables of objects have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.graph.object_graph import Nodes
from mqdiag.query.arrow_arrays import number_array, text_array, words_array
from mqdiag.query.table import Column

Pick = Callable[[int, int], Nodes]
"""the objects of a part of the rows"""
ID = pa.uint64()
NAME = pa.dictionary(pa.int32(), pa.string())


def of_nodes(nodes: Nodes) -> Pick:
    """A row for each of some objects."""
    return lambda first, last: nodes[first:last]


def ids(heap: Heap, nodes: Nodes) -> pa.Array:
    """Ids of objects; null for -1."""
    there = nodes >= 0
    if there.all():
        return number_array(heap.object_ids(nodes), ID)
    found = np.zeros(nodes.size, np.uint64)
    found[there] = heap.object_ids(nodes[there])
    return number_array(found, ID, ~there)


def id_column(heap: Heap, pick: Pick) -> Column:
    """The ids of objects."""
    return Column(ID, lambda first, last: ids(heap, pick(first, last)))


def class_column(heap: Heap, pick: Pick) -> Column:
    """The names of the objects' classes, as numbers into the names of all classes."""
    names = text_array(heap.classes.names)
    return Column(
        NAME,
        lambda first, last: words_array(heap.index.rows[pick(first, last)], names),
    )


def size_columns(heap: Heap, pick: Pick) -> dict[str, Column]:
    """Shallow and retained bytes."""
    return {
        "shallow": Column(pa.int64(), lambda first, last: heap.shallow_sizes(pick(first, last))),
        "retained": Column(
            pa.int64(),
            lambda first, last: heap.retained_sizes(pick(first, last)),
        ),
    }


def numbers_column(heap: Heap, pick: Pick, read: Callable[[Nodes], NDArray[np.int64]], missing: int) -> Column:
    """Whole numbers; null where `read` gives `missing`."""

    def column(first: int, last: int) -> pa.Array:
        found = read(pick(first, last))
        return number_array(found, pa.int64(), found == missing)

    return Column(pa.int64(), column)


def texts(heap: Heap, nodes: Nodes) -> pa.Array:
    """Texts of strings, without a Python object for any; null for what is no string."""
    there, ends, encoded = heap.utf8(nodes)
    validity = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
    return pa.Array.from_buffers(
        pa.large_string(), nodes.size, [validity, pa.py_buffer(ends), pa.py_buffer(encoded)]
    )

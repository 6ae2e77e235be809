"""The table of one class: its objects, with their fields as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from mqdiag.graph import Heap
from mqdiag.graph.field_columns import column
from mqdiag.graph.object_graph import Nodes
from mqdiag.query.arrow_arrays import number_array
from mqdiag.query.object_columns import id_column, ids, of_nodes, size_columns
from mqdiag.query.table import Column, Table
from mqdiag.read.hprof.types import BOOLEAN, BYTE, CHAR, DOUBLE, FLOAT, INT, LONG, REFERENCE, SHORT

_TYPES = {
    REFERENCE: pa.uint64(),
    BOOLEAN: pa.bool_(),
    CHAR: pa.string(),
    FLOAT: pa.float32(),
    DOUBLE: pa.float64(),
    BYTE: pa.int8(),
    SHORT: pa.int16(),
    INT: pa.int32(),
    LONG: pa.int64(),
}


def class_view(heap: Heap, name: str, hide: bool) -> Table:
    """A row for each object of exactly this class, by address.

    `object_id`, `shallow` and `retained` come first. A field has its own name; where a column of the name is there
    already, whatever its case, a number stands behind it. Reference fields have the id of the object, null for null.

    Args:
        heap: the graph.
        name: of the class.
        hide: make numbers null that may tell a text or a host.
    """
    rows = heap.classes.indices_named(name)
    nodes = heap.instances(rows, subclasses=False)
    pick = of_nodes(nodes)
    columns = {"object_id": id_column(heap, pick), **size_columns(heap, pick)}
    taken = {known.lower() for known in columns}
    for field, places in heap.classes.field_places(rows[0]).items():
        free = field
        number = 2
        while free.lower() in taken:
            free, number = f"{field}_{number}", number + 1
        taken.add(free.lower())
        kind = places[0][1]
        columns[free] = (
            _nothing(kind)
            if hide and _is_telling(heap, rows[0], field, kind)
            else _field(heap, nodes, field, kind)
        )
    return Table(int(nodes.size), columns)


def _is_telling(heap: Heap, row: int, field: str, kind: int) -> bool:
    from mqdiag.redact.telling_numbers import is_telling

    return any(
        is_telling(heap.classes.names[level], field, kind == INT) for level in heap.classes.ancestors(row)
    )


def _nothing(kind: int) -> Column:
    """A column without values."""
    form = _TYPES.get(kind, pa.int64())
    return Column(form, lambda first, last: pa.nulls(last - first, form))


def _field(heap: Heap, nodes: Nodes, field: str, kind: int) -> Column:
    def read(first: int, last: int) -> Any:
        part = nodes[first:last]
        found = column(heap, part, field)
        if kind == REFERENCE:
            return ids(heap, found.nodes)
        there, values = found.numbers.get(kind, (np.empty(0, np.int64), np.empty(0)))
        if kind == CHAR:
            letters: list[str | None] = [None] * part.size
            for place, value in zip(there.tolist(), values.tolist(), strict=True):
                letters[place] = chr(value) if not 0xD800 <= value < 0xE000 else "\ufffd"
            return letters
        whole = np.zeros(part.size, values.dtype)
        whole[there] = values
        missing = np.ones(part.size, bool)
        missing[there] = False
        return number_array(whole, _TYPES[kind], missing)

    return Column(_TYPES.get(kind, pa.int64()), read)

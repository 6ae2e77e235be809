"""The table `statics`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from mqdiag.graph import Heap
from mqdiag.query.arrow_arrays import number_array, text_array, words_array
from mqdiag.query.object_columns import NAME, class_column, id_column, of_nodes, size_columns
from mqdiag.query.table import Column, Table
from mqdiag.read.hprof.records import big_endian
from mqdiag.read.hprof.types import REFERENCE


def table(heap: Heap, hide: bool) -> Table:
    """A row for each of them, class by class."""
    classes = heap.dump.classes
    fields = np.flatnonzero(classes.static_types == REFERENCE)
    found = big_endian(heap.data, classes.static_values[fields], heap.header.id_size)
    targets = heap.index.lookup.find(found)
    fields, targets = fields[targets >= 0], targets[targets >= 0]
    owners = np.searchsorted(classes.static_starts, fields, "right") - 1
    names = text_array(heap.classes.names)
    pick = of_nodes(targets)
    to_class = class_column(heap, pick)
    return Table(
        int(fields.size),
        {
            "class": Column(NAME, lambda a, b: words_array(owners[a:b], names)),
            "class_id": Column(
                pa.uint64(),
                lambda a, b: number_array(classes.ids[owners[a:b]], pa.uint64()),
            ),
            "field": Column(
                pa.string(),
                lambda a, b: [heap.dump.names.text(int(name)) for name in classes.static_names[fields[a:b]]],
            ),
            "to_id": id_column(heap, pick),
            "to_class": Column(NAME, to_class.read),
            **size_columns(heap, pick),
        },
    )

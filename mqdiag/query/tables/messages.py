"""The table `messages`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.query.arrow_arrays import number_array, text_array
from mqdiag.query.hidden import hidden
from mqdiag.query.object_columns import class_column, id_column, of_nodes, size_columns
from mqdiag.query.table import Column, Table
from mqdiag.query.times import times_array
from mqdiag.rocketmq.messages import message_columns

_PERSONAL = frozenset(("msg_id", "keys", "tags"))
_TIMES = frozenset(("born_at", "stored_at", "started_at"))


def table(heap: Heap, hide: bool) -> Table:
    """A row for each message, by address."""
    nodes, values = message_columns(heap)
    pick = of_nodes(nodes)
    columns = {"id": id_column(heap, pick), "class": class_column(heap, pick)}
    for name, found in values.items():
        made = times_array(found, heap.MISSING) if name in _TIMES else _array(heap, found)
        if hide and name in _PERSONAL:
            made = hidden(made)
        columns[name] = Column(made.type, _reader(made))
    return Table(int(nodes.size), columns | size_columns(heap, pick))


def _array(heap: Heap, values: NDArray[Any]) -> pa.Array:
    if values.dtype == object:
        return text_array(values.tolist())
    kind, missing = (pa.uint64(), 0) if values.dtype == np.uint64 else (pa.int64(), heap.MISSING)
    return number_array(values, kind, values == missing)


def _reader(values: pa.Array) -> Any:
    return lambda first, last: values.slice(first, last - first)

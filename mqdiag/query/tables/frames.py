"""The table `frames`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from mqdiag.graph import Heap
from mqdiag.query.hidden import thread_name
from mqdiag.query.object_columns import ID, ids
from mqdiag.query.table import Column, Table

_FRAME = re.compile(r"(?P<method>[^()]+)\((?:(?P<file>[^:()]+)(?::(?P<line>\d+))?)?\)")


def table(heap: Heap, hide: bool) -> Table:
    """A row for each frame, from the top of each stack down."""
    rows = [(thread, depth, text) for thread in heap.threads for depth, text in enumerate(thread.frames)]
    nodes = np.array([thread.node for thread, _, _ in rows], np.int32)
    names = [thread_name(thread.name, hide) for thread, _, _ in rows]
    places = [_FRAME.fullmatch(text) for _, _, text in rows]
    methods = [None if place is None else place["method"].rpartition(".") for place in places]
    lines = [None if place is None or place["line"] is None else int(place["line"]) for place in places]

    def words(values: Sequence[str | None]) -> Column:
        return Column(pa.string(), lambda first, last: values[first:last])

    return Table(
        len(rows),
        {
            "thread": Column(ID, lambda a, b: ids(heap, nodes[a:b])),
            "thread_name": words(names),
            "depth": Column(pa.int64(), lambda a, b: [depth for _, depth, _ in rows[a:b]]),
            "frame": words([text for _, _, text in rows]),
            "class": words([None if each is None else each[0] for each in methods]),
            "method": words([None if each is None else each[2] for each in methods]),
            "line": Column(pa.int64(), lambda a, b: lines[a:b]),
        },
    )

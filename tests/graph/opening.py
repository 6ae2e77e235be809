"""Written dumps opened through the same door as a user's file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph import Heap, open_heap
from mqdiag.read.hprof.dump import Dump, read_dump
from mqdiag.read.source import open_source
from tests.writers.hprof_writer import DumpWriter

Written = DumpWriter | bytes


def put(dump: Written, folder: Path) -> str:
    path = folder / "given.hprof"
    path.write_bytes(dump if isinstance(dump, bytes) else dump.to_bytes())
    return str(path)


def dump_of(dump: Written, folder: Path) -> Dump:
    return read_dump(open_source(put(dump, folder)))


def heap_of(dump: Written, folder: Path) -> Heap:
    return open_heap(put(dump, folder))


def counts(dump: Dump) -> dict[str, int]:
    """Objects by class name, class objects left out."""
    found: dict[str, int] = {}
    for name, count in zip(dump.classes.names, dump.counts.tolist(), strict=True):
        if count:
            found[name] = found.get(name, 0) + count
    return found


def nodes_of(heap: Heap, ids: list[int]) -> NDArray[np.int32]:
    return np.array([heap.node(object_id) for object_id in ids], np.int32)


def targets(heap: Heap, object_id: int) -> list[int]:
    """Ids to which an object refers, in order."""
    _, found = heap.references.of(nodes_of(heap, [object_id]))
    return [int(each) for each in heap.object_ids(found)]

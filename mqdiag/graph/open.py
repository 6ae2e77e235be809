"""From a file to its graph."""

from __future__ import annotations

from mqdiag.graph.heap import Heap
from mqdiag.progress import Progress
from mqdiag.read.hprof.dump import read_dump
from mqdiag.read.source import open_source


def open_heap(path: str, progress: Progress | None = None) -> Heap:
    """Open a dump, plain or gzip.

    Raises:
        InputError: it cannot be read, or is no heap dump.
    """
    return Heap(read_dump(open_source(path, progress), progress=progress), progress)

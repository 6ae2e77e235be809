"""From a file to its graph."""

from __future__ import annotations

from mqdiag.graph.heap import Heap, read_heap, refuse_empty
from mqdiag.graph.warm import warm
from mqdiag.kernel import folder
from mqdiag.progress import Progress, Silent
from mqdiag.read.hprof.dump import Dump, read_dump
from mqdiag.read.hprof.header import parse_header
from mqdiag.read.source import Source, open_source
from mqdiag.text import say


def open_dump(
    path: str,
    *,
    name: str | None = None,
    progress: Progress | None = None,
    max_inflated: int | None = None,
) -> Dump:
    """Count the objects of a dump, plain or gzip, as far as it can be read.

    Kernels are compiled first where they are not yet.

    Args:
        path: the file.
        name: what the user called the file, where that is not `path`.
        progress: who listens.
        max_inflated: bytes to which a gzip file may inflate; see `read.gzip.inflate`.

    Raises:
        InputError: it is no heap dump, or not one object of it can be read.
    """
    progress = progress or Silent()
    dump = read_dump(_source(path, progress, max_inflated), progress)
    refuse_empty(dump, name or path)
    return dump


def open_heap(
    path: str,
    *,
    name: str | None = None,
    progress: Progress | None = None,
    max_inflated: int | None = None,
) -> Heap:
    """Read a dump and build its graph; arguments and errors as in `open_dump`."""
    progress = progress or Silent()
    return read_heap(_source(path, progress, max_inflated), name or path, progress)


def _source(path: str, progress: Progress, max_inflated: int | None) -> Source:
    source = open_source(path, progress, max_inflated)
    # Before the kernels are compiled: a text file must not cost a first-time user that wait.
    parse_header(source.path, source.data)
    if folder.needs_warming():
        progress.note(say("compiling kernels, only at the first run on this machine"))
        warm()
    return source

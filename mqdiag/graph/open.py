"""From a file to its graph."""

from __future__ import annotations

from mqdiag.errors import InputError
from mqdiag.graph.heap import Heap
from mqdiag.graph.warm import warm
from mqdiag.kernel import folder
from mqdiag.progress import Progress, Silent
from mqdiag.read.hprof.dump import Dump, read_dump
from mqdiag.read.hprof.header import parse_header
from mqdiag.read.source import open_source
from mqdiag.text import say


def open_dump(
    path: str,
    *,
    store: bool = True,
    name: str | None = None,
    progress: Progress | None = None,
    max_inflated: int | None = None,
) -> Dump:
    """Read a dump, plain or gzip, as far as it goes; kernels are compiled first where they are not yet.

    Args:
        path: the file.
        store: keep every object's place, as the graph needs it; else only counts.
        name: what the user called the file, where that is not `path`.
        progress: who listens.
        max_inflated: bytes to which a gzip file may inflate; see `read.gzip.inflate`.

    Raises:
        InputError: it is no heap dump, or not one object of it can be read.
    """
    progress = progress or Silent()
    source = open_source(path, progress, max_inflated)
    # Before the kernels are compiled: a text file must not cost a first-time user that wait.
    parse_header(source.path, source.data)
    if folder.needs_warming():
        progress.note(say("compiling kernels, only at the first run on this machine"))
        warm()
    dump = read_dump(source, store=store, progress=progress)
    if not dump.counts.any():
        raise InputError(
            name or path,
            say("no object could be read: {problem}", problem=dump.problem or "the heap record is empty"),
            hint=say("compare the file's size with the original and copy it again"),
            offset=dump.stopped_at,
        )
    return dump


def open_heap(path: str, *, name: str | None = None, progress: Progress | None = None) -> Heap:
    """Read a dump and build its graph; arguments and errors as in `open_dump`."""
    return Heap(open_dump(path, name=name, progress=progress), progress)

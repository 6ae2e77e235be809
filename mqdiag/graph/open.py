"""From a file to its graph."""

from __future__ import annotations

from mqdiag.cache.folder import open_cache
from mqdiag.graph.heap import Heap, read_heap, refuse_empty
from mqdiag.kernel.ahead import compile_ahead
from mqdiag.kernel.folder import Task
from mqdiag.progress import Progress, Silent
from mqdiag.read.hprof.dump import Dump, counted_dump, read_dump
from mqdiag.read.hprof.header import parse_header
from mqdiag.read.source import Source, is_packed, open_source


def open_dump(
    path: str,
    *,
    name: str | None = None,
    progress: Progress | None = None,
    max_inflated: int | None = None,
    number: int = 0,
) -> Dump:
    """Count the objects of a dump, plain or packed, as far as it can be read.

    Kernels are compiled first where they are not yet.

    Args:
        path: the file.
        name: what the user called the file, where that is not `path`.
        progress: who listens.
        max_inflated: bytes to which a packed file may inflate; see `read.open.dump.inflate`.
        number: of the dump in a file that holds several; the first is 0.

    Raises:
        InputError: it is no heap dump, or not one object of it can be read.
    """
    progress = progress or Silent()
    dump = _counted(path, progress, max_inflated) if number == 0 else None
    if dump is None:
        dump = read_dump(_source(path, progress, max_inflated, "counts"), progress, number)
    refuse_empty(dump, name or path)
    return dump


def open_heap(
    path: str,
    *,
    name: str | None = None,
    progress: Progress | None = None,
    max_inflated: int | None = None,
    memory_bytes: int | None = None,
    number: int = 0,
    cache_bytes: int | None = 0,
    task: Task = "heap",
) -> Heap:
    """Read a dump and build its graph; other arguments and errors as in `open_dump`.

    With a cache, `finish` the heap or use it in a `with`: either closes the folder of the cache.

    Args:
        memory_bytes: what the arrays of the graph may take; None for most of what is free.
        cache_bytes: how much may be kept of all dumps for later runs, by `Heap.finish`: None for a share of the disk,
            0 uses and keeps nothing.
        task: what the graph is for, which decides about the kernels that are compiled first.
    """
    progress = progress or Silent()
    source = _source(path, progress, max_inflated, task)
    cache = None if cache_bytes == 0 else open_cache(cache_bytes)[0]
    try:
        return read_heap(source, name or path, progress, number, memory_bytes, cache)
    except BaseException:
        if cache is not None:
            cache.close()
        raise


def _counted(path: str, progress: Progress, max_inflated: int | None) -> Dump | None:
    """A packed dump, counted while it is inflated; None if it must be read like any other."""
    if not is_packed(path):
        return None
    # Here, not above: most dumps are not packed.
    from mqdiag.read.hprof.packed_dump import count_while_inflating

    counted = count_while_inflating(path, progress, max_inflated, lambda: compile_ahead(progress, "counts"))
    return None if counted is None else counted_dump(counted.source, counted.segments, counted.walked)


def _source(path: str, progress: Progress, max_inflated: int | None, task: Task) -> Source:
    source = open_source(path, progress, max_inflated)
    # Before the kernels are compiled: a text file must not cost a first-time user that wait.
    parse_header(source.path, source.data)
    compile_ahead(progress, task)
    return source

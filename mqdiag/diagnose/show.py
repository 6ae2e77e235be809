"""One object or one class of a dump: no rules run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from mqdiag import __version__
from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.heap_input import heap_input
from mqdiag.errors import NO_NAME, InputError
from mqdiag.facts.shown import Shown
from mqdiag.findings import Report
from mqdiag.graph import open_heap
from mqdiag.progress import Progress, Silent
from mqdiag.show.classes import show_class
from mqdiag.show.objects import show_object
from mqdiag.show.target import find_target
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.graph import Heap


def show_in_heap(
    path: str | Path,
    what: str,
    *,
    limit: int = 20,
    subclasses: bool = False,
    name: str | None = None,
    progress: Progress | None = None,
    cache_bytes: int | None = 0,
) -> Report:
    """Read a dump and tell about one object or one class.

    Args:
        path: the file.
        what: an object id, or a class by its name or the end of it.
        limit: how many instances of a class are told.
        subclasses: count instances of subclasses too.
        name: what the user called the file, where that is not `path`.
        progress: who listens.
        cache_bytes: see `open_heap`.

    Raises:
        InputError: nothing of the dump can be read.
        UsageError: it has no such object or class.
    """
    shown = name or str(path) or NO_NAME
    progress = progress or Silent()
    try:
        heap = open_heap(str(path), name=shown, progress=progress, cache_bytes=cache_bytes, task="show")
    except InputError as error:
        # The path of a spooled standard input would say nothing to its user.
        raise error.of(shown) from error
    with heap:
        target = find_target(heap, what)
        _compute(heap)
        progress.phase(say("merging paths"))
        found = (
            Shown(class_=show_class(heap, target, limit=limit, subclasses=subclasses))
            if isinstance(target, str)
            else Shown(object=show_object(heap, target))
        )
        heap.finish()
    return answered(Report(mqdiag=__version__, inputs=(heap_input(heap.dump, shown, heap),), show=found))


def _compute(heap: Heap) -> None:
    """Dominators and shortest paths side by side: neither needs the other, and both release the GIL."""
    # Both take it; computed here, no two threads do it at once.
    _ = heap.class_nodes
    with ThreadPoolExecutor(1) as pool:
        paths = pool.submit(lambda: heap.shortest_paths)
        _ = heap.dominance
        paths.result()

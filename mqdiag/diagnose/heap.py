"""One heap dump."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mqdiag.config import Settings
from mqdiag.diagnose.heap_facts import graph_facts
from mqdiag.diagnose.heap_input import heap_input
from mqdiag.diagnose.judge import Diagnosis, judge, unreadable
from mqdiag.diagnose.read_heaps import read_heaps
from mqdiag.errors import InputError
from mqdiag.facts import Facts
from mqdiag.progress import Progress, Silent
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.findings import Report
    from mqdiag.graph import Heap


def diagnose_heap(
    path: str | Path,
    settings: Settings | None = None,
    *,
    quick: bool = False,
    name: str | None = None,
    progress: Progress | None = None,
    max_inflated: int | None = None,
    memory_bytes: int | None = None,
) -> Diagnosis:
    """Diagnose a dump; one that cannot be read gives a report that says why.

    Args:
        path: the file.
        settings: expectations, thresholds and the heap's limit.
        quick: leave the object graph out.
        name: what the user called the file, where that is not `path`.
        progress: who listens.
        max_inflated: bytes to which a gzip dump may inflate.
        memory_bytes: what the arrays of the graph may take; None for most of what is free.
    """
    settings, progress = settings or Settings(), progress or Silent()
    shown = name or str(path)
    try:
        if not str(path):
            raise InputError(shown, say("is not a file name"))

        found = read_heaps(
            Path(path),
            settings,
            quick=quick,
            name=shown,
            progress=progress,
            max_inflated=max_inflated,
            memory_bytes=memory_bytes,
        )
    except InputError as error:
        return judge(
            Facts(inputs=(unreadable(shown, "heap", error),), expectations=settings.expectations), settings
        )
    progress.phase(say("joining evidence"))
    if len(found) > 1:
        # Here, not above: one dump is no incident.
        from mqdiag.diagnose.joined import judge_processes
        from mqdiag.diagnose.processes import tell_processes
        from mqdiag.diagnose.sort.kind import OfProcess

        dumps = [OfProcess(inputs=(given,), heap=heap) for given, heap in found]
        return judge_processes(tell_processes(dumps), (), {}, settings)
    ((given, heap),) = found
    return judge(Facts(inputs=(given,), heap=heap, expectations=settings.expectations), settings)


def diagnose_opened(heap: Heap, name: str, settings: Settings | None = None) -> Report:
    """Diagnose a dump that is open already, with its whole graph.

    Args:
        heap: the dump.
        name: what the user called the file.
        settings: expectations, thresholds and the heap's limit.
    """
    settings = settings or Settings()
    facts = graph_facts(heap, settings, Silent())
    given = heap_input(heap.dump, name, heap, facts)
    return judge(Facts(inputs=(given,), heap=facts, expectations=settings.expectations), settings).report

"""What the head of a page says: which evidence it is of, of when, and of which JVM."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mqdiag.findings import Report
from mqdiag.text import Text, say

_NAMED = 2


def head_lines(report: Report) -> Iterator[Text]:
    """One short text each; what the evidence does not tell is left out."""
    read = [given.path for given in report.inputs if given.was_read]
    if len(read) > _NAMED:
        folder = os.path.commonpath(read) if len({path.startswith("/") for path in read}) == 1 else ""
        if folder:
            yield say("{files:count} files in {folder}", files=len(read), folder=folder)
        else:
            yield say("{path} and {more:count} more files", path=read[0], more=len(read) - 1)
    elif read:
        yield say("{paths:and}", paths=tuple(read))
    heap, stacks = report.heap, report.stacks
    if heap is not None and heap.captured_at is not None:
        yield say("dump of {captured_at:time}", captured_at=heap.captured_at)
    samples = stacks.series if stacks is not None else ()
    jvms = (heap.jvm if heap is not None else None, *(sample.jvm for sample in samples))
    jvm = next(filter(None, jvms), None)
    if jvm is not None:
        yield say("{jvm}", jvm=jvm)

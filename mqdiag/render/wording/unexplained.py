"""A process without memory is not in order, even where no rule finds what filled it."""

from __future__ import annotations

from mqdiag.facts.ratios import ratio
from mqdiag.findings import Report
from mqdiag.text import say

OUT_OF_MEMORY = "out-of-memory-thread"
WITHOUT_CAUSE = say("The JVM ran out of memory; this evidence does not tell what filled it.")
FULL_SHARE = 0.9
"""of the heap's limit that live objects take: collections follow each other from there on"""


def unexplained(report: Report) -> str | None:
    """How memory is short; asked where nothing worse was found, and None where it is not."""
    if any(finding.rule == OUT_OF_MEMORY for finding in report.findings if finding.accepted is None):
        return say(WITHOUT_CAUSE)
    heap = report.heap
    if heap is None or heap.heap_bytes is None or heap.shallow_bytes is None:
        return None
    if heap.shallow_bytes < FULL_SHARE * heap.heap_bytes:
        return None
    return say(
        (
            "Live objects take {used:percent} of the heap, and no single object or field holds most of"
            " them: the table of the largest classes shows what they are."
        ),
        used=ratio(heap.shallow_bytes, heap.heap_bytes),
    )

"""The limit of the heap that the user gave cannot be that of the JVM."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import SIZES_OFF_SHARE
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("heap-limit-contradicted")


@RULE.heap
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """At most one finding."""
    if heap.heap_bytes is None or heap.heap_bytes_source != "option":
        return
    if heap.contradicting_heap_bytes is not None:
        yield RULE.case("other-limit-in-dump", heap, words={"limit": heap.limit_bytes})
    elif heap.shallow_bytes is not None and heap.shallow_bytes > heap.heap_bytes * (1 + SIZES_OFF_SHARE):
        yield RULE.case("live-objects-do-not-fit", heap, evidence={"live_bytes": heap.shallow_bytes})

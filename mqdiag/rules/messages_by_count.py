"""Counts of classes show many cached messages of RocketMQ, and byte arrays that take most of the heap."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.ratios import ratio
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("messages-by-count")


@RULE.heap
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """At most one finding, where the graph is missing that would tell the holder."""
    counted = heap.counted
    if counted is None or counted.messages < limits["messages"]:
        return
    share = ratio(counted.byte_array_bytes, heap.file_shallow_bytes) or 0.0
    if share < limits["byte_array_share"]:
        yield RULE.margin("byte-arrays", share, limits["byte_array_share"])
        return
    of_heap = ratio(counted.byte_array_bytes, heap.heap_bytes)
    fills = of_heap is not None and of_heap >= limits["heap_share"]
    yield RULE.case(
        "cached-messages-fill-heap" if fills else "cached-messages",
        counted,
        evidence={
            "byte_array_share": round(share, 4),
            "heap_bytes": heap.heap_bytes,
            "heap_share": None if of_heap is None else round(of_heap, 4),
            "mean_body_at_most_bytes": counted.byte_array_bytes // counted.messages,
        },
        weight=share,
    )

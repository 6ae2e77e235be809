"""The heap is full or may become so, and no rule knows what fills it."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.ratios import ratio
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("memory-not-judged")


@RULE.heap
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """A process without memory is not in order, even where no rule finds what filled it."""
    used = ratio(heap.shallow_bytes, heap.limit_bytes)
    if heap.out_of_memory:
        yield RULE.case("out-of-memory", evidence={"live_share": used})
    elif used is not None and used >= limits["live_share"]:
        yield RULE.case("heap-full", evidence={"live_share": used})
    cached = sum(max(consumer.body_bytes, consumer.bound_bytes or 0) for consumer in heap.consumers)
    unknown = heap.limit is None and "heap limit" in heap.unknown
    if unknown and not heap.out_of_memory and cached > limits["cached_share"] * heap.in_use_bytes:
        words = {"reason": heap.unknown["heap limit"]}
        yield RULE.case("cache-without-limit", evidence={"cached_bytes": cached}, words=words)

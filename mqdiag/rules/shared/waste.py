"""What the rules about waste share: the facts or why there are none, and an example heap."""

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.waste import Waste
from mqdiag.rules.registry import Skip
from mqdiag.text import say

LEAST_BYTES = 16 * 1024 * 1024
"""below it no waste is worth a finding, whatever its share of a small heap"""
EXAMPLE_BYTES = 400_000_000


def waste_of(facts: Facts) -> Waste | Skip:
    """The facts, or the reason to skip."""
    heap = facts.heap
    assert heap is not None
    if heap.waste is None:
        return Skip(reason=heap.unknown.get("reachability", say("the object graph was left out (--quick)")))
    return heap.waste


def reachable_share(facts: Facts, size: int) -> float:
    """Of the reachable bytes; 0 where these are unknown."""
    assert facts.heap is not None
    reachable = facts.heap.shallow_bytes or 0
    return size / reachable if reachable else 0.0


def example(waste: Waste) -> Facts:
    """A heap of 400 MB with this waste."""
    return Facts(
        heap=HeapFacts(
            objects=1_000_000,
            shallow_bytes=EXAMPLE_BYTES,
            unreachable_objects=0,
            unreachable_bytes=0,
            process_queues=0,
            messages=0,
            waste=waste,
        )
    )

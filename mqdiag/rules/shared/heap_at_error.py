"""How full the heap was when the OutOfMemoryError came."""

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.ratios import ratio

LITTLE_USED = 0.5
"""of the largest heap that the JVM may have; large arrays can leave almost half of each region of G1 unused"""
_UNSURE_SOURCES = ("option", "container")
"""a limit that somebody gave, or that was computed from the memory of a container, may be larger than the real one"""


def in_use_share(heap: HeapFacts) -> float | None:
    """All objects of the dump, garbage too, as a share of the largest heap; None where that is unknown."""
    return ratio((heap.shallow_bytes or 0) + (heap.unreachable_bytes or 0), heap.limit_bytes)


def had_room(facts: Facts) -> bool:
    """Whether surely much of the heap was free at the error: another memory ran out, or one request was too large."""
    heap = facts.heap
    if heap is None or not heap.out_of_memory or heap.limit is None or heap.limit[1] in _UNSURE_SOURCES:
        return False
    used = in_use_share(heap)
    whole = all(given.complete for given in facts.inputs if given.kind == "heap")
    return whole and used is not None and used < LITTLE_USED

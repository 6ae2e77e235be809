"""The way to an object that tells most: a listener that fills a static list has it in a local variable too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.own_classes import is_application, is_jdk, named_class

_HOPS = 3
"""references from the application's class to the object's way: Executors and Collections wrap once or twice"""
_MOST_WRAPPERS = 64


def readable_path(heap: Heap, node: int) -> list[int]:
    """Nodes of the shortest way from a GC root, the root first; empty for an unreachable object.

    Where that way comes from a thread and names no class of the application, the way by a class that does, if one
    refers to any object on it, or to what the JDK or a library wraps around it; else by a library's class. Costs a few
    passes over all references then.
    """
    way = heap.path_nodes(node)
    if len(way) < 2 or way[0] not in heap.references.extra_from or _names(heap, way, is_application):
        return way
    # the nearest to the object first; what each leads down to
    frontier = way[:0:-1]
    below = {at: way[place:] for place, at in enumerate(way) if place}
    second_best = None
    for _ in range(_HOPS):
        positions, holders = heap.referrers(np.array(frontier, np.int32))
        wrappers = []
        for at in np.argsort(positions, kind="stable").tolist():
            holder, rest = int(holders[at]), below[frontier[int(positions[at])]]
            if holder in below or holder == way[0]:
                continue
            name = named_class(heap, holder)
            if not is_application(name):
                below[holder] = [holder, *rest]
                wrappers.append(holder)
            if is_jdk(name):
                continue
            there = heap.path_nodes(holder)
            # what hangs below the object itself refers back to it, and keeps nothing
            if not there or set(there) & set(way[1:]):
                continue
            if _names(heap, there, is_application):
                return [*there, *rest]
            second_best = second_best or [*there, *rest]
        frontier = wrappers[:_MOST_WRAPPERS]
        if not frontier:
            break
    return second_best or way


def _names(heap: Heap, way: list[int], test: Callable[[str], bool]) -> bool:
    return any(test(named_class(heap, at)) for at in way)

"""The way to an object that tells most: a listener that fills a static list has it in a local variable too."""

from __future__ import annotations

import numpy as np

from mqdiag.graph.heap import Heap

_HOPS = 3
"""references from a named class to the object's way: Executors and Collections wrap once or twice"""
_MOST_WRAPPERS = 64
JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


def readable_path(heap: Heap, node: int) -> list[int]:
    """Nodes of the shortest way from a GC root, the root first; empty for an unreachable object.

    Where that way comes from a thread and names no class but the JDK's, the way by a class that does, if one refers to
    any object on it, or to what the JDK wraps around it. Costs a few passes over all references then.
    """
    way = heap.path_nodes(node)
    if len(way) < 2 or way[0] not in heap.references.extra_from or any(is_named(heap, at) for at in way):
        return way
    # the nearest to the object first; what each leads down to
    frontier = way[:0:-1]
    below = {at: way[place:] for place, at in enumerate(way) if place}
    for _ in range(_HOPS):
        positions, holders = heap.referrers(np.array(frontier, np.int32))
        wrappers = []
        for at in np.argsort(positions, kind="stable").tolist():
            holder, rest = int(holders[at]), below[frontier[int(positions[at])]]
            if holder in below or holder == way[0]:
                continue
            if not is_named(heap, holder):
                below[holder] = [holder, *rest]
                wrappers.append(holder)
                continue
            there = heap.path_nodes(holder)
            # what hangs below the object itself refers back to it, and keeps nothing
            if there and not set(there) & set(way[1:]):
                return [*there, *rest]
        frontier = wrappers[:_MOST_WRAPPERS]
        if not frontier:
            break
    return way


def is_named(heap: Heap, node: int) -> bool:
    """Whether a person would know the object by its class: it is neither the JDK's nor an array."""
    name = named_class(heap, node)
    return not name.startswith(JDK) and not name.endswith("]")


def named_class(heap: Heap, node: int) -> str:
    """The class of an object, or the one that a class object stands for."""
    row = heap.class_of_node.get(node)
    return heap.classes.names[row] if row is not None else heap.class_name(node)

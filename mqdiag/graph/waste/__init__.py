"""What takes memory without a use, in any Java heap: repeats, empty room, leaks of loaders, threads and buffers."""

from __future__ import annotations

from mqdiag.facts.waste import Waste
from mqdiag.graph.heap import Heap
from mqdiag.graph.waste.direct_buffers import direct_buffers
from mqdiag.graph.waste.duplicate_strings import duplicate_strings
from mqdiag.graph.waste.loaders import repeated_loaders
from mqdiag.graph.waste.spare_room import wasteful_collections
from mqdiag.graph.waste.thread_locals import thread_locals


def waste(heap: Heap) -> Waste:
    """All of it; what grows with the heap is looked at in samples where the heap is large."""
    return Waste(
        duplicate_strings=duplicate_strings(heap),
        collections=wasteful_collections(heap),
        class_loaders=repeated_loaders(heap),
        thread_locals=thread_locals(heap),
        direct_buffers=direct_buffers(heap),
    )


__all__ = ["waste"]

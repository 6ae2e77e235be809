from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts, StacksFacts
from mqdiag.facts.heap_threads import VirtualThreads
from mqdiag.facts.thread_pools import PinnedCarriers


def fires() -> Facts:
    """Two carriers, both pinned in all samples, and three threads that do not begin."""
    pinned = PinnedCarriers(
        carriers=2,
        threads=("virtual thread #27", "virtual thread #28"),
        frame="com.acme.Stock.reserve(Stock.java:31)",
        waiting=3,
        samples=3,
    )
    return Facts(stacks=StacksFacts(samples=3, pinned_carriers=pinned))


def silent() -> Facts:
    """A dump with as many pinned threads as carriers, and nobody else who wants to run."""
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        virtual_threads=VirtualThreads(alive=2, without_stack=0, waiting_for_carrier=0, pinned=2, carriers=2),
    )
    return Facts(heap=heap)

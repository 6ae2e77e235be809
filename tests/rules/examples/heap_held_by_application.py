from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap_classes import Suspect


def _facts(retained: int) -> Facts:
    suspect = Suspect(
        class_name="java.util.HashMap",
        object_id="0x7f",
        retained_bytes=retained,
        share=retained / 200_000_000,
        path=("class com.acme.ReportCache", "ENTRIES java.util.HashMap"),
        label="com.acme.ReportCache.ENTRIES",
        holds=("byte[]: 150,000,000 bytes in 1,500",),
    )
    heap = HeapFacts(
        objects=100_000,
        shallow_bytes=200_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        suspects=(suspect,),
        process_queues=0,
        messages=0,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A cache of reports retains 75 % of the heap."""
    return _facts(150_000_000)


def silent() -> Facts:
    """It retains 25 %."""
    return _facts(50_000_000)

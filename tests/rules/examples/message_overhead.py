from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts


def _facts(retained: int) -> Facts:
    consumer = ConsumerFacts(
        group="CID_ticks",
        kind="push",
        config={"pullThresholdForQueue": 1000},
        queues=128,
        messages=128_000,
        body_bytes=12_800_000,
        retained_bytes=retained,
    )
    heap = HeapFacts(
        objects=3_000_000,
        shallow_bytes=400_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=1024**3,
        heap_bytes_source="option",
        consumers=(consumer,),
        process_queues=128,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """128 queues hold 1,000 messages of 100 bytes each, with 2 KiB of objects around each message."""
    return _facts(12_800_000 + 128_000 * 2048)


def silent() -> Facts:
    """The objects take 800 bytes for each message: more than the bodies, but less than a tenth of the heap."""
    return _facts(12_800_000 + 128_000 * 800)

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import QueueFacts


def _facts(largest: int) -> Facts:
    queue = QueueFacts(
        group="CID_wash",
        topic="files",
        broker="broker-a",
        queue_id=0,
        messages=3,
        body_bytes=largest + 2000,
        largest_body_bytes=largest,
        largest_body_offset=17,
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=100_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=2 * 1024**3,
        heap_bytes_source="option",
        queues=(queue,),
        process_queues=1,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A body has exactly 4 MiB."""
    return _facts(4 * 1024 * 1024)


def silent() -> Facts:
    """It has one byte less."""
    return _facts(4 * 1024 * 1024 - 1)

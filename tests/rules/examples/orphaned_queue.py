from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import QueueFacts


def _facts(messages: int) -> Facts:
    queue = QueueFacts(
        group="CID_wash",
        topic="segments",
        broker="broker-a",
        queue_id=3,
        messages=messages,
        body_bytes=messages * 40_000,
        dropped=True,
        assigned=False,
        last_pull_age_ms=300_000,
        found_by="consume-request",
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        queues=(queue,),
        process_queues=1,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A queue that was taken away five minutes ago still holds 70 messages."""
    return _facts(70)


def silent() -> Facts:
    """It is empty: whatever refers to it lets go soon."""
    return _facts(0)

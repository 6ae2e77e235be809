from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts, QueueFacts

MINUTE_MS = 60_000


def _facts(age_ms: int) -> Facts:
    consumer = ConsumerFacts(group="CID_wash", kind="push", orderly=False, config={"consumeTimeout": 15})
    queue = QueueFacts(
        group="CID_wash",
        topic="segments",
        broker="broker-a",
        queue_id=0,
        messages=5,
        longest_consume_age_ms=age_ms,
        dropped=False,
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(consumer,),
        queues=(queue,),
        process_queues=1,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """One message has taken 16 minutes so far; consumeTimeout is 15."""
    return _facts(16 * MINUTE_MS)


def silent() -> Facts:
    """It has taken 14 minutes so far."""
    return _facts(14 * MINUTE_MS)

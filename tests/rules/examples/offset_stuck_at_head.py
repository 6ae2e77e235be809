from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts, QueueFacts


def _facts(age_ms: int) -> Facts:
    consumer = ConsumerFacts(
        group="CID_wash",
        kind="push",
        message_model="CLUSTERING",
        orderly=False,
        config={"consumeConcurrentlyMaxSpan": 2000, "consumeTimeout": 15},
    )
    queue = QueueFacts(
        group="CID_wash",
        topic="segments",
        broker="broker-a",
        queue_id=3,
        messages=2,
        min_offset=2101,
        max_offset=4300,
        span=2199,
        commit_offset=2101,
        oldest_consume_age_ms=age_ms,
        head_msg_id="7F0000010000",
        finished_beyond_head=2198,
        dropped=False,
        assigned=True,
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
    """The listener has worked on offset 2101 for four minutes, and all offsets up to 4299 are done."""
    return _facts(240_000)


def silent() -> Facts:
    """It has worked on it for half a minute, which a listener may take."""
    return _facts(30_000)

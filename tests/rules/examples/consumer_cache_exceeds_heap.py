from __future__ import annotations

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts, MessageTotals


def fires() -> Facts:
    """The article's dump: 55 queues x 100 messages x 428,311 bytes in a heap of 2 GiB, 70 of 100 there."""
    messages = 55 * 70
    consumer = ConsumerFacts(
        group="CID_wash",
        kind="push",
        config={"pullThresholdForQueue": 100, "pullThresholdSizeForQueue": 100},
        queues=56,
        messages=messages,
        body_bytes=messages * 428_311,
        bounded_queues=55,
        bound_bytes=55 * 100 * 428_311,
        average_body_bytes=428_311.0,
        largest_body_bytes=500_000,
        measured_messages=messages,
    )
    heap = HeapFacts(
        objects=200_000,
        shallow_bytes=1_750_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=2 * 1024**3,
        heap_bytes_source="option",
        consumers=(consumer,),
        process_queues=56,
        messages=messages,
        messages_in_queues=messages,
        message_totals=MessageTotals(in_queues=messages, in_queues_body_bytes=messages * 428_311),
        out_of_memory=True,
    )
    return Facts(heap=heap)


def silent() -> Facts:
    """The same consumer with the recommended threshold, its queues one pull above it."""
    heap = fires().heap
    assert heap is not None
    messages = 55 * 28
    consumer = msgspec.structs.replace(
        heap.consumers[0],
        config={"pullThresholdForQueue": 27, "pullThresholdSizeForQueue": 100},
        messages=messages,
        body_bytes=messages * 428_311,
        bound_bytes=55 * 27 * 428_311,
        measured_messages=messages,
    )
    replaced = msgspec.structs.replace(
        heap,
        consumers=(consumer,),
        messages=messages,
        messages_in_queues=messages,
        message_totals=MessageTotals(in_queues=messages, in_queues_body_bytes=messages * 428_311),
        out_of_memory=False,
    )
    return Facts(heap=replaced)

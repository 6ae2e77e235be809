"""A dump with one consumer and one queue, from which the examples of the heap rules differ in a place or two."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.facts.heap_threads import HeapThread

CONSUMER = ConsumerFacts(
    group="CID_wash",
    kind="push",
    client_id="10.0.0.7@1",
    client_version="4.9.8",
    message_model="CLUSTERING",
    orderly=False,
    config={"pullThresholdForQueue": 1000, "consumeTimeout": 15, "pullBatchSize": 32},
    state={"serviceState": "RUNNING", "pause": False, "consumerStartTimestamp": 1_700_000_000_000},
    queues=1,
    instance_id="0x10",
    registered=True,
    cleaner_tasks=1,
    resubmits=0,
    topic_queues={"segments": 4},
)
QUEUE = QueueFacts(
    group="CID_wash",
    topic="segments",
    broker="broker-a",
    queue_id=3,
    messages=40,
    msg_count=40,
    msg_size=40_000,
    body_bytes=40_000,
    largest_body_bytes=1000,
    min_offset=2100,
    max_offset=2139,
    span=39,
    next_offset=2140,
    lag=500,
    redelivered=0,
    most_redelivered=0,
    assigned=True,
    dropped=False,
    locked=True,
    last_lock_age_ms=5000,
    last_pull_age_ms=900,
    last_consume_age_ms=20,
    being_changed=False,
    found_by="rebalance-table",
)


def example(
    *,
    consumer: dict[str, object] | None = None,
    queue: dict[str, object] | None = None,
    threads: tuple[HeapThread, ...] = (),
) -> Facts:
    """A healthy push consumer, but for the changes.

    Args:
        consumer: changed fields of the consumer.
        queue: changed fields of its queue.
        threads: of the dump.
    """
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        captured_at="2023-11-14T23:13:20.000+00:00",
        consumers=(msgspec.structs.replace(CONSUMER, **(consumer or {})),),
        queues=(msgspec.structs.replace(QUEUE, **(queue or {})),),
        process_queues=1,
        threads=threads,
    )
    return Facts(heap=heap)

"""A dump of one healthy broker; the examples of rules change one or two of its values."""

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.broker import (
    BrokerFacts,
    CommitLogFacts,
    PutLock,
    RequestQueue,
    TransientStorePoolFacts,
)

BROKER: dict[str, object] = {
    "name": "broker-a",
    "version": "4.9.7",
    "cluster": "shop",
    "broker_id": 0,
    "role": "ASYNC_MASTER",
    "flush": "ASYNC_FLUSH",
    "config": {
        "brokerFastFailureEnable": True,
        "sendThreadPoolQueueCapacity": 10_000,
        "waitTimeMillsInSendQueue": 200,
    },
    "store_config": {"osPageCacheBusyTimeOutMills": 1000, "transientStorePoolEnable": False},
    "transient_store_pool": TransientStorePoolFacts(
        enabled=False, pool_size=5, available_buffers=0, in_force=False, buffers_in_use=0
    ),
    "page_cache_lock_ms": 0,
    "put_lock": PutLock(held=False),
    "send_queue": RequestQueue(size=0, capacity=10_000, head_wait_ms=0),
    "commit_log": CommitLogFacts(files=3, wrote_offset=3_000_000, unflushed_bytes=0),
}


def example(*, heap_bytes: int | None = 8 << 30, **changes: object) -> Facts:
    """A healthy ASYNC_MASTER with these changes.

    Args:
        heap_bytes: of the JVM.
        changes: fields of the broker.
    """
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1 << 30,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=heap_bytes,
        heap_bytes_source="option",
        process_queues=0,
        broker=BrokerFacts(**{**BROKER, **changes}),  # type: ignore[arg-type]
    )
    return Facts(heap=heap)

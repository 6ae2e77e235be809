from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ClientInstance


def _facts(*instances: ClientInstance) -> Facts:
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        grpc_client=True,
        process_queues=0,
        instances=instances,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """Classes of rocketmq-client-java are in the dump, and none of its clients."""
    return _facts()


def silent() -> Facts:
    """A client of it was read."""
    return _facts(ClientInstance(object_id="0x1", library="grpc", consumer_groups=("CID_orders",)))

"""Each gRPC client as an instance: it has its own connections and service threads, a producer too."""

from __future__ import annotations

from mqdiag.facts.heap import ClientInstance
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.grpc.settings import client_id, client_version, service_state


def client_instances(heap: Heap, root: str) -> list[ClientInstance]:
    """All reachable clients under a package root, in address order of each kind."""
    return [
        *_instances(heap, root, "GrpcPushConsumer"),
        *_instances(heap, root, "GrpcSimpleConsumer"),
        *_instances(heap, root, "GrpcProducer", producer=True),
    ]


def _instances(heap: Heap, root: str, role: str, *, producer: bool = False) -> list[ClientInstance]:
    nodes = fields.instances(heap, root, role).tolist()
    version = client_version(heap, root) if nodes else None
    return [
        ClientInstance(
            object_id=hex(heap.object_id(node)),
            client_id=client_id(heap, node),
            service_state=service_state(heap, node),
            client_version=version,
            consumer_groups=() if producer else (fields.text(heap, node, "GrpcConsumer.group") or "",),
            library="grpc",
        )
        for node in nodes
    ]

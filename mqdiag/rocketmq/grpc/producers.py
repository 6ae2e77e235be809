"""Producers of the gRPC client, and the messages that they have not sent yet."""

from __future__ import annotations

from mqdiag.facts.producers import ProducerFacts
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.read.hprof.distinct import distinct
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.grpc.settings import client_id, client_settings, client_version, service_state


def grpc_producers(heap: Heap, root: str) -> list[ProducerFacts]:
    """All reachable producers under a package root, in address order."""
    nodes = fields.instances(heap, root, "GrpcProducer").tolist()
    version = client_version(heap, root) if nodes else None
    return [
        ProducerFacts(
            group="",
            object_id=f"0x{heap.object_id(node):x}",
            client_id=client_id(heap, node),
            client_version=version,
            service_state=service_state(heap, node),
            config=client_settings(heap, node),
            transaction_checker=fields.ref(heap, node, "GrpcProducer.checker") >= 0,
        )
        for node in nodes
    ]


def unsent_bodies(heap: Heap, root: str) -> Nodes:
    """Distinct bodies of the messages that the application made, int32, ascending."""
    bodies = distinct(fields.refs(heap, fields.instances(heap, root, "GrpcMessage"), "GrpcMessage.body"))
    return bodies[bodies >= 0]

"""What the kinds of gRPC consumers share, and where the client's classes are.

Most heaps have none of them, so no more of it is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.clients import ClientPart, Kind


class GrpcKind(Kind):
    """What the kinds of gRPC consumers have in common."""

    consumer_class: ClassVar[str]
    """role of the class"""


def read_grpc_clients(heap: Heap, kinds: Sequence[Kind]) -> list[ClientPart]:
    """Read all gRPC clients of a heap, of any version and package."""
    roots = grpc_roots(heap)
    if not roots:
        return []
    from mqdiag.rocketmq.grpc.reader import read_client

    by_class = {kind.consumer_class: kind for kind in kinds if isinstance(kind, GrpcKind)}
    return [read_client(heap, root, by_class) for root in roots]


def grpc_roots(heap: Heap) -> list[str]:
    """Package roots that have the gRPC client's classes: org.apache.rocketmq, or where it was relocated to."""
    return sorted(fields.package_roots(heap, "GrpcClient") | fields.package_roots(heap, "MessageView"))

"""Classes of the gRPC client are loaded, and no client of it could be read."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said

RULE = Rule("unsupported-client")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Said]:
    """At most one finding."""
    if heap.grpc_client and not any(one.library == "grpc" for one in heap.instances):
        yield RULE.case("unsupported-client", evidence={"consumers_read": len(heap.consumers)})

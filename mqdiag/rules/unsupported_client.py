"""Classes of the gRPC client are loaded, and no client of it could be read."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("unsupported-client")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """At most one finding."""
    if heap.grpc_client and not any(one.library == "grpc" for one in heap.instances):
        yield RULE.case("unsupported-client", evidence={"consumers_read": len(heap.consumers)})

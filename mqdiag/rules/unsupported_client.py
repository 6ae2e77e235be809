"""Classes of the gRPC client are loaded, and no client of it could be read."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ClientInstance
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say

RULE = Rule(
    name="unsupported-client",
    title="The JVM has the RocketMQ gRPC client, and no client of it could be read",
    why=(
        "rocketmq-client-java (org.apache.rocketmq.client.java) has consumers and producers of its own. If its classes"
        " are loaded and none of its clients is found, the application may have shut them down, or use a version whose"
        " classes have other names. Without this finding, an empty RocketMQ view would look like health."
    ),
    causes=("unsupported-client",),
    severities=(Severity.INFO,),
    remedy=("Judge its memory by the suspects and the classes of the report.",),
    references=("https://github.com/apache/rocketmq-clients",),
)


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


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding."""
    heap = facts.heap
    assert heap is not None
    if not heap.grpc_client or any(one.library == "grpc" for one in heap.instances):
        return
    yield Draft(
        severity=Severity.INFO,
        cause="unsupported-client",
        confidence=Confidence.HIGH,
        confidence_reason=say("its classes are loaded"),
        title=say("This JVM has the gRPC client (rocketmq-client-java), and no client of it could be read"),
        evidence={"consumers_read": len(heap.consumers)},
        explanation=(
            say(
                "Either no client of it is in use any more, or this version of it has other classes than the versions"
                " 5.0.0 to 5.2.0. Sizes and holders are right for any object."
            ),
        ),
        remedy=(
            say(
                "If the application uses it, judge its memory by the suspects and by the classes whose names begin with"
                " org.apache.rocketmq.client.java."
            ),
        ),
    )

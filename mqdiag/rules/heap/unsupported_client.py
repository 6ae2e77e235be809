"""The gRPC client is loaded; its queues are of another kind and are not read."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say


def _facts(grpc: bool) -> Facts:
    heap = HeapFacts(objects=1, shallow_bytes=1, unreachable_objects=0, unreachable_bytes=0, grpc_client=grpc)
    return Facts(heap=heap)


def fires() -> Facts:
    """Classes of rocketmq-client-java are in the dump."""
    return _facts(True)


def silent() -> Facts:
    """They are not."""
    return _facts(False)


@rule(
    name="unsupported-client",
    title="The RocketMQ gRPC client is in use, which is not read",
    why=(
        "rocketmq-client-java (org.apache.rocketmq.client.java) caches messages in its own ProcessQueueImpl,"
        " not in the classes of the remoting client. An empty RocketMQ view would look like health; this says"
        " that its queues were not looked at. Holders and retained sizes hold for it as for any object."
    ),
    causes=("unsupported-client",),
    severities=(Severity.INFO,),
    remedy=("Judge its memory by the suspects and the classes of the report.",),
    references=("https://github.com/apache/rocketmq-clients",),
    needs=("heap",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """At most one finding."""
    heap = facts.heap
    assert heap is not None
    if not heap.grpc_client:
        return
    yield Draft(
        severity=Severity.INFO,
        cause="unsupported-client",
        confidence=Confidence.HIGH,
        confidence_reason=say("its classes are loaded"),
        title=say("The gRPC client (rocketmq-client-java) is in this JVM; its queues were not read"),
        evidence={"consumers_read": len(heap.consumers)},
        explanation=(
            say(
                "The tables of consumers and queues cover the remoting client only; sizes and holders cover all"
                " objects."
            ),
        ),
        remedy=(
            say(
                "Judge the gRPC client's memory by the suspects and by classes named"
                " org.apache.rocketmq.client.java."
            ),
            say(
                "Its cache is bounded by setMaxCacheMessageCount and setMaxCacheMessageSizeInBytes of the"
                " PushConsumerBuilder."
            ),
        ),
    )

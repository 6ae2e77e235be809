"""The gRPC client is loaded; its queues are of another kind and are not read."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import say

RULE = Rule(
    name="unsupported-client",
    title="The JVM uses the RocketMQ gRPC client, whose queues mqdiag does not read",
    why=(
        "rocketmq-client-java (org.apache.rocketmq.client.java) caches messages in its own ProcessQueueImpl, not in"
        " the classes of the remoting client. Without this finding, an empty RocketMQ view would look like health."
        " Holders and retained sizes are right for this client too, as for any object."
    ),
    causes=("unsupported-client",),
    severities=(Severity.INFO,),
    remedy=("Judge its memory by the suspects and the classes of the report.",),
    references=("https://github.com/apache/rocketmq-clients",),
)


def _facts(grpc: bool) -> Facts:
    heap = HeapFacts(objects=1, shallow_bytes=1, unreachable_objects=0, unreachable_bytes=0, grpc_client=grpc)
    return Facts(heap=heap)


def fires() -> Facts:
    """Classes of rocketmq-client-java are in the dump."""
    return _facts(True)


def silent() -> Facts:
    """They are not."""
    return _facts(False)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
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
        title=say("This JVM uses the gRPC client (rocketmq-client-java), whose queues were not read"),
        evidence={"consumers_read": len(heap.consumers)},
        explanation=(
            say(
                "The tables of consumers and queues show the remoting client only. Sizes and holders cover all"
                " objects."
            ),
        ),
        remedy=(
            say(
                "Judge the gRPC client's memory by the suspects and by the classes whose names begin with"
                " org.apache.rocketmq.client.java."
            ),
            say(
                "To limit its cache, call setMaxCacheMessageCount and setMaxCacheMessageSizeInBytes of the"
                " PushConsumerBuilder."
            ),
        ),
    )

"""The application does not poll a lite pull consumer."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.heap import KindTraits
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say

RULE = Rule(
    name="lite-pull-cache",
    title="A lite pull consumer caches messages that the application does not poll",
    why=(
        "Threads of the client pull messages into a cache, and poll() takes them from it. Nothing limits the size of"
        " this cache as a whole. If the application polls slowly or not at all, the messages stay in the heap and the"
        " consumer commits no offsets."
    ),
    causes=("lite-pull-cache",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the thread that should call poll(), and find what it waits for.",
        "Lower pullThresholdForAll, pullThresholdForQueue and pullBatchSize.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/7565",
        "DefaultLitePullConsumerImpl.consumeRequestCache",
    ),
    limits={"idle_ms": 60_000, "messages": 100},
)

_TRAITS = KindTraits(polled=True, pull_loop=False, sends_back=False)


def fires() -> Facts:
    """1,000 messages cached, and none polled for five minutes."""
    return example(
        consumer={"kind": "lite-pull", "traits": _TRAITS, "queued_requests": 100},
        queue={"messages": 1000, "last_consume_age_ms": 300_000},
    )


def silent() -> Facts:
    """The same, polled a moment ago."""
    return example(
        consumer={"kind": "lite-pull", "traits": _TRAITS, "queued_requests": 100}, queue={"messages": 1000}
    )


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each lite pull consumer; poll() marks the time at the queue of each message that it takes."""
    heap = facts.heap
    assert heap is not None
    for consumer in heap.consumers:
        if not consumer.traits.polled or not running(consumer) or not consumer.queued_requests:
            continue
        rows = [queue for queue in heap.queues if queue.group == consumer.group]
        ages = [queue.last_consume_age_ms for queue in rows if queue.last_consume_age_ms is not None]
        messages = sum(queue.messages for queue in rows)
        idle = min(ages, default=0)
        if idle < limits["idle_ms"] or messages < limits["messages"]:
            continue
        yield Draft(
            severity=Severity.WARNING,
            cause="lite-pull-cache",
            confidence=Confidence.MEDIUM,
            confidence_reason=say("the queues may be paused on purpose"),
            title=say("Group {group} caches {messages:count} messages and has polled none for {idle_ms:ms}"),
            subject=Subject(group=consumer.group),
            evidence={"messages": messages, "idle_ms": idle, "queued_requests": consumer.queued_requests},
            explanation=(
                say(
                    "{queued_requests:count} {queued_requests:batch waits|batches wait} for poll(). The application"
                    " has taken no message of any queue for {idle_ms:ms}."
                ),
            ),
            remedy=RULE.remedy,
            age_ms=idle,
        )

"""A consumer that was suspended and not resumed."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import CONSUMER, example
from mqdiag.rules.shared.graph_needed import needs_graph, of_remoting_only
from mqdiag.text import say

RULE = Rule(
    name="consumer-paused",
    title="A consumer is paused",
    why=(
        "suspend() stops the pulls until resume(). The consumer stays online and keeps its queues, so no other consumer"
        " takes them over and the backlog grows."
    ),
    causes=("consumer-paused",),
    severities=(Severity.WARNING,),
    remedy=(
        "Call resume() on the consumer, and find the code that called suspend().",
        "If it must pause for a long time, shut it down, so that other consumers get its queues.",
    ),
    references=("DefaultMQPushConsumerImpl.pause: pullMessage then waits a second and looks again",),
)


def fires() -> Facts:
    """Paused, with 500 messages on the broker."""
    return example(consumer={"state": {**CONSUMER.state, "pause": True}})


def silent() -> Facts:
    """A consumer that is not paused."""
    return example()


@RULE.sees("heap")
@needs_graph
@of_remoting_only(say("a gRPC consumer cannot be paused"))
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each running consumer that is paused."""
    heap = facts.heap
    assert heap is not None
    for consumer in heap.consumers:
        if consumer.state.get("pause") is not True or not running(consumer):
            continue
        lags = [queue.lag for queue in heap.queues if queue.group == consumer.group and queue.lag is not None]
        lag = sum(lags) if lags else None
        yield Draft(
            severity=Severity.WARNING,
            cause="consumer-paused",
            confidence=Confidence.MEDIUM,
            confidence_reason=say(
                "the pause may be intended; mqadmin also pauses a consumer for ten seconds when it resets offsets"
            ),
            title=(
                say("The consumer of group {group} is paused with a lag of {lag:count} {lag:message|messages}")
                if lag
                else say("The consumer of group {group} is paused")
            ),
            subject=Subject(group=consumer.group),
            evidence={"pause": True, "lag": lag, "queues": consumer.queues, "messages": consumer.messages},
            explanation=(
                say("The consumer is running and its field `pause` is true, so it does not pull its queues."),
                *([say("The lag is as of the last pull, which was before the pause.")] if lag else []),
            ),
            remedy=RULE.remedy,
        )

"""Failed messages cannot be sent back to the broker and go round in the client."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.any._send_back_failing_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


def fires() -> Facts:
    """Two hundred requests wait to be tried again."""
    return example(consumer={"resubmits": 200})


def silent() -> Facts:
    """One does."""
    return example(consumer={"resubmits": 1})


@rule(
    name="send-back-failing",
    title="Failed messages cannot be sent back to the broker",
    why=(
        "A message that the listener fails on is sent back to the broker. When that fails too, the client keeps it and"
        " calls the listener again after 5 s: the messages stay in the heap, the offset stays where it is, and the"
        " same messages fail again and again."
    ),
    causes=("send-back-failing",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look for `sendMessageBack Exception` in the client's log: it names the broker's answer.",
        "Look at the broker: busy, only a slave left, no permission, or a message above its size limit.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/4226",
        "ConsumeMessageConcurrentlyService.submitConsumeRequestLater",
    ),
    any_of=("heap", "logs"),
    limits={"requests": 10, "lines": 10},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each consumer of a heap, and for what the logs say."""
    if facts.heap is not None:
        yield from _in_heap(facts.heap, limits)
    yield from in_logs(facts, limits, check.card.remedy)


def _in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Draft | Skip]:
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    for consumer in heap.consumers:
        count = consumer.resubmits
        if (
            not consumer.traits.sends_back
            or not running(consumer)
            or count is None
            or count < limits["requests"]
        ):
            continue
        yield Draft(
            severity=Severity.WARNING,
            cause="send-back-failing",
            confidence=Confidence.MEDIUM,
            confidence_reason=say("requests that a pool refused wait in the same queue"),
            title=say(
                "{count:count} failed requests of group {group} wait to be tried again in the client",
                count=count,
                group=consumer.group,
            ),
            subject=Subject(group=consumer.group),
            evidence={"resubmits": count, "messages": consumer.messages},
            explanation=(
                say(
                    (
                        "{count:count} tasks wait in the consumer's scheduled executor, where only requests go"
                        " whose messages could not be sent back."
                    ),
                    count=count,
                ),
            ),
            remedy=check.card.remedy,
        )

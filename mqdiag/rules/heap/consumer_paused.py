"""A consumer that was suspended and not resumed."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import CONSUMER, example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


def fires() -> Facts:
    """Paused with 500 messages on the broker."""
    return example(consumer={"state": {**CONSUMER.state, "pause": True}})


def silent() -> Facts:
    """A consumer that is not paused."""
    return example()


@rule(
    name="consumer-paused",
    title="A consumer is paused",
    why=(
        "suspend() stops pulling until resume(); the consumer stays online and keeps its queues, so no other one takes"
        " them over and the backlog grows."
    ),
    causes=("consumer-paused",),
    severities=(Severity.WARNING,),
    remedy=(
        "Call resume() on the consumer; find who called suspend().",
        "If it shall rest for long, shut it down, so that others get its queues.",
    ),
    references=("DefaultMQPushConsumerImpl.pause: pullMessage then waits a second and looks again",),
    needs=("heap",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each running consumer that is paused."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    for consumer in heap.consumers:
        if consumer.state.get("pause") is not True or not running(consumer):
            continue
        lags = [queue.lag for queue in heap.queues if queue.group == consumer.group and queue.lag is not None]
        lag = sum(lags) if lags else None
        waiting = "" if not lag else say(" with {lag:count} messages to consume", lag=lag)
        yield Draft(
            severity=Severity.WARNING,
            cause="consumer-paused",
            confidence=Confidence.MEDIUM,
            confidence_reason=say("it may be meant; resetting offsets by mqadmin pauses for ten seconds too"),
            title=say(
                "The consumer of group {group} is paused{waiting}", group=consumer.group, waiting=waiting
            ),
            subject=Subject(group=consumer.group),
            evidence={"pause": True, "lag": lag, "queues": consumer.queues, "messages": consumer.messages},
            explanation=(
                say(
                    "`pause` of the running consumer is true: its queues are not pulled. The number of messages on the"
                    " broker is as of the last pull, before the pause."
                ),
            ),
            remedy=check.card.remedy,
        )

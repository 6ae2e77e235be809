"""The task that sends expired messages back was cancelled by its own exception."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.client_bugs import has_bug, numbers
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_whole_graph, of_remoting_only
from mqdiag.text import NOTHING, say

AFFECTED = say(
    "In 3.5.3 to 4.9.2 the task throws a NumberFormatException when the listener has not begun with the message at the"
    " head of a queue. Java cancels a periodic task that throws, without any log line. The bug is fixed in 4.9.3."
)

RULE = Rule(
    name="expiry-cleaner-dead",
    title="Expired messages are not cleaned any more",
    why=(
        "Every consumeTimeout minutes a concurrent consumer looks for messages that have been in the listener for"
        " too long. It sends them back to the broker, so that the consume offset can move on. Without that task one"
        " stuck message stops the offset of its queue for good."
    ),
    causes=("client-bug",),
    severities=(Severity.ERROR,),
    remedy=("Restart the consumer.", "Upgrade the client to 4.9.3 or later."),
    references=(
        "https://github.com/apache/rocketmq/issues/674",
        "https://github.com/apache/rocketmq/issues/1097",
        "https://github.com/apache/rocketmq/issues/3937",
    ),
)


def fires() -> Facts:
    """A running consumer of 4.9.2 whose cleaner has no task."""
    return example(consumer={"client_version": "4.9.2", "cleaner_tasks": 0})


def silent() -> Facts:
    """The task waits for its next run."""
    return example(consumer={"client_version": "4.9.2"})


@RULE.sees("heap")
@needs_whole_graph
@of_remoting_only(say("the gRPC client has no consumeTimeout, and nothing that watches over it"))
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each running concurrent consumer whose cleaner has no task, neither waiting nor running."""
    heap = facts.heap
    assert heap is not None
    for consumer in heap.consumers:
        if not consumer.traits.sends_back or consumer.orderly is not False or not running(consumer):
            continue
        if consumer.cleaner_tasks != 0:
            continue
        known = numbers(consumer.client_version)
        sure = known is not None and known < (4, 9, 3)
        yield Draft(
            severity=Severity.ERROR,
            cause="client-bug",
            confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
            confidence_reason=NOTHING
            if sure
            else say("this version is not known to have the bug; a Java Error also ends the task"),
            title=say("Group {group} does not clean expired messages: the task of the cleaner is gone"),
            subject=Subject(group=consumer.group),
            evidence={
                "cleaner_tasks": 0,
                "client_version": consumer.client_version,
                "consumeTimeout": consumer.config.get("consumeTimeout"),
            },
            explanation=(
                say(
                    "The consumer is in state RUNNING and the executor of its cleaner runs. But no task waits in the"
                    " queue of this executor, and no thread of it runs one."
                ),
                has_bug(consumer.client_version, AFFECTED, (3, 5, 3), (4, 9, 3)),
            ),
            remedy=RULE.remedy,
        )

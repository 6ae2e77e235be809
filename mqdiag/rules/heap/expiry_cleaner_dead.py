"""The task that sends expired messages back was cancelled by its own exception."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.client_bugs import has_bug, numbers
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_whole_graph
from mqdiag.text import NOTHING, say

AFFECTED = say(
    "In 3.5.3 to 4.9.2 a head message whose listener has not begun makes the task throw a"
    " NumberFormatException, and a periodic task that throws is cancelled without a word;"
    " fixed in 4.9.3."
)


def fires() -> Facts:
    """A running consumer of 4.9.2 whose cleaner has no task."""
    return example(consumer={"client_version": "4.9.2", "cleaner_tasks": 0})


def silent() -> Facts:
    """The task waits for its next run."""
    return example(consumer={"client_version": "4.9.2"})


@rule(
    name="expiry-cleaner-dead",
    title="Expired messages are not cleaned any more",
    why=(
        "A concurrent consumer looks every consumeTimeout minutes for messages that are in hand for too long and"
        " sends them back, so that the offset moves on. Without that task one stuck message holds its queue's offset"
        " for ever."
    ),
    causes=("client-bug",),
    severities=(Severity.ERROR,),
    remedy=("Restart the consumer.", "Upgrade the client to 4.9.3 or later."),
    references=(
        "https://github.com/apache/rocketmq/issues/674",
        "https://github.com/apache/rocketmq/issues/1097",
        "https://github.com/apache/rocketmq/issues/3937",
    ),
    needs=("heap",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each running concurrent consumer whose cleaner has neither a waiting nor a running task."""
    heap = facts.heap
    assert heap is not None
    skip = without_whole_graph(facts)
    if skip is not None:
        yield skip
        return
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
            else say("the version is not known to have the bug; an Error ends the task too"),
            title=say(
                "Group {group} cleans no expired messages: the cleaner's task is gone", group=consumer.group
            ),
            subject=Subject(group=consumer.group),
            evidence={
                "cleaner_tasks": 0,
                "client_version": consumer.client_version,
                "consumeTimeout": consumer.config.get("consumeTimeout"),
            },
            explanation=(
                say(
                    "The executor of the cleaner runs, and neither waits in its queue nor works any task; the"
                    " consumer is in state RUNNING."
                ),
                has_bug(consumer.client_version, AFFECTED, (3, 5, 3), (4, 9, 3)),
            ),
            remedy=check.card.remedy,
        )

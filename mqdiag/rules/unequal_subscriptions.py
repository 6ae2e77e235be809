"""Instances of one group subscribe to different topics."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.differing_instances import example, findings_of
from mqdiag.text import say

RULE = Rule(
    name="unequal-subscriptions",
    title="Instances of one group subscribe to different topics",
    why=(
        "The broker keeps one subscription for a group: that of the last heartbeat. It shares the queues of a topic"
        " among all instances of the group, even those that did not subscribe to it. Messages of their queues are not"
        " consumed, or are filtered out."
    ),
    causes=("unequal-subscriptions",),
    severities=(Severity.ERROR,),
    remedy=(
        "Give each set of topics a consumer group of its own.",
        "During a rolling deployment that changes subscriptions: start the new instances under a new group.",
    ),
    references=("ConsumerGroupInfo.updateSubscription", "apache/rocketmq #5473", "apache/rocketmq #2089"),
    lies_at="any",
)


def fires() -> Facts:
    """One of three instances subscribes to another topic."""
    return example("subscription", "subscriptions", ("orders", 2), ("orders, refunds", 1))


def silent() -> Facts:
    """All subscribe to the same topic."""
    return example("subscription", "subscriptions", ("orders", 3))


@RULE.sees("fleet")
def in_fleet(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group."""
    yield from findings_of(
        RULE,
        facts,
        "subscription",
        title=say("{instances:count} consumers of group {group} subscribe to different topics"),
        line=say(
            "{having:count} of {instances:count} {having:subscribes|subscribe} to {value}, for example on {hosts}."
        ),
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a rolling deployment that changes subscriptions looks the same while it lasts"),
    )

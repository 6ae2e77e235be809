"""Instances of one group subscribe to different topics."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.fleet._drift import drafts, example
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say


def fires() -> Facts:
    """One of three instances subscribes to another topic."""
    return example("subscription", "subscriptions", ("orders", 2), ("orders, refunds", 1))


def silent() -> Facts:
    """All subscribe to the same."""
    return example("subscription", "subscriptions", ("orders", 3))


@rule(
    name="unequal-subscriptions",
    title="Instances of one group subscribe to different topics",
    why=(
        "The broker keeps one subscription for a group: that of the heartbeat that came last. Queues of a topic are"
        " shared out among all instances of the group, those included that never asked for it; their messages are"
        " not consumed, or filtered away."
    ),
    causes=("unequal-subscriptions",),
    severities=(Severity.ERROR,),
    remedy=(
        "Give each set of topics a consumer group of its own.",
        "During a rolling deployment that changes subscriptions: start the new instances under a new group.",
    ),
    references=("ConsumerGroupInfo.updateSubscription", "apache/rocketmq #5473", "apache/rocketmq #2089"),
    needs=("fleet",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group."""
    yield from drafts(
        facts,
        "subscription",
        cause="unequal-subscriptions",
        severity=Severity.ERROR,
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a rolling deployment that changes subscriptions looks the same while it lasts"),
        what=say("subscribe to different topics"),
        remedy=check.card.remedy,
    )

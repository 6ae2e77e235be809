"""Instances of one group subscribe to different topics."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import SubscriptionChange
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.differing_instances import example, findings_of
from mqdiag.rules.shared.log_events import between, by_group, lines_of
from mqdiag.text import say
from mqdiag.time_ranges import between as range_between
from mqdiag.time_ranges import joined

MOST_ROWS = 5
"""changes that are explained"""

RULE = Rule(
    name="unequal-subscriptions",
    title="Instances of one group subscribe to different topics",
    why=(
        "The broker keeps one subscription for a group: that of the last heartbeat. It shares the queues of a topic"
        " among all instances of the group, even those that did not subscribe to it. Messages of their queues are not"
        " consumed, or are filtered out."
    ),
    causes=("unequal-subscriptions",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Give each set of topics a consumer group of its own.",
        "During a rolling deployment that changes subscriptions: start the new instances under a new group.",
    ),
    references=("ConsumerGroupInfo.updateSubscription", "apache/rocketmq #5473", "apache/rocketmq #2089"),
    limits={"changes": 2, "error_changes": 4},
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


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and topic of which heartbeats replace the subscription again and again."""
    assert facts.logs is not None
    not_latest = by_group(facts.logs, "subscription-not-latest")
    by_topic: dict[tuple[str, str], list[SubscriptionChange]] = {}
    for row in facts.logs.subscription_changes:
        by_topic.setdefault((row.group, row.topic), []).append(row)
    for (group, topic), rows in by_topic.items():
        if sum(row.count for row in rows) >= limits["changes"]:
            yield _flips(group, topic, rows, lines_of(not_latest.get(group, [])), limits)


def _flips(group: str, topic: str, rows: list[SubscriptionChange], not_latest: int, limits: Limits) -> Draft:
    changes = sum(row.count for row in rows)
    expressions = tuple(dict.fromkeys(words for row in rows for words in (row.before, row.after)))
    return Draft(
        severity=Severity.ERROR if changes >= limits["error_changes"] else Severity.WARNING,
        cause="unequal-subscriptions",
        confidence=Confidence.HIGH if changes >= limits["error_changes"] else Confidence.MEDIUM,
        confidence_reason=say("the broker logs each heartbeat that replaces a subscription by another one"),
        title=say("The subscription of group {group} to {topic} changed {changes:count} times: {expressions}"),
        subject=Subject(group=group, topic=topic),
        evidence={
            "changes": changes,
            "expressions": expressions,
            "not_latest": not_latest,
            "change_lines": tuple(row.count for row in rows),
        },
        explanation=(
            *(
                say(
                    "{before} was replaced by {after}: {lines:count} {lines:time|times} {between}.",
                    before=row.before,
                    after=row.after,
                    lines=row.count,
                    between=between(row.first, row.last),
                )
                for row in rows[:MOST_ROWS]
            ),
            *(
                (say("{not_latest:count} {not_latest:pull|pulls} met a subscription that was not the latest."),)
                if not_latest
                else ()
            ),
            say(
                "Instances of the group subscribe differently, and each heartbeat replaces what the other one set."
            ),
        ),
        remedy=RULE.remedy,
        when=joined([period for row in rows for period in range_between(row.first, row.last)]),
        weight=0.5,
    )

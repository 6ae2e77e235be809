"""Instances of one group subscribe to different topics."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts, SubscriptionChange
from mqdiag.findings import Subject
from mqdiag.log_events import between, by_group, lines_of
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("unequal-subscriptions")
FEWEST_TOPICS = 2
"""a group that drops one topic was deployed anew; those that take turns are of different programs"""
MOST_ROWS = 5
"""changes that are explained"""


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group and topic of which heartbeats replace the subscription again and again."""
    not_latest = by_group(logs, "subscription-not-latest")
    by_topic: dict[tuple[str, str], list[SubscriptionChange]] = {}
    for row in logs.subscription_changes:
        by_topic.setdefault((row.group, row.topic), []).append(row)
    for (group, topic), rows in by_topic.items():
        changes = sum(row.count for row in rows)
        if changes < limits["changes"]:
            continue
        yield RULE.case(
            "replaced-often" if changes >= limits["error_changes"] else "replaced",
            subject=Subject(group=group, topic=topic),
            evidence={
                "changes": changes,
                "expressions": tuple(dict.fromkeys(words for row in rows for words in (row.before, row.after))),
                "not_latest": lines_of(not_latest.get(group, [])),
                "change_lines": tuple(row.count for row in rows),
            },
            rows={
                "changes": tuple(
                    {
                        "before": row.before,
                        "after": row.after,
                        "lines": row.count,
                        "between": between(row.first, row.last),
                    }
                    for row in rows[:MOST_ROWS]
                )
            },
            over=rows,
        )


@RULE.logs
def in_topics(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group of which heartbeats take several topics away, again and again."""
    for group, found in by_group(logs, "subscription-removed").items():
        topics = sorted(
            {
                subject.topic
                for event in found
                for subject in event.subjects
                if subject.group == group and subject.topic and subject.count >= limits["changes"]
            }
        )
        if len(topics) < FEWEST_TOPICS or group is None:
            continue
        yield RULE.case(
            "other-topics",
            subject=Subject(group=group),
            events=found,
            evidence={"topics": tuple(topics[:MOST_ROWS]), "removed": lines_of(found)},
        )

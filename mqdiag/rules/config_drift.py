"""Instances of one group run with different settings."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.differing_instances import example, findings_of
from mqdiag.text import say

RULE = Rule(
    name="config-drift",
    title="Instances of one group run with different settings",
    why=(
        "All instances of a group share its queues. When one instance goes, the others get its queues and must bear"
        " their load. A setting differs because a deployment did not reach all hosts, or because somebody set a value"
        " by hand and forgot it."
    ),
    causes=("config-drift",),
    severities=(Severity.WARNING,),
    remedy=(
        "Find out which value is intended, and where the others come from: image, configuration centre, start script.",
        "Give the intended value to mqdiag with --expect {group:arg GROUP}:{key:arg KEY}=VALUE, so that a single dump"
        " shows the difference.",
    ),
    references=(
        "DefaultMQPushConsumer",
        "RebalancePushImpl divides pullThresholdForTopic by the assigned queues",
    ),
    lies_at="any",
)


def fires() -> Facts:
    """Two of five instances hold 1,000 messages a queue, the others 100."""
    return example("setting", "pullThresholdForQueue", ("100", 3), ("1000", 2))


def silent() -> Facts:
    """All five hold 100."""
    return example("setting", "pullThresholdForQueue", ("100", 5))


@RULE.sees("fleet")
def in_fleet(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and setting."""
    yield from findings_of(
        RULE,
        facts,
        "setting",
        title=say("{instances:count} consumers of group {group} have different values of {key}"),
        line=say(
            "{having:count} of {instances:count} {having:has|have} the value {value}, for example on {hosts}."
        ),
        confidence=Confidence.HIGH,
        confidence_reason=say("the values are those in force in the dumps"),
    )

"""Instances of one group run with different settings."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.fleet._drift import drafts, example
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say


def fires() -> Facts:
    """Two of five instances hold 1,000 messages a queue, the others 100."""
    return example("setting", "pullThresholdForQueue", ("100", 3), ("1000", 2))


def silent() -> Facts:
    """All five hold 100."""
    return example("setting", "pullThresholdForQueue", ("100", 5))


@rule(
    name="config-drift",
    title="Instances of one group run with different settings",
    why=(
        "All instances of a group share its queues, and what one may hold the others must bear when it goes. A setting"
        " that differs is a deployment that did not reach all hosts, or a value set by hand and forgotten."
    ),
    causes=("config-drift",),
    severities=(Severity.WARNING,),
    remedy=(
        "Find which value is meant, and where the others come from: image, configuration centre, start script.",
        "Give the meant value to mqdiag with --expect GROUP:KEY=VALUE, so that a single dump tells the difference.",
    ),
    references=(
        "DefaultMQPushConsumer",
        "RebalancePushImpl divides pullThresholdForTopic by the assigned queues",
    ),
    needs=("fleet",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group and setting."""
    yield from drafts(
        facts,
        "setting",
        cause="config-drift",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        confidence_reason=say("the values are those in force in the dumps"),
        what=say("differ in KEY"),
        remedy=check.card.remedy,
    )

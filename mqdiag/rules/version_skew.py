"""Instances of one group run different client versions."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.differing_instances import example, findings_of
from mqdiag.text import say

RULE = Rule(
    name="version-skew",
    title="Instances of one group run different client versions",
    why=(
        "Versions differ in their defaults, in how they share queues and in which faults they survive. A fault then"
        " comes and goes with the host that gets a queue."
    ),
    causes=("version-skew",),
    severities=(Severity.WARNING,),
    remedy=(
        "Bring all instances of the group to one version of rocketmq-client.",
        "During a rolling deployment this is expected: look again when it has ended.",
    ),
    references=("MQVersion.CURRENT_VERSION",),
    lies_at="any",
)


def fires() -> Facts:
    """One of four instances still has an old client."""
    return example("version", "client_version", ("4.9.8", 3), ("4.3.2", 1))


def silent() -> Facts:
    """All have the same client."""
    return example("version", "client_version", ("4.9.8", 4))


@RULE.sees("fleet")
def in_fleet(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group."""
    yield from findings_of(
        RULE,
        facts,
        "version",
        title=say("{instances:count} consumers of group {group} run different client versions"),
        line=say(
            "{having:count} of {instances:count} {having:runs|run} client {value}, for example on {hosts}."
        ),
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a rolling deployment looks the same while it lasts"),
    )

"""Instances of one group run different client versions."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.fleet._drift import drafts, example
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say


def fires() -> Facts:
    """One of four instances still has an old client."""
    return example("version", "client_version", ("4.9.8", 3), ("4.3.2", 1))


def silent() -> Facts:
    """All have the same."""
    return example("version", "client_version", ("4.9.8", 4))


@rule(
    name="version-skew",
    title="Instances of one group run different client versions",
    why=(
        "Versions differ in defaults, in how queues are shared out and in what they survive. Faults then come and go"
        " with the host that a queue is assigned to."
    ),
    causes=("version-skew",),
    severities=(Severity.WARNING,),
    remedy=(
        "Bring all instances of the group to one version of rocketmq-client.",
        "During a rolling deployment this is expected: look again when it is through.",
    ),
    references=("MQVersion.CURRENT_VERSION",),
    needs=("fleet",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group."""
    yield from drafts(
        facts,
        "version",
        cause="version-skew",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a rolling deployment looks the same while it lasts"),
        what=say("run different client versions"),
        remedy=check.card.remedy,
    )

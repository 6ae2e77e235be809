"""A service has a fault that it did not have in the earlier run."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetChange, FleetFacts
from mqdiag.facts.vocabulary import ChangeKind
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.text import say

RULE = Rule(
    name="regression",
    title="A service has a fault that it did not have in the earlier run",
    why=(
        "A fault that is new since the last run most likely comes from what has changed since then: a release, a"
        " setting, the load."
    ),
    causes=("new-fault",),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Compare releases and configuration of the service between the two runs.",
        "Follow the finding itself: the table `findings` has its evidence and its remedy.",
    ),
    references=("table findings of the fleet's output",),
    lies_at="any",
)


def _fleet(kind: ChangeKind) -> Facts:
    change = FleetChange(
        kind=kind,
        service="orders",
        rule="retry-storm",
        cause="failing-listener",
        severity="warning",
        fingerprint="0123456789abcdef",
        group="orders",
        title=say("380 of 400 cached messages of group orders failed before"),
        hosts=4,
    )
    return Facts(fleet=FleetFacts(run="r2", against="r1", changes=(change,)))


def fires() -> Facts:
    """Messages fail now that did not fail last night."""
    return _fleet("regression")


def silent() -> Facts:
    """They failed last night, and do not fail now."""
    return _fleet("recovery")


@RULE.sees("fleet")
def in_fleet(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each fault that is new for its service and that the earlier run could have found."""
    assert facts.fleet is not None
    if facts.fleet.against is None:
        yield Skip(reason=say("there is no earlier run to compare with"))
    for change in facts.fleet.changes:
        if change.kind == "regression":
            yield _draft(change, facts.fleet.against)


def _draft(change: FleetChange, against: str | None) -> Draft:
    return Draft(
        severity=Severity(change.severity),
        cause="new-fault",
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "the earlier run looked for the fault and did not find it, in the evidence that it had"
        ),
        title=say("New in {service} since {against}: {title}", title=change.title),
        subject=Subject(
            group=change.group,
            key=f"{change.rule}:{change.cause}",
            environment=change.environment or None,
            service=change.service,
        ),
        evidence={
            "rule": change.rule,
            "cause": change.cause,
            "hosts": change.hosts,
            "fingerprint": change.fingerprint,
            "against": against,
        },
        explanation=(
            say(
                "{hosts:count} {hosts:host has|hosts have} the fault {rule} ({cause}) now. Run {against} checked this"
                " rule for the service and found nothing."
            ),
        ),
        remedy=RULE.remedy,
    )

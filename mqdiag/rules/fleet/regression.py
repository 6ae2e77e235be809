"""A service has a fault that it had not in the earlier run."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetChange, FleetFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say


def _fleet(kind: str) -> Facts:
    change = FleetChange(
        kind=kind,
        service="orders",
        rule="retry-storm",
        cause="failing-listener",
        severity="warning",
        fingerprint="0123456789abcdef",
        group="orders",
        title="380 of 400 cached messages of group orders failed before",
        hosts=4,
    )
    return Facts(fleet=FleetFacts(run="r2", against="r1", changes=(change,)))


def fires() -> Facts:
    """Messages fail that did not fail last night."""
    return _fleet("regression")


def silent() -> Facts:
    """They failed last night, and do no more."""
    return _fleet("recovery")


@rule(
    name="regression",
    title="A service has a fault that it had not in the earlier run",
    why="What is new since the last run was most likely brought by what changed since: a release, a setting, a load.",
    causes=("new-fault",),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Compare releases and configuration of the service between the two runs.",
        "Follow the finding itself: its evidence and remedy stand in the table findings.",
    ),
    references=("table findings of the fleet's output",),
    needs=("fleet",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each fault that is new for its service; the earlier run could have found it."""
    assert facts.fleet is not None
    if facts.fleet.against is None:
        yield Skip(reason=say("there is no earlier run to compare with"))
    for change in facts.fleet.changes:
        if change.kind != "regression":
            continue
        yield Draft(
            severity=Severity(change.severity),
            cause="new-fault",
            confidence=Confidence.MEDIUM,
            confidence_reason=say(
                "the earlier run looked for it and did not find it, in the evidence that it had"
            ),
            title=say(
                "New in {service} since {against}: {title}",
                service=change.service,
                against=facts.fleet.against,
                title=change.title,
            ),
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
                "against": facts.fleet.against,
            },
            explanation=(
                say(
                    "{rule} ({cause}) is on {hosts} now; run {against} checked this rule for the service"
                    " and found nothing.",
                    rule=change.rule,
                    cause=change.cause,
                    hosts=say("{number:count} {number:host|hosts}", number=change.hosts),
                    against=facts.fleet.against,
                ),
            ),
            remedy=check.card.remedy,
        )

"""A service has a fault that it did not have in the earlier run."""

from __future__ import annotations

from mqdiag.facts.fleet import FleetFacts
from mqdiag.findings import Severity, Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("regression")


@RULE.fleet
def in_fleet(fleet: FleetFacts, limits: Limits) -> Findings:
    """One finding for each fault that is new for its service and that the earlier run could have found."""
    if fleet.against is None:
        yield RULE.skip("no-earlier-run")
    for change in fleet.changes:
        if change.kind == "regression":
            yield RULE.case(
                "new-fault",
                change,
                severity=Severity(change.severity),
                subject=Subject(
                    group=change.group,
                    key=f"{change.rule}:{change.cause}",
                    environment=change.environment or None,
                    service=change.service,
                ),
                evidence={"against": fleet.against},
                words={"title": change.title, "is_shared": change.shared is not None},
            )

"""A service had evidence regularly, and has none any more."""

from __future__ import annotations

from mqdiag.facts.fleet import FleetFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("evidence-stopped")


@RULE.fleet
def in_fleet(fleet: FleetFacts, limits: Limits) -> Findings:
    """One finding for each service that has been silent for several times its usual interval."""
    for one in fleet.silent:
        is_regular = one.days_with_evidence >= limits["days"]
        if is_regular and one.silent_days >= max(2.0, limits["times"] * one.usual_days):
            yield RULE.case(
                "evidence-stopped",
                one,
                subject=Subject(environment=one.environment or None, service=one.service),
            )

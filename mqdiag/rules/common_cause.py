"""Many hosts have the same fault, and share what can cause it."""

from __future__ import annotations

from mqdiag.facts.fleet import CommonTrait, FleetFacts
from mqdiag.findings import Severity, Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("common-cause")
MOST_HOSTS = 3
"""hosts that the explanation names"""
LIBRARY_SHARE = 0.8
"""share of the hosts with the fault that must use a library, which many hosts use without any fault"""


@RULE.fleet
def in_fleet(fleet: FleetFacts, limits: Limits) -> Findings:
    """One finding for each rule, cause and trait that enough hosts share."""
    for trait in fleet.common:
        if trait.hosts < limits["hosts"] or (trait.kind == "library" and not _wide_enough(trait, limits)):
            continue
        yield RULE.case(
            RULE.meaning("by_trait")[trait.kind],
            trait,
            severity=Severity(trait.severity),
            subject=Subject(key=f"{trait.rule}:{trait.cause}:{trait.kind}:{trait.value}"),
            evidence={"shared": trait.kind, "hosts_with_fault": trait.fault_hosts},
            words={"shown": trait.example_hosts[:MOST_HOSTS], "worst": trait.example_title},
            rows={"shared": ({"shared": RULE.word(trait.kind, value=trait.value)},)},
            given={"example_remedy": trait.example_remedy},
            weight=trait.hosts / trait.fault_hosts,
        )


def _wide_enough(trait: CommonTrait, limits: Limits) -> bool:
    return (
        trait.hosts >= limits["library_hosts"]
        and trait.services >= limits["library_services"]
        and trait.hosts >= LIBRARY_SHARE * trait.fault_hosts
    )

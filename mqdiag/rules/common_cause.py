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

_MOST_SERVICES = 1e6
"""more than a fleet has"""


@RULE.fleet
def in_fleet(fleet: FleetFacts, limits: Limits) -> Findings:
    """One finding for each rule, cause and trait that enough hosts share."""
    for trait in fleet.common:
        by_chance = trait.chance is not None and trait.chance > limits["chance"]
        is_narrow = trait.kind == "library" and not _wide_enough(trait, limits)
        if trait.hosts < limits["hosts"] or by_chance or is_narrow:
            continue
        yield RULE.case(
            RULE.meaning("by_trait")[trait.kind],
            trait,
            severity=Severity(trait.severity),
            subject=Subject(key=key_of(trait.rule, trait.cause, trait.kind, trait.value)),
            evidence={"shared": trait.kind, "hosts_with_fault": trait.fault_hosts},
            words={"shown": trait.example_hosts[:MOST_HOSTS], "worst": trait.example_title},
            rows={"shared": ({"shared": RULE.word(trait.kind, value=trait.value)},)},
            given={"example_remedy": trait.example_remedy},
            weight=_rank(trait),
        )


def key_of(rule: str, cause: str, kind: str | None, value: str | None) -> str:
    """What a common cause is about, by which a new fault of a service is linked to it."""
    return f"{rule}:{cause}:{kind}:{value}"


def _rank(trait: CommonTrait) -> float:
    """What is new in most services comes first, then what most services have, then what most hosts have."""
    spread = trait.services + trait.hosts / (1 + trait.hosts)
    return (trait.new_services or 0) * _MOST_SERVICES + spread


def _wide_enough(trait: CommonTrait, limits: Limits) -> bool:
    return (
        trait.hosts >= limits["library_hosts"]
        and trait.services >= limits["library_services"]
        and trait.hosts >= LIBRARY_SHARE * trait.fault_hosts
    )

"""Many hosts have the same fault, and share what can cause it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import CommonTrait, FleetFacts
from mqdiag.facts.vocabulary import TraitKind
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import NOTHING, Text, say

MOST_HOSTS = 3
"""hosts that the explanation names"""

RULE = Rule(
    name="common-cause",
    title="Many hosts have the same fault",
    why=(
        "If many hosts have a fault and share the frame, the library, the setting, the address or the client version"
        " behind it, no single host is broken, and one repair there cures all of them. The same fault on hosts that"
        " share nothing is no common cause."
    ),
    causes=("common-cause",),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Repair what the hosts share: base image, framework, configuration, the service that all of them call.",
        "mqdiag rules NAME explains the shared rule. The table `findings` has every occurrence.",
    ),
    references=("table findings of the fleet's output",),
    limits={"hosts": 3, "library_hosts": 10, "library_services": 3},
    lies_at="any",
)

PROVING: frozenset[TraitKind] = frozenset({"frame", "holder", "setting", "address"})
"""the fault itself names these; the others only go together with it"""
LIBRARY_SHARE = 0.8
"""share of the hosts with the fault that must use a library, which many hosts use without any fault"""


def _fleet(hosts: int, kind: TraitKind = "frame") -> Facts:
    trait = CommonTrait(
        rule="stuck-socket-read",
        cause="missing-http-timeout",
        kind=kind,
        value="com.acme.http.Client.get",
        severity="error",
        services=2,
        hosts=hosts,
        incidents=hosts,
        findings=hosts,
        fault_hosts=hosts,
        example_services=("orders", "payments"),
        example_hosts=("orders/h1", "payments/h2"),
        example_title=say("20 threads wait for an answer of Apache HttpClient"),
        example_remedy=(say("Give the client a socket timeout."),),
    )
    return Facts(fleet=FleetFacts(run="r1", common=(trait,)))


def fires() -> Facts:
    """Five hosts of two services wait for an HTTP answer in the same frame."""
    return _fleet(5)


def silent() -> Facts:
    """Five hosts wait in calls of their own; all that they share is a library which many hosts use."""
    return _fleet(5, "library")


@RULE.sees("fleet")
def in_fleet(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each rule, cause and trait that enough hosts share."""
    assert facts.fleet is not None
    for trait in facts.fleet.common:
        if trait.hosts >= limits["hosts"] and (trait.kind != "library" or _wide_enough(trait, limits)):
            yield _draft(trait)


def _wide_enough(trait: CommonTrait, limits: Limits) -> bool:
    return (
        trait.hosts >= limits["library_hosts"]
        and trait.services >= limits["library_services"]
        and trait.hosts >= LIBRARY_SHARE * trait.fault_hosts
    )


def _draft(trait: CommonTrait) -> Draft:
    proving = trait.kind in PROVING
    return Draft(
        severity=Severity(trait.severity),
        cause="common-cause",
        confidence=Confidence.HIGH if proving else Confidence.MEDIUM,
        confidence_reason=NOTHING
        if proving
        else say("the hosts have it in common; that it causes the fault is likely and not shown"),
        title=say(
            "{hosts:count} {hosts:host|hosts} of {services:count} {services:service|services} {hosts:has|have} the"
            " same fault: {rule} ({cause}), {shared}",
            shared=_shared(trait),
        ),
        subject=Subject(key=f"{trait.rule}:{trait.cause}:{trait.kind}:{trait.value}"),
        evidence={
            "rule": trait.rule,
            "cause": trait.cause,
            "shared": trait.kind,
            "value": trait.value,
            "services": trait.services,
            "hosts": trait.hosts,
            "hosts_with_fault": trait.fault_hosts,
            "findings": trait.findings,
            "incidents": trait.incidents,
            "example_hosts": trait.example_hosts,
        },
        explanation=(
            say(
                "{hosts:count} of the {hosts_with_fault:count} {hosts_with_fault:host|hosts} with this fault"
                " {hosts:shares|share} it, such as {shown}.",
                shown=trait.example_hosts[:MOST_HOSTS],
            ),
            say("The worst one: {worst}.", worst=trait.example_title),
        ),
        remedy=(*trait.example_remedy, *RULE.remedy),
        weight=trait.hosts / trait.fault_hosts,
    )


def _shared(trait: CommonTrait) -> Text:
    if trait.kind == "frame":
        return say("all in {value}", value=trait.value)
    if trait.kind == "holder":
        return say("all held by {value}", value=trait.value)
    if trait.kind == "setting":
        return say("all with the setting {value}", value=trait.value)
    if trait.kind == "address":
        return say("all with {value}", value=trait.value)
    if trait.kind == "group":
        return say("all in the group {value}", value=trait.value)
    if trait.kind == "broker":
        return say("all at the broker {value}", value=trait.value)
    if trait.kind == "library":
        return say("all with the library {value}", value=trait.value)
    return say("all with client {value}", value=trait.value)

"""Many hosts have the same fault."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, SharedCause
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import say

MOST_HOSTS = 3
"""hosts that the explanation names"""

RULE = Rule(
    name="common-cause",
    title="Many hosts have the same fault",
    why=(
        "If many hosts have a fault, no single host is broken. The fault lies in a shared library, a shared default or"
        " a shared dependency, and one repair there cures all hosts."
    ),
    causes=("common-cause",),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Repair what the hosts share: base image, framework, configuration, the service that all of them call.",
        "mqdiag rules NAME explains the shared rule. The table `findings` has every occurrence.",
    ),
    references=("table findings of the fleet's output",),
    limits={"hosts": 3},
    lies_at="any",
    sums_up=True,
)


def _fleet(hosts: int) -> Facts:
    cause = SharedCause(
        rule="stuck-socket-read",
        cause="missing-http-timeout",
        severity="error",
        services=2,
        hosts=hosts,
        groups=2,
        incidents=hosts,
        findings=hosts,
        host_share=hosts / 20,
        example_services=("orders", "payments"),
        example_hosts=("orders/h1", "payments/h2"),
        example_title=say("20 threads wait for an answer of Apache HttpClient"),
        example_remedy=(say("Give the client a socket timeout."),),
    )
    return Facts(fleet=FleetFacts(run="r1", causes=(cause,)))


def fires() -> Facts:
    """Five hosts of two services wait for an HTTP answer."""
    return _fleet(5)


def silent() -> Facts:
    """Two hosts wait for one."""
    return _fleet(2)


@RULE.sees("fleet")
def in_fleet(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each rule and cause that enough hosts share."""
    assert facts.fleet is not None
    for shared in facts.fleet.causes:
        if shared.hosts >= limits["hosts"]:
            yield _draft(shared)


def _draft(shared: SharedCause) -> Draft:
    return Draft(
        severity=Severity(shared.severity),
        cause="common-cause",
        confidence=Confidence.HIGH,
        title=say(
            "{hosts:count} {hosts:host|hosts} of {services:count} {services:service|services} {hosts:has|have} the"
            " same fault: {rule} ({cause})"
        ),
        subject=Subject(key=f"{shared.rule}:{shared.cause}"),
        evidence={
            "rule": shared.rule,
            "cause": shared.cause,
            "services": shared.services,
            "hosts": shared.hosts,
            "groups": shared.groups,
            "findings": shared.findings,
            "incidents": shared.incidents,
            "host_share": round(shared.host_share, 4),
            "example_hosts": shared.example_hosts,
        },
        explanation=(
            say(
                "{findings:count} {findings:finding|findings} in {incidents:count} {incidents:incident|incidents}, on"
                " {host_share:percent} of the hosts, such as {shown}.",
                shown=shared.example_hosts[:MOST_HOSTS],
            ),
            say("The worst one: {worst}.", worst=shared.example_title),
        ),
        remedy=(*shared.example_remedy, *RULE.remedy),
        weight=shared.host_share,
    )

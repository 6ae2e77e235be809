"""Many hosts have the same fault."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, SharedCause
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say


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
        example_title="20 threads wait for an answer of Apache HttpClient",
        example_remedy=("Give the client a socket timeout.",),
    )
    return Facts(fleet=FleetFacts(run="r1", causes=(cause,)))


def fires() -> Facts:
    """Five hosts of two services wait for an HTTP answer."""
    return _fleet(5)


def silent() -> Facts:
    """Two hosts do."""
    return _fleet(2)


@rule(
    name="common-cause",
    title="Many hosts have the same fault",
    why=(
        "What is seen on many hosts is not a broken host: it is a shared library, a shared default or a shared"
        " dependency, and is mended in one place."
    ),
    causes=("common-cause",),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Mend it where it is shared: base image, framework, configuration, the service that all of them call.",
        "mqdiag rules NAME tells what the shared rule rests on; the table findings has every occurrence.",
    ),
    references=("table findings of the fleet's output",),
    needs=("fleet",),
    limits={"hosts": 3},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each rule and cause that enough hosts share."""
    assert facts.fleet is not None
    for one in facts.fleet.causes:
        if one.hosts < limits["hosts"]:
            continue
        spread = say(
            "{hosts} of {services}",
            hosts=say("{number:count} {number:host|hosts}", number=one.hosts),
            services=say("{number:count} {number:service|services}", number=one.services),
        )
        yield Draft(
            severity=Severity(one.severity),
            cause="common-cause",
            confidence=Confidence.HIGH,
            title=say(
                "{spread} have the same fault: {rule} ({cause})", spread=spread, rule=one.rule, cause=one.cause
            ),
            subject=Subject(key=f"{one.rule}:{one.cause}"),
            evidence={
                "rule": one.rule,
                "cause": one.cause,
                "services": one.services,
                "hosts": one.hosts,
                "groups": one.groups,
                "findings": one.findings,
                "host_share": round(one.host_share, 4),
                "example_hosts": one.example_hosts,
            },
            explanation=(
                say(
                    "{findings} in {incidents} on {host_share:percent} of the hosts, such as {example_hosts}.",
                    findings=say("{number:count} {number:finding|findings}", number=one.findings),
                    incidents=say("{number:count} {number:incident|incidents}", number=one.incidents),
                    host_share=one.host_share,
                    example_hosts=", ".join(one.example_hosts[:3]),
                ),
                say("The gravest: {example_title}.", example_title=one.example_title),
            ),
            remedy=(*one.example_remedy, *check.card.remedy),
            weight=one.host_share,
        )

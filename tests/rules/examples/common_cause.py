from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.fleet import CommonTrait, FleetFacts
from mqdiag.facts.vocabulary import TraitKind
from mqdiag.text import say


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

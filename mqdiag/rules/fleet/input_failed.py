"""Evidence could not be analysed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, FleetFailure, ServiceState
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say


def fires() -> Facts:
    """One dump of a service is empty."""
    failure = FleetFailure(
        service="orders", host="h1", path="s3://dumps/orders/h1/1.hprof", kind="unreadable", reason="is empty"
    )
    service = ServiceState(service="orders", hosts=2, incidents=3, failed=1, lost=1, errors=0, warnings=0)
    return Facts(fleet=FleetFacts(run="r1", services=(service,), failures=(failure,)))


def silent() -> Facts:
    """All evidence was read."""
    service = ServiceState(service="orders", hosts=2, incidents=3, failed=0, errors=0, warnings=0)
    return Facts(fleet=FleetFacts(run="r1", services=(service,)))


@rule(
    name="input-failed",
    title="Evidence could not be analysed",
    why=(
        "A service whose dumps are empty, cut off or larger than the limits is a service that nobody looks at. The"
        " fleet's picture has a hole there, which must not look like health."
    ),
    causes=("unreadable", "limits", "infrastructure"),
    severities=(Severity.WARNING,),
    remedy=(
        "unreadable: look at the disk space where dumps are written, and at the copy; take the dump again.",
        "too-large, memory, time: raise --max-input, --memory or --time-limit, and run again.",
        "lost, no-room, fault: run again; these are tried again each time.",
    ),
    references=("table failures of the fleet's output",),
    needs=("fleet",),
    undecides=True,
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each service."""
    assert facts.fleet is not None
    for state in facts.fleet.services:
        if not state.lost:
            continue
        environment, service = state.environment, state.service
        # Of a long list of failures only the first are told; the count is that of all.
        own = [one for one in facts.fleet.failures if (one.environment, one.service) == (environment, service)]
        kinds = Counter(one.kind for one in own)
        yield Draft(
            severity=Severity.WARNING,
            cause=_cause(kinds),
            confidence=Confidence.HIGH,
            title=say(
                "{inputs} of service {service} could not be analysed",
                inputs=say("{number:count} {number:input|inputs}", number=state.lost),
                service=service,
            ),
            subject=Subject(environment=environment or None, service=service),
            evidence={
                "inputs": state.lost,
                "kinds": tuple(sorted(kinds)),
                "paths": tuple(one.path or "" for one in own[:5]),
            },
            explanation=tuple(f"{one.path or one.host}: {one.reason} ({one.kind})." for one in own[:5])
            or (say("The table failures has the reason of each."),),
            remedy=check.card.remedy,
        )


def _cause(kinds: Counter[str]) -> str:
    kind = max(kinds, key=lambda name: kinds[name], default="unreadable")
    if kind in ("too-large", "memory", "time"):
        return "limits"
    return "infrastructure" if kind in ("lost", "no-room", "fault") else "unreadable"

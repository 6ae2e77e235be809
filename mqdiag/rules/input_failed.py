"""Evidence could not be analysed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, FleetFailure, ServiceState
from mqdiag.facts.vocabulary import LossKind
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import Text, say

MOST_SHOWN = 5
"""files that the explanation names"""

RULE = Rule(
    name="input-failed",
    title="Evidence could not be analysed",
    why=(
        "If the dumps of a service are empty, cut off or larger than the limits, nobody looks at that service."
        " Without a finding such a service would look healthy."
    ),
    causes=("unreadable", "limits", "infrastructure"),
    severities=(Severity.WARNING,),
    remedy=(
        "unreadable: check the disk space where dumps are written, and the copy; take the dump again.",
        "too-large, memory, time: raise --max-input, --memory or --time-limit, and run again.",
        "lost, no-room, fault: run again; each run tries these files again.",
    ),
    references=("table failures of the fleet's output",),
    undecides=True,
    lies_at="any",
)


def fires() -> Facts:
    """One dump of a service is empty."""
    failure = FleetFailure(
        service="orders",
        host="h1",
        path="s3://dumps/orders/h1/1.hprof",
        kind="unreadable",
        reason=say("is empty"),
    )
    service = ServiceState(service="orders", hosts=2, incidents=3, failed=1, lost=1, errors=0, warnings=0)
    return Facts(fleet=FleetFacts(run="r1", services=(service,), failures=(failure,)))


def silent() -> Facts:
    """All evidence was read."""
    service = ServiceState(service="orders", hosts=2, incidents=3, failed=0, errors=0, warnings=0)
    return Facts(fleet=FleetFacts(run="r1", services=(service,)))


@RULE.sees("fleet")
def in_fleet(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each service."""
    assert facts.fleet is not None
    for state in facts.fleet.services:
        if state.lost:
            place = (state.environment, state.service)
            own = [one for one in facts.fleet.failures if (one.environment, one.service) == place]
            yield _draft(state, own)


def _draft(state: ServiceState, failures: list[FleetFailure]) -> Draft:
    """The count is that of all files; of a long list the facts have only the first failures."""
    kinds = Counter(one.kind for one in failures)
    shown = failures[:MOST_SHOWN]
    return Draft(
        severity=Severity.WARNING,
        cause=_cause(kinds),
        confidence=Confidence.HIGH,
        title=say("{inputs:count} {inputs:input|inputs} of service {service} could not be analysed"),
        subject=Subject(environment=state.environment or None, service=state.service),
        evidence={
            "inputs": state.lost,
            "kinds": tuple(sorted(kinds)),
            "paths": tuple(one.path or "" for one in shown),
        },
        explanation=tuple(map(_reason, shown)) or (say("The table failures has the reason of each."),),
        remedy=RULE.remedy,
    )


def _reason(failure: FleetFailure) -> Text:
    return say(
        "{path}: {reason} ({kind}).",
        path=failure.path or failure.host,
        reason=failure.reason,
        kind=failure.kind,
    )


def _cause(kinds: Counter[LossKind]) -> str:
    kind: LossKind = max(kinds, key=lambda name: kinds[name], default="unreadable")
    if kind in ("too-large", "memory", "time"):
        return "limits"
    return "infrastructure" if kind in ("lost", "no-room", "fault") else "unreadable"

"""What the rules about differing instances share: their finding, and an example."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, SettingDrift, ValueShare
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft
from mqdiag.text import say


def example(kind: str, key: str, *values: tuple[str, int]) -> Facts:
    """A fleet in which instances of one group have these values."""
    shares = tuple(
        ValueShare(value=value, instances=count, hosts=(f"orders/h{place}",))
        for place, (value, count) in enumerate(values)
    )
    drift = SettingDrift(
        kind=kind, group="orders", key=key, instances=sum(count for _, count in values), values=shares
    )
    return Facts(fleet=FleetFacts(run="r1", drifts=(drift,) if len(values) > 1 else ()))


def drafts(
    facts: Facts,
    kind: str,
    *,
    cause: str,
    severity: Severity,
    confidence: Confidence,
    confidence_reason: str,
    what: str,
    remedy: tuple[str, ...],
) -> Iterator[Draft]:
    """One finding for each group and key of a kind.

    Args:
        facts: with a fleet.
        kind: setting, version or subscription.
        cause: of the finding.
        severity: of the finding.
        confidence: of the finding.
        confidence_reason: what makes it sure or not.
        what: the title after the group, with {key} for the setting's name.
        remedy: steps.
    """
    assert facts.fleet is not None
    for drift in facts.fleet.drifts:
        if drift.kind != kind:
            continue
        common = drift.values[0]
        others = drift.instances - common.instances
        yield Draft(
            severity=severity,
            cause=cause,
            confidence=confidence,
            confidence_reason=confidence_reason,
            title=say(
                "{instances:count} consumers of group {group} {what}",
                instances=drift.instances,
                group=drift.group,
                what=what.replace("KEY", drift.key),
            ),
            subject=Subject(group=drift.group, key=drift.key, environment=drift.environment or None),
            evidence={
                "instances": drift.instances,
                "differing": others,
                "values": tuple(share.value for share in drift.values),
                "counts": tuple(share.instances for share in drift.values),
                "hosts": tuple(share.hosts[0] for share in drift.values if share.hosts),
            },
            explanation=tuple(
                say(
                    "{instances:count} of {instances_2:count}: {value}, such as {hosts}.",
                    instances=share.instances,
                    instances_2=drift.instances,
                    value=share.value,
                    hosts=", ".join(share.hosts[:3]),
                )
                for share in drift.values
            ),
            remedy=remedy,
            weight=others / drift.instances,
        )

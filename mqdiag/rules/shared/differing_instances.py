"""What the rules about differing instances of a group share: their finding, and an example fleet."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, SettingDrift, ValueShare
from mqdiag.facts.vocabulary import DriftKind
from mqdiag.findings import Confidence, EvidenceValue, Subject
from mqdiag.rules.registry import Draft, Rule
from mqdiag.text import Text

MOST_HOSTS = 3
"""hosts that a sentence names for each value"""


def example(kind: DriftKind, key: str, *values: tuple[str, int]) -> Facts:
    """A fleet in which instances of one group have these values.

    Args:
        kind: setting, version or subscription.
        key: name of the setting.
        values: each with the number of instances that have it.
    """
    shares = tuple(
        ValueShare(value=value, instances=count, hosts=(f"orders/h{place}",))
        for place, (value, count) in enumerate(values)
    )
    drift = SettingDrift(
        kind=kind, group="orders", key=key, instances=sum(count for _, count in values), values=shares
    )
    return Facts(fleet=FleetFacts(run="r1", drifts=(drift,) if len(values) > 1 else ()))


def findings_of(
    rule: Rule,
    facts: Facts,
    kind: DriftKind,
    *,
    title: Text,
    line: Text,
    confidence: Confidence,
    confidence_reason: Text,
) -> Iterator[Draft]:
    """One finding for each group and key of a kind, of the rule's first cause and its worst severity.

    Args:
        rule: the rule that speaks.
        facts: with a fleet.
        kind: setting, version or subscription.
        title: with placeholders for {instances}, {group} and {key}.
        line: what is said of each value, with placeholders for {having} of {instances}, {value} and {hosts}.
        confidence: of each finding.
        confidence_reason: what makes it sure or not.
    """
    assert facts.fleet is not None
    cause, severity = rule.causes[0], rule.severities[0]
    for drift in facts.fleet.drifts:
        if drift.kind == kind:
            yield Draft(
                severity=severity,
                cause=cause,
                confidence=confidence,
                confidence_reason=confidence_reason,
                title=title,
                subject=Subject(group=drift.group, key=drift.key, environment=drift.environment or None),
                evidence=_evidence(drift),
                explanation=tuple(_of_value(line, drift, share) for share in drift.values),
                remedy=rule.remedy,
                weight=_differing(drift) / drift.instances,
            )


def _differing(drift: SettingDrift) -> int:
    """Instances that do not have the most common value."""
    return drift.instances - drift.values[0].instances


def _evidence(drift: SettingDrift) -> dict[str, EvidenceValue]:
    return {
        "instances": drift.instances,
        "differing": _differing(drift),
        "values": tuple(share.value for share in drift.values),
        "counts": tuple(share.instances for share in drift.values),
        "hosts": tuple(share.hosts[0] for share in drift.values if share.hosts),
    }


def _of_value(line: Text, drift: SettingDrift, share: ValueShare) -> Text:
    return line.filled(
        {
            "having": share.instances,
            "instances": drift.instances,
            "value": share.value,
            "hosts": share.hosts[:MOST_HOSTS],
        }
    )

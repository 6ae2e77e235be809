"""Settings, versions and subscriptions that differ between the instances of a group: `drifts` below `[detect]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqdiag.facts import Facts
from mqdiag.findings import Subject
from mqdiag.rules.draft import Findings, Limits

if TYPE_CHECKING:
    from mqdiag.rules.rule import Rule

MOST_HOSTS = 3
"""hosts that a sentence names for each value"""


def in_drifts(rule: Rule, kind: str, facts: Facts, limits: Limits) -> Findings:
    """One finding for each group and key of a kind: the case of the rule's own name, with a row for each value."""
    for drift in () if facts.fleet is None else facts.fleet.drifts:
        if drift.kind != kind:
            continue
        differing = drift.instances - drift.values[0].instances
        yield rule.case(
            rule.name,
            drift,
            subject=Subject(group=drift.group, key=drift.key, environment=drift.environment or None),
            evidence={
                "differing": differing,
                "values": tuple(share.value for share in drift.values),
                "counts": tuple(share.instances for share in drift.values),
                "hosts": tuple(share.hosts[0] for share in drift.values if share.hosts),
            },
            rows={
                "shares": tuple(
                    {"having": share.instances, "value": share.value, "hosts": share.hosts[:MOST_HOSTS]}
                    for share in drift.values
                )
            },
            weight=differing / drift.instances,
        )

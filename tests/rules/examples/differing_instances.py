"""A fleet whose instances of one group differ; the examples of three rules."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, SettingDrift, ValueShare
from mqdiag.facts.vocabulary import DriftKind


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

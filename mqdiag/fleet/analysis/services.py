"""What a run has of each single service, one service after the other: the driver never holds those of all."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts.fleet import (
    FleetChange,
    FleetFacts,
    FleetFailure,
    HostState,
    Outlier,
    ServiceState,
    SettingDrift,
)
from mqdiag.findings import Finding
from mqdiag.fleet.analysis.gather import change, lone_finding, lost_file, plain_fact, setting_drift
from mqdiag.fleet.analysis.picture import Picture

SERVICES_AT_ONCE = 1_000
"""whose findings are in memory together"""


class OneService(msgspec.Struct, frozen=True, kw_only=True):
    """What its own report tells of a service."""

    state: ServiceState
    hosts: tuple[HostState, ...]
    """the worst first"""
    findings: tuple[Finding, ...]
    """one for each open fault, the worst first"""
    failures: tuple[FleetFailure, ...]
    """the first 1,000, faults of mqdiag before all else"""
    failure_count: int
    checked: tuple[str, ...]
    """rules that ran to their end in any of its incidents"""
    lowered: tuple[str, ...] = ()
    """rules of which the configuration lowered, ignored or hid an error or a warning in any of its incidents"""
    changes: tuple[FleetChange, ...] = ()
    """faults that are new or gone, the first 50"""
    drifts: tuple[SettingDrift, ...] = ()
    """differences inside consumer groups that the service is in, the first 50"""
    outliers: tuple[Outlier, ...] = ()
    """instances that are far from the others of their group, the first 50"""


def each_service(now: Picture, facts: FleetFacts) -> Iterator[OneService]:
    """The services of a report, ordered by environment and name."""
    states = {(state.environment, state.service): state for state in facts.services}
    names = sorted(states)
    for start in range(0, len(names), SERVICES_AT_ONCE):
        for row in now.service_pages(names[start : start + SERVICES_AT_ONCE]):
            yield OneService(
                state=states[row["environment"], row["service"]],
                hosts=tuple(plain_fact(host, HostState) for host in row["hosts"]),
                findings=tuple(map(lone_finding, row["faults"] or ())),
                failures=tuple(map(lost_file, row["failures"] or ())),
                failure_count=row["failure_count"] or 0,
                checked=tuple(row["checked"] or ()),
                lowered=tuple(row["lowered"] or ()),
                changes=tuple(map(change, row["changes"] or ())),
                drifts=tuple(map(setting_drift, row["drifts"] or ())),
                outliers=tuple(plain_fact(one, Outlier) for one in row["outliers"] or ()),
            )

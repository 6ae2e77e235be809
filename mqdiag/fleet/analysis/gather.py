"""The comparisons of a run as facts: the top of each list, and how long it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from mqdiag.facts.fleet import (
    CommonTrait,
    FleetChange,
    FleetFacts,
    FleetFailure,
    FleetTotals,
    GroupCapacity,
    HostsByRule,
    Outlier,
    ServiceState,
    SettingDrift,
    SharedCause,
)
from mqdiag.findings import Finding, Severity, fingerprint
from mqdiag.fleet.analysis.capacity import capacity
from mqdiag.fleet.analysis.causes import hosts_by_rule, lone_faults, service_states, shared_causes
from mqdiag.fleet.analysis.changes import SERVICE, changes, with_counts
from mqdiag.fleet.analysis.common import common_traits
from mqdiag.fleet.analysis.consumers import latest_consumers
from mqdiag.fleet.analysis.drift import drifts
from mqdiag.fleet.analysis.open_findings import open_findings, recovered_faults
from mqdiag.fleet.analysis.outliers import outlier_instances
from mqdiag.fleet.analysis.picture import Picture
from mqdiag.fleet.faults import FAULT
from mqdiag.report_json import finding_from_json, text_of
from mqdiag.text import Text

LISTED = 200
"""entries of each list in the report; the tables hold all"""
SERVICES = 20_000
"""services in the report: a reader searches all of them for their own"""
CELLS = 2_000
LONE = 50
"""findings of single services in the report"""
VALUES = 10
"""different values of one setting that are told"""
SCORE = 3.5
"""distance from which an instance is kept as a possible outlier; the rule's own limit is the same or higher"""
INSTANCES = 5
_SEVERITIES = tuple(severity.value for severity in Severity)

Fact = TypeVar("Fact", bound=msgspec.Struct)


def fleet_facts(
    now: Picture, before: Picture | None, totals: FleetTotals, out: str
) -> tuple[FleetFacts, tuple[Finding, ...]]:
    """Compare the instances of a run, and the run with an earlier one.

    Args:
        now: the run.
        before: the earlier one, if there is any.
        totals: what the work itself has counted.
        out: the output as the user named it.

    Returns:
        The facts, and one finding for each fault of each service.
    """
    all_findings = now.table("findings").persist()
    findings = open_findings(all_findings, now.incidents).persist()
    failures = now.table("failures").persist()
    consumers = latest_consumers(now.table("consumers")).persist()
    states = service_states(now.incidents, findings, failures)
    causes, cause_count = _top(shared_causes(findings), LISTED, lambda row: _cause(row, totals.hosts))
    common, _ = _top(common_traits(findings, consumers), LISTED, _common)
    spread, _ = _top(hosts_by_rule(findings), CELLS, lambda row: plain_fact(row, HostsByRule))
    differences, drift_count = _top(drifts(consumers), LISTED, _drift)
    far = outlier_instances(consumers, score=SCORE, instances=INSTANCES)
    outliers, outlier_count = _top(
        far.orderBy(F.desc(F.abs("score")), "consumer_group", "host", "metric"),
        LISTED,
        lambda row: plain_fact(row, Outlier),
    )
    told: tuple[FleetChange, ...] = ()
    counts: dict[str, int] = {}
    if before is not None:
        open_before = open_findings(before.table("findings"), before.incidents).persist()
        changed = changes(findings, now.incidents, open_before, before.incidents).persist()
        told, _ = _top(changed, LISTED, _change)
        counts = {row["kind"]: row["count"] for row in changed.groupBy("kind").count().collect()}
        states = with_counts(states, findings, open_before, changed)
    services, service_count = _top(
        states.orderBy(F.desc("errors"), F.desc("warnings"), F.desc("lost"), *SERVICE), SERVICES, _service
    )
    failed, failure_count = _top(
        # Faults of ours first: one that a long list cuts off would not end the run as a fault.
        failures.orderBy(F.col("kind") != FAULT, "environment", "service", "host", "path"),
        LISTED,
        lost_file,
    )
    groups, group_count = _top(capacity(consumers), LISTED, _capacity)
    severities = {row["severity"]: row["count"] for row in findings.groupBy("severity").count().collect()}
    lone, _ = _top(lone_faults(findings), LONE, lone_finding)
    facts = FleetFacts(
        run=now.run,
        against=None if before is None else before.run,
        out=out,
        totals=msgspec.structs.replace(
            totals,
            failures=failure_count,
            services=service_count,
            groups=group_count,
            findings=sum(severities.values()),
            errors=severities.get("error", 0),
            warnings=severities.get("warning", 0),
            drifts=drift_count,
            outliers=outlier_count,
            recovered=recovered_faults(all_findings, findings),
            causes=cause_count,
            regressions=counts.get("regression", 0),
            recoveries=counts.get("recovery", 0),
        ),
        services=services,
        causes=causes,
        common=common,
        hosts_by_rule=spread,
        drifts=differences,
        outliers=outliers,
        changes=told,
        capacity=groups,
        failures=failed,
    )
    return facts, lone


def _top(frame: DataFrame, limit: int, make: Any) -> tuple[tuple[Any, ...], int]:
    """The first rows as facts, and the number of all."""
    rows = frame.limit(limit + 1).collect()
    count = len(rows) if len(rows) <= limit else frame.count()
    return tuple(make(row.asDict(recursive=True)) for row in rows[:limit]), count


def plain_fact(row: Mapping[str, Any], kind: type[Fact]) -> Fact:
    """The columns that are fields of the fact; `group` is a keyword of SQL and no name of a column."""
    names = {field.name for field in msgspec.structs.fields(kind)}
    known = {"group": row.get("consumer_group"), **row}
    return msgspec.convert({key: value for key, value in known.items() if key in names}, kind, strict=False)


def _ranked(row: Mapping[str, Any], kind: type[Fact]) -> Fact:
    return plain_fact({**row, "severity": _SEVERITIES[row["rank"]]}, kind)


def _service(row: Mapping[str, Any]) -> ServiceState:
    return plain_fact(row, ServiceState)


def _cause(row: Mapping[str, Any], hosts: int) -> SharedCause:
    finding = finding_from_json(row["document"])
    told = {
        "example_title": finding.title,
        "example_remedy": finding.remedy,
        "host_share": row["hosts"] / hosts,
    }
    return _ranked({**row, **told}, SharedCause)


def _common(row: Mapping[str, Any]) -> CommonTrait:
    finding = finding_from_json(row["document"])
    return _ranked({**row, "example_title": finding.title, "example_remedy": finding.remedy}, CommonTrait)


def lone_finding(row: Mapping[str, Any]) -> Finding:
    """The finding with the service in its subject, so that it is another one than that of another service."""
    found = finding_from_json(row["document"])
    place = {"environment": row["environment"] or None, "service": row["service"]}
    identity = msgspec.structs.replace(found.subject, thread=None, queue_id=None, **place)
    return msgspec.structs.replace(
        found,
        subject=msgspec.structs.replace(found.subject, **place, host=row["host"]),
        fingerprint=fingerprint(found.rule, found.cause, identity),
        caused_by=(),
        evidence={**found.evidence, "hosts": row["hosts"]},
    )


def _capacity(row: Mapping[str, Any]) -> GroupCapacity:
    return plain_fact({**row, "over": row["over_heap"]}, GroupCapacity)


def _drift(row: Mapping[str, Any]) -> SettingDrift:
    return plain_fact({**row, "values": row["values"][:VALUES]}, SettingDrift)


def _change(row: Mapping[str, Any]) -> FleetChange:
    title = finding_from_json(row["document"]).title
    return _ranked({**row, "consumer_group": row["consumer_group"] or None, "title": title}, FleetChange)


def lost_file(row: Mapping[str, Any]) -> FleetFailure:
    """The reason is a text again; of tables without the column it is what they say in English."""
    document = row["document"]
    reason = Text(row["reason"]) if document is None else text_of(msgspec.json.decode(document))
    return plain_fact({**row, "reason": reason}, FleetFailure)

"""The comparisons of a run as facts: the top of each list, and how long it is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
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
from mqdiag.fleet.analysis.picture import Picture
from mqdiag.fleet.analysis.view import view
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
FAULT_OF_HOST = ("environment", "service", "host", "rule", "cause", "consumer_group")
"""what a fault of a host is over time: the thread or queue can be another one tomorrow"""
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
    findings, consumers, failures = now.open_findings, now.latest_consumers, now.failures
    states = view(
        "current_state",
        current_incidents=now.incidents,
        unrefuted_findings=findings,
        current_failures=failures,
    )
    told: tuple[FleetChange, ...] = ()
    counts: dict[str, int] = {}
    if before is not None:
        changed = view(
            "changes",
            service_faults=now.faults,
            current_incidents=now.incidents,
            earlier_faults=before.faults,
            earlier_incidents=before.incidents,
        ).persist()
        told, _ = _top(changed, LISTED, _change)
        counts = {row["kind"]: row["count"] for row in changed.groupBy("kind").count().collect()}
        states = view(
            "state_changes",
            current_state=states,
            service_faults=now.faults,
            earlier_faults=before.faults,
            changes=changed,
        )
    services, service_count = _top(
        states.orderBy(F.desc("errors"), F.desc("warnings"), F.desc("lost"), "environment", "service"),
        SERVICES,
        partial(plain_fact, kind=ServiceState),
    )
    causes, cause_count = _top(
        view("shared_causes", unrefuted_findings=findings),
        LISTED,
        lambda row: _with_example({**row, "host_share": row["hosts"] / totals.hosts}, SharedCause),
    )
    traits = view("common_traits", unrefuted_findings=findings, latest_consumers=consumers)
    common, _ = _top(traits, LISTED, partial(_with_example, kind=CommonTrait))
    spread, _ = _top(
        view("hosts_by_rule", unrefuted_findings=findings), CELLS, partial(plain_fact, kind=HostsByRule)
    )
    drifts = view("drifts", drift=view("drift", latest_consumers=consumers))
    differences, drift_count = _top(
        drifts, LISTED, lambda row: plain_fact({**row, "values": row["values"][:VALUES]}, SettingDrift)
    )
    far, outlier_count = _top(
        view("outliers", latest_consumers=consumers), LISTED, partial(plain_fact, kind=Outlier)
    )
    groups, group_count = _top(
        view("capacity", latest_consumers=consumers).orderBy(
            F.desc_nulls_last("bound_share_most"), F.desc("held_bytes_most"), "environment", "consumer_group"
        ),
        LISTED,
        lambda row: plain_fact({**row, "over": row["over_heap"]}, GroupCapacity),
    )
    failed, failure_count = _top(
        # Faults of ours first: one that a long list cuts off would not end the run as a fault.
        failures.orderBy(F.col("kind") != FAULT, "environment", "service", "host", "path"),
        LISTED,
        lost_file,
    )
    recovered = now.findings.select(*FAULT_OF_HOST).subtract(findings.select(*FAULT_OF_HOST)).count()
    severities = {row["severity"]: row["count"] for row in findings.groupBy("severity").count().collect()}
    lone, _ = _top(now.faults, LONE, lone_finding)
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
            recovered=recovered,
            causes=cause_count,
            regressions=counts.get("regression", 0),
            recoveries=counts.get("recovery", 0),
        ),
        services=services,
        causes=causes,
        common=common,
        hosts_by_rule=spread,
        drifts=differences,
        outliers=far,
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


def _with_example(row: Mapping[str, Any], kind: type[Fact]) -> Fact:
    finding = finding_from_json(row["document"])
    return _ranked({**row, "example_title": finding.title, "example_remedy": finding.remedy}, kind)


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


def _change(row: Mapping[str, Any]) -> FleetChange:
    title = finding_from_json(row["document"]).title
    return _ranked({**row, "consumer_group": row["consumer_group"] or None, "title": title}, FleetChange)


def lost_file(row: Mapping[str, Any]) -> FleetFailure:
    """The reason is a text again; of tables without the column it is what they say in English."""
    document = row["document"]
    reason = Text(row["reason"]) if document is None else text_of(msgspec.json.decode(document))
    return plain_fact({**row, "reason": reason}, FleetFailure)

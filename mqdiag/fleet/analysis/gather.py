"""The comparisons of a run as facts: the top of each list, and how long it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from mqdiag.config import Settings
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
    SilentService,
)
from mqdiag.findings import Finding, Severity
from mqdiag.fingerprints import fingerprint
from mqdiag.fleet.analysis.picture import Picture
from mqdiag.report_json import finding_from_json, text_of
from mqdiag.rules.discovery import rules_about
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
_SEVERITIES = tuple(severity.value for severity in Severity)

Fact = TypeVar("Fact", bound=msgspec.Struct)


def fleet_facts(
    now: Picture,
    before: Picture | None,
    totals: FleetTotals,
    out: str,
    settings: Settings,
    doubts: tuple[Text, ...] = (),
) -> tuple[FleetFacts, tuple[Finding, ...], tuple[str, ...]]:
    """Compare the instances of a run, and the run with an earlier one.

    Args:
        now: the run.
        before: the earlier one, if there is any.
        totals: what the work itself has counted.
        out: the output as the user named it.
        settings: the limits of rules.
        doubts: what looks wrong about the labels.

    Returns:
        The facts, one finding for each fault of each service, and the rule of each that a configuration lowered in a
        service.
    """
    now.prepare(before, rule_limits(settings))
    (counts,) = now.rows("finding_counts")
    told, _ = _top(now, "told_changes", LISTED, change)
    services, service_count = _top(now, "services", SERVICES, partial(plain_fact, kind=ServiceState))
    causes, cause_count = _top(
        now,
        "shared_causes",
        LISTED,
        lambda row: _with_example({**row, "host_share": row["hosts"] / counts["hosts"]}, SharedCause),
    )
    common, _ = _top(now, "common_traits", LISTED, partial(_with_example, kind=CommonTrait))
    spread, _ = _top(now, "hosts_by_rule", CELLS, partial(plain_fact, kind=HostsByRule))
    differences, drift_count = _top(now, "drifts", LISTED, setting_drift)

    far, outlier_count = _top(now, "outliers", LISTED, partial(plain_fact, kind=Outlier))
    groups, group_count = _top(now, "capacities", LISTED, partial(plain_fact, kind=GroupCapacity))
    quiet, _ = _top(now, "silent_services", LISTED, partial(plain_fact, kind=SilentService))
    failed, failure_count = _top(now, "lost_files", LISTED, lost_file)
    lone, _ = _top(now, "lone_faults", LONE, lone_finding)
    facts = FleetFacts(
        run=now.run,
        against=None if before is None else before.run,
        out=out,
        totals=msgspec.structs.replace(
            totals,
            **counts,
            failures=failure_count,
            services=service_count,
            groups=group_count,
            drifts=drift_count,
            outliers=outlier_count,
            causes=cause_count,
        ),
        services=services,
        causes=causes,
        common=common,
        hosts_by_rule=spread,
        drifts=differences,
        outliers=far,
        changes=told,
        silent=quiet,
        capacity=groups,
        failures=failed,
        doubts=doubts,
    )
    return facts, lone, tuple(sorted(row["rule"] for row in now.rows("lowered_rules")))


def rule_limits(settings: Settings) -> dict[str, float]:
    """Limits of the rules that judge a fleet, as `rule.limit`: SQL leaves out what they would."""
    return {
        f"{rule.name}.{limit}": value
        for rule in rules_about("fleet")
        for limit, value in {**rule.limits, **settings.limits.get(rule.name, {})}.items()
    }


def _top(picture: Picture, name: str, limit: int, make: Callable[..., Any]) -> tuple[tuple[Any, ...], int]:
    """The first rows of a comparison as facts, and the number of all."""
    rows = tuple(picture.rows(name, limit + 1))
    count = len(rows) if len(rows) <= limit else picture.count(name)
    return tuple(map(make, rows[:limit])), count


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


def change(row: Mapping[str, Any]) -> FleetChange:
    """A fault that is new or gone."""
    title = finding_from_json(row["document"]).title
    told = {name: row[name] or () for name in ("builds", "earlier_builds")}
    return _ranked(
        {**row, **told, "consumer_group": row["consumer_group"] or None, "title": title}, FleetChange
    )


def setting_drift(row: Mapping[str, Any]) -> SettingDrift:
    """What consumers of a group differ in, with the most common values."""
    return plain_fact({**row, "values": row["values"][:VALUES]}, SettingDrift)


def lost_file(row: Mapping[str, Any]) -> FleetFailure:
    """The reason is a text again; of tables without the column it is what they say in English."""
    document = row["document"]
    reason = Text(row["reason"]) if document is None else text_of(msgspec.json.decode(document))
    return plain_fact({**row, "reason": reason}, FleetFailure)

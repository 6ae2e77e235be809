"""A fleet: services by causes, what is common, what drifted, what is new."""

from __future__ import annotations

from mqdiag.facts.fleet import FleetFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.figures.heat_map import heat_map
from mqdiag.render.html.page.cells import count_cell, decimal_cell, share_cell, size_cell, table
from mqdiag.render.html.page.parts import AnyPart, Figure, Pairs, Section
from mqdiag.text import say

MOST_ROWS = 60
MOST_COLUMNS = 14


def fleet_section(report: Report, view: View) -> Section | None:
    """Nothing without a fleet."""
    fleet = report.fleet
    if fleet is None:
        return None
    parts: list[AnyPart] = [Pairs(_summary(fleet))]
    if fleet.cells:
        parts.append(_heat(fleet))
    parts += [part for make in _TABLES if (part := make(fleet)) is not None]
    return Section(name="fleet", title=say("The fleet"), parts=parts)


def _summary(fleet: FleetFacts) -> list[tuple[str, str]]:
    totals = fleet.totals
    return [
        (say("run"), fleet.run + (say(", against {against}", against=fleet.against) if fleet.against else "")),
        (
            say("incidents"),
            say(
                "{incidents:count}: {analysed:count} new, {known:count} known",
                incidents=totals.incidents,
                analysed=totals.analysed,
                known=totals.known,
            ),
        ),
        (
            say("files"),
            say(
                "{files:count}, {bytes:bytes}, {failures:count} not analysed",
                files=totals.files,
                bytes=totals.bytes,
                failures=totals.failures,
            ),
        ),
        (
            say("seen"),
            say(
                "{services:count} services, {hosts:count} hosts, {groups:count} groups",
                services=totals.services,
                hosts=totals.hosts,
                groups=totals.groups,
            ),
        ),
        (
            say("findings"),
            say(
                "{findings:count}: {errors:count} errors, {warnings:count} warnings",
                findings=totals.findings,
                errors=totals.errors,
                warnings=totals.warnings,
            ),
        ),
        (
            say("since then"),
            say(
                "{regressions:count} regressions, {recoveries:count} recoveries",
                regressions=totals.regressions,
                recoveries=totals.recoveries,
            ),
        ),
    ]


def _service(environment: str, service: str) -> str:
    return f"{environment}/{service}" if environment else service


def _heat(fleet: FleetFacts) -> Figure:
    by_rule: dict[str, int] = {}
    by_service: dict[str, int] = {}
    counts: dict[tuple[str, str], int] = {}
    for cell in fleet.cells:
        row = _service(cell.environment, cell.service)
        counts[row, cell.rule] = counts.get((row, cell.rule), 0) + cell.hosts
        by_rule[cell.rule] = by_rule.get(cell.rule, 0) + cell.hosts
        by_service[row] = by_service.get(row, 0) + cell.hosts
    rows = sorted(by_service, key=lambda name: (-by_service[name], name))[:MOST_ROWS]
    columns = sorted(by_rule, key=lambda name: (-by_rule[name], name))[:MOST_COLUMNS]
    title = say(
        "Hosts with each fault, by service; most have {columns}, {by_rule} hosts",
        columns=columns[0],
        by_rule=by_rule[columns[0]],
    )
    left_out = len(by_service) - len(rows) + len(by_rule) - len(columns)
    return Figure(
        svg=heat_map(title, rows, columns, counts),
        caption=say("Services by faults: how many of its hosts have it")
        + (say("; smaller rows and columns stand in the table") if left_out else ""),
    )


def _causes(fleet: FleetFacts) -> AnyPart | None:
    rows = [
        (
            one.rule,
            one.cause,
            one.severity,
            count_cell(one.services),
            count_cell(one.hosts),
            share_cell(one.host_share),
            one.example_title,
        )
        for one in fleet.causes
    ]
    heads = ("rule", "cause", "severity", "#services", "#hosts", "#of all hosts", "for example")
    return table("causes", "Common causes", heads, rows) if rows else None


def _changes(fleet: FleetFacts) -> AnyPart | None:
    rows = [
        (
            one.kind,
            _service(one.environment, one.service),
            one.severity,
            one.rule,
            one.group or "",
            one.title,
            count_cell(one.hosts),
        )
        for one in fleet.changes
    ]
    heads = ("change", "service", "severity", "rule", "group", "finding", "#hosts")
    return table("changes", "Since the earlier run", heads, rows) if rows else None


def _drifts(fleet: FleetFacts) -> AnyPart | None:
    rows = [
        (
            one.group,
            one.environment,
            one.key,
            count_cell(one.instances),
            "; ".join(f"{each.value}: {each.instances} ({', '.join(each.hosts[:3])})" for each in one.values),
        )
        for one in fleet.drifts
    ]
    heads = ("group", "environment", "setting", "#instances", "values")
    return table("drifts", "Instances of one group that differ", heads, rows) if rows else None


def _outliers(fleet: FleetFacts) -> AnyPart | None:
    rows = [
        (
            one.group,
            f"{_service(one.environment, one.service)}/{one.host}",
            one.metric,
            decimal_cell(one.value),
            decimal_cell(one.median),
            decimal_cell(one.score),
        )
        for one in fleet.outliers
    ]
    heads = ("group", "instance", "what", "#value", "#median", "#score")
    return table("outliers", "Instances far from the others", heads, rows) if rows else None


def _capacity(fleet: FleetFacts) -> AnyPart | None:
    rows = [
        (
            one.group,
            one.environment,
            count_cell(one.instances),
            size_cell(one.heap_bytes_least),
            size_cell(one.bound_bytes_most),
            share_cell(one.bound_share_most),
            size_cell(one.held_bytes_most),
            count_cell(one.over),
        )
        for one in fleet.capacity
    ]
    heads = (
        "group",
        "environment",
        "#instances",
        "#least heap",
        "#allowed",
        "#share",
        "#held",
        "#over their heap",
    )
    return table("capacity", "What thresholds allow against the heaps", heads, rows) if rows else None


def _services(fleet: FleetFacts) -> AnyPart | None:
    rows = [
        (
            _service(one.environment, one.service),
            count_cell(one.hosts),
            count_cell(one.incidents),
            count_cell(one.failed),
            count_cell(one.errors),
            count_cell(one.warnings),
        )
        for one in fleet.services
    ]
    heads = ("service", "#hosts", "#incidents", "#not read", "#errors", "#warnings")
    return table("services", "Services", heads, rows) if rows else None


def _failures(fleet: FleetFacts) -> AnyPart | None:
    rows = [
        (f"{_service(one.environment, one.service)}/{one.host}", one.path or "", one.kind, one.reason)
        for one in fleet.failures
    ]
    return table("failures", "Not analysed", ("instance", "file", "why", "reason"), rows) if rows else None


_TABLES = (_causes, _changes, _drifts, _outliers, _capacity, _services, _failures)

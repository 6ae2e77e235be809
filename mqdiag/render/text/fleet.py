"""A fleet in text: what is wrong where, what differs, what changed, what the thresholds allow."""

from __future__ import annotations

from mqdiag.facts.fleet import FleetFacts, FleetPlan, GroupCapacity
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.sizes import number, share, size

ROWS = 15
COLUMNS = 6
"""causes beside each other in the matrix"""


def show_fleet(page: Page, fleet: FleetFacts) -> None:
    """All sections; in a dry run the plan alone."""
    if fleet.plan is not None:
        _show_plan(page, fleet.plan)
        return
    _show_totals(page, fleet)
    _show_services(page, fleet)
    _show_causes(page, fleet)
    _show_matrix(page, fleet)
    _show_changes(page, fleet)
    _show_capacity(page, fleet)
    _show_failures(page, fleet)


def _show_plan(page: Page, plan: FleetPlan) -> None:
    page.heading("What would be done")
    estimate = "unknown until a first run has been timed"
    if plan.estimate_s is not None:
        estimate = f"about {plan.estimate_s:,.0f} s on {plan.cores} cores, without the start of Spark"
    page.pairs(
        (
            ("to analyse", f"{plan.incidents:,} incidents of {plan.services:,} services, {size(plan.bytes)}"),
            ("known", f"{plan.known:,} incidents that an earlier run has done"),
            ("left out", f"{plan.unlabelled:,} files that fit no template"),
            ("time", estimate),
            ("into", plan.out),
        )
    )
    if plan.largest:
        page.heading("The largest")
        page.table(
            (
                Column(head="service"),
                Column(head="host"),
                Column(head="size", right=True),
                Column(head="files"),
            ),
            ((one.service, one.host, size(one.bytes), ", ".join(one.files)) for one in plan.largest),
        )


def _show_totals(page: Page, fleet: FleetFacts) -> None:
    totals = fleet.totals
    page.heading(f"Run {fleet.run}")
    rows = [
        (
            "incidents",
            f"{totals.incidents:,} of {totals.hosts:,} hosts and {totals.services:,} services, {size(totals.bytes)}",
        ),
        ("analysed", f"{totals.analysed:,} in this run, {totals.known:,} were known"),
        ("not read", f"{totals.failed:,} incidents; {totals.failures:,} files could not be analysed"),
        (
            "findings",
            f"{totals.findings:,}: {totals.errors:,} errors, {totals.warnings:,} warnings; {totals.causes:,} causes",
        ),
        ("tables", fleet.out),
    ]
    if totals.unlabelled:
        rows.append(("left out", f"{totals.unlabelled:,} files that fit no template"))
    if fleet.timing is not None:
        time = fleet.timing
        rows.append(
            (
                "time",
                f"start {time.start_s:.0f} s, plan {time.plan_s:.0f} s, analysis {time.work_s:.0f} s,"
                f" tables {time.tables_s:.0f} s, comparison {time.fleet_s:.0f} s",
            )
        )
    page.pairs(rows)


def _name(environment: str, name: str) -> str:
    return f"{environment}/{name}" if environment else name


def _show_services(page: Page, fleet: FleetFacts) -> None:
    if not fleet.services:
        return
    page.heading("Services, the worst first")
    columns = (
        Column(head="service"),
        *(Column(head=head, right=True) for head in ("hosts", "incidents", "not read", "errors", "warnings")),
    )
    page.table(
        columns,
        (
            (
                _name(one.environment, one.service),
                *(f"{count:,}" for count in (one.hosts, one.incidents, one.failed, one.errors, one.warnings)),
            )
            for one in fleet.services[:ROWS]
        ),
    )
    _more(page, len(fleet.services), fleet.totals.services)


def _show_causes(page: Page, fleet: FleetFacts) -> None:
    if not fleet.causes:
        return
    page.heading("Causes by spread")
    columns = (
        Column(head="rule"),
        Column(head="cause"),
        Column(head="severity"),
        *(Column(head=head, right=True) for head in ("services", "hosts", "findings")),
    )
    page.table(
        columns,
        (
            (one.rule, one.cause, one.severity, f"{one.services:,}", f"{one.hosts:,}", f"{one.findings:,}")
            for one in fleet.causes[:ROWS]
        ),
    )
    _more(page, len(fleet.causes), fleet.totals.causes)


def _show_matrix(page: Page, fleet: FleetFacts) -> None:
    """Services by the most spread rules: hosts that have each."""
    rules = list(dict.fromkeys(cause.rule for cause in fleet.causes))[:COLUMNS]
    if len(rules) < 2 or len({cell.service for cell in fleet.cells}) < 2:
        return
    counts: dict[str, dict[str, int]] = {}
    for cell in fleet.cells:
        row = counts.setdefault(_name(cell.environment, cell.service), {})
        row[cell.rule] = max(row.get(cell.rule, 0), cell.hosts)
    page.heading("Hosts by service and rule")
    page.table(
        (Column(head="service"), *(Column(head=str(place), right=True) for place in range(1, len(rules) + 1))),
        ((name, *(f"{row[rule]:,}" if rule in row else "·" for rule in rules)) for name, row in counts.items()),
    )
    page.paragraph("; ".join(f"{place} {rule}" for place, rule in enumerate(rules, 1)), style="dim")


def _show_changes(page: Page, fleet: FleetFacts) -> None:
    if fleet.against is None:
        return
    page.heading(f"Since run {fleet.against}")
    page.paragraph(f"{fleet.totals.regressions:,} faults are new, {fleet.totals.recoveries:,} are gone.")
    page.bullets(
        f"{'new' if one.kind == 'regression' else 'gone'}: {_name(one.environment, one.service)}: {one.title}"
        for one in fleet.changes[:ROWS]
    )
    _more(page, len(fleet.changes), fleet.totals.regressions + fleet.totals.recoveries)


def _show_capacity(page: Page, fleet: FleetFacts) -> None:
    if not fleet.capacity:
        return
    page.heading("What the thresholds allow, by group")
    columns = (
        Column(head="group"),
        Column(head="instances", right=True),
        Column(head="threshold", right=True),
        *(Column(head=head, right=True) for head in ("bound", "least heap", "share", "held")),
    )
    page.table(
        columns,
        (
            (
                _name(one.environment, one.group),
                f"{one.instances:,}",
                _threshold(one),
                size(one.bound_bytes_most),
                size(one.heap_bytes_least),
                share(one.bound_share_most, 1.0),
                size(one.held_bytes_most),
            )
            for one in fleet.capacity[:ROWS]
        ),
    )
    _more(page, len(fleet.capacity), fleet.totals.groups)


def _threshold(one: GroupCapacity) -> str:
    if one.threshold_least == one.threshold_most:
        return number(one.threshold_least)
    return f"{number(one.threshold_least)}-{number(one.threshold_most)}"


def _show_failures(page: Page, fleet: FleetFacts) -> None:
    if not fleet.failures:
        return
    page.heading("Could not be analysed")
    page.bullets(f"{one.path or one.host}: {one.reason} ({one.kind})" for one in fleet.failures[:ROWS])
    _more(page, len(fleet.failures), fleet.totals.failures)


def _more(page: Page, listed: int, total: int) -> None:
    shown = min(listed, ROWS)
    if total > shown:
        page.paragraph(f"and {total - shown:,} more", style="dim")

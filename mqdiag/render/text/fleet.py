"""A fleet in text: what is wrong where, what differs, what changed, what the thresholds allow."""

from __future__ import annotations

from mqdiag.facts.fleet import FleetFacts, FleetPlan, GroupCapacity
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.sizes import number, share, size
from mqdiag.text import say

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
    page.heading(say("What would be done"))
    estimate = say("unknown until a first run has been timed")
    if plan.estimate_s is not None:
        estimate = say(
            "about {estimate_s:count} s on {cores} cores, without the start of Spark",
            estimate_s=plan.estimate_s,
            cores=plan.cores,
        )
    page.pairs(
        (
            (
                say("to analyse"),
                say(
                    "{incidents:count} incidents of {services:count} services, {bytes:bytes}",
                    incidents=plan.incidents,
                    services=plan.services,
                    bytes=plan.bytes,
                ),
            ),
            (say("known"), say("{known:count} incidents that an earlier run has done", known=plan.known)),
            (say("left out"), say("{unlabelled:count} files that fit no template", unlabelled=plan.unlabelled)),
            (say("time"), estimate),
            (say("into"), plan.out),
        )
    )
    if plan.largest:
        page.heading(say("The largest"))
        page.table(
            (
                Column(head=say("service")),
                Column(head=say("host")),
                Column(head=say("size"), right=True),
                Column(head=say("files")),
            ),
            ((one.service, one.host, size(one.bytes), ", ".join(one.files)) for one in plan.largest),
        )


def _show_totals(page: Page, fleet: FleetFacts) -> None:
    totals = fleet.totals
    page.heading(say("Run {run}", run=fleet.run))
    rows = [
        (
            say("incidents"),
            say(
                "{incidents:count} of {hosts:count} hosts and {services:count} services, {bytes:bytes}",
                incidents=totals.incidents,
                hosts=totals.hosts,
                services=totals.services,
                bytes=totals.bytes,
            ),
        ),
        (
            say("analysed"),
            say(
                "{analysed:count} in this run, {known:count} were known",
                analysed=totals.analysed,
                known=totals.known,
            ),
        ),
        (
            say("not read"),
            say(
                "{failed:count} incidents; {failures:count} files could not be analysed",
                failed=totals.failed,
                failures=totals.failures,
            ),
        ),
        (
            say("findings"),
            say(
                "{findings:count}: {errors:count} errors, {warnings:count} warnings; {causes:count} causes",
                findings=totals.findings,
                errors=totals.errors,
                warnings=totals.warnings,
                causes=totals.causes,
            ),
        ),
        (say("tables"), fleet.out),
    ]
    if totals.unlabelled:
        rows.append(
            (
                say("left out"),
                say("{unlabelled:count} files that fit no template", unlabelled=totals.unlabelled),
            )
        )
    if fleet.timing is not None:
        time = fleet.timing
        rows.append(
            (
                say("time"),
                say(
                    (
                        "start {start_s:count} s, plan {plan_s:count} s, analysis {work_s:count} s, tables"
                        " {tables_s:count} s, comparison {fleet_s:count} s"
                    ),
                    start_s=time.start_s,
                    plan_s=time.plan_s,
                    work_s=time.work_s,
                    tables_s=time.tables_s,
                    fleet_s=time.fleet_s,
                ),
            )
        )
    page.pairs(rows)


def _name(environment: str, name: str) -> str:
    return f"{environment}/{name}" if environment else name


def _show_services(page: Page, fleet: FleetFacts) -> None:
    if not fleet.services:
        return
    page.heading(say("Services, the worst first"))
    columns = (
        Column(head=say("service")),
        *(
            Column(head=head, right=True)
            for head in (say("hosts"), say("incidents"), say("not read"), say("errors"), say("warnings"))
        ),
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
    page.heading(say("Causes by spread"))
    columns = (
        Column(head=say("rule")),
        Column(head=say("cause")),
        Column(head=say("severity")),
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
    page.heading(say("Hosts by service and rule"))
    page.table(
        (
            Column(head=say("service")),
            *(Column(head=str(place), right=True) for place in range(1, len(rules) + 1)),
        ),
        ((name, *(f"{row[rule]:,}" if rule in row else "·" for rule in rules)) for name, row in counts.items()),
    )
    page.paragraph("; ".join(f"{place} {rule}" for place, rule in enumerate(rules, 1)), style="dim")


def _show_changes(page: Page, fleet: FleetFacts) -> None:
    if fleet.against is None:
        return
    page.heading(say("Since run {against}", against=fleet.against))
    page.paragraph(
        say(
            "{regressions:count} faults are new, {recoveries:count} are gone.",
            regressions=fleet.totals.regressions,
            recoveries=fleet.totals.recoveries,
        )
    )
    page.bullets(
        f"{say('new') if one.kind == 'regression' else say('gone')}: {_name(one.environment, one.service)}: {one.title}"
        for one in fleet.changes[:ROWS]
    )
    _more(page, len(fleet.changes), fleet.totals.regressions + fleet.totals.recoveries)


def _show_capacity(page: Page, fleet: FleetFacts) -> None:
    if not fleet.capacity:
        return
    page.heading(say("What the thresholds allow, by group"))
    columns = (
        Column(head=say("group")),
        Column(head=say("instances"), right=True),
        Column(head=say("threshold"), right=True),
        *(
            Column(head=head, right=True)
            for head in (say("bound"), say("least heap"), say("share"), say("held"))
        ),
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
    page.heading(say("Could not be analysed"))
    page.bullets(f"{one.path or one.host}: {one.reason} ({one.kind})" for one in fleet.failures[:ROWS])
    _more(page, len(fleet.failures), fleet.totals.failures)


def _more(page: Page, listed: int, total: int) -> None:
    shown = min(listed, ROWS)
    if total > shown:
        page.paragraph(say("and {total:count} more", total=total - shown), style="dim")

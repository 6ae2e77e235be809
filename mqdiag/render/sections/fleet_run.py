"""A fleet: what is wrong where, what instances of a group differ in, what is new, what the thresholds allow."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.fleet import FleetFacts, FleetPlan, GroupCapacity, LeftOut
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.heat_map import heat_map
from mqdiag.render.parts import AnyPart, Column, Figure, Pairs, Paragraph, Row, Section, Table
from mqdiag.render.wording.words import word
from mqdiag.text import Text, Value, quantity, say

_ROWS = (15, 2000)
_MOST_ROWS = 60
_MOST_COLUMNS = 14
_MOST_TEXT_COLUMNS = 6
"""rules beside each other in text"""
_HOSTS_NAMED = 3


def fleet_section(report: Report, view: View) -> Iterator[Section]:
    """All tables of a run; in a dry run the plan alone."""
    fleet = report.fleet
    if fleet is None:
        return
    if fleet.plan is not None:
        yield Section(name="plan", title=say("What would be done"), parts=[*_plan(fleet.plan)])
        return
    title = say("Run {run}", run=fleet.run)
    yield Section(name="fleet", title=title, parts=(Pairs([*_summary(fleet)]),))
    for name, heading, parts in (
        ("services", say("Services, the worst first"), _services(fleet)),
        ("causes", say("Causes by spread"), _causes(fleet)),
        ("hosts-by-rule", say("Hosts by service and rule"), _heat(fleet)),
        ("changes", say("Since the earlier run"), _changes(fleet)),
        ("drifts", say("Instances of one group that differ"), _drifts(fleet)),
        ("outliers", say("Instances far from the others of their group"), _outliers(fleet)),
        ("capacity", say("What the thresholds allow, by group"), _capacity(fleet)),
        ("failures", say("Could not be analysed"), _failures(fleet)),
    ):
        made = [*parts]
        if made:
            yield Section(name=name, title=heading, parts=made)


def _plan(plan: FleetPlan) -> Iterator[AnyPart]:
    estimate = say("unknown until a first run has been timed")
    if plan.estimate_s is not None:
        estimate = say(
            "about {estimate_s:seconds} on {cores:count} {cores:core|cores}, without the start of Spark",
            estimate_s=plan.estimate_s,
            cores=plan.cores,
        )
    yield Pairs(
        [
            (
                say("to analyse"),
                say(
                    "{incidents:count} {incidents:incident|incidents} of {services:count}"
                    " {services:service|services}, {bytes:bytes}",
                    incidents=plan.incidents,
                    services=plan.services,
                    bytes=plan.bytes,
                ),
            ),
            (
                say("known"),
                say(
                    "{known:count} {known:incident|incidents} that an earlier run has analysed",
                    known=plan.known,
                ),
            ),
            (say("left out"), _left_out(plan.left_out) or say("nothing")),
            (say("expected time"), estimate),
            (say("into"), plan.out),
        ]
    )
    if plan.largest:
        yield Table(
            name="largest",
            caption=say("The largest"),
            columns=(
                Column(say("environment"), wide=True, optional=True),
                Column(say("service")),
                Column(say("host")),
                Column(say("size"), "bytes"),
                Column(say("files")),
            ),
            rows=[(one.environment, one.service, one.host, one.bytes, one.files) for one in plan.largest],
        )


def _left_out(left_out: LeftOut) -> tuple[Text, ...]:
    told = []
    if left_out.unlabelled:
        told.append(
            say("{files:count} {files:file that fits|files that fit} no template", files=left_out.unlabelled)
        )
    if left_out.too_old:
        told.append(say("{files:count} {files:file|files} from before --since", files=left_out.too_old))
    if left_out.linked_folders:
        told.append(
            say(
                "{links:count} symbolic {links:link|links} to {links:a folder|folders}",
                links=left_out.linked_folders,
            )
        )
    return tuple(told)


def _summary(fleet: FleetFacts) -> Iterator[tuple[Text, Value]]:
    totals = fleet.totals
    yield (
        say("incidents"),
        say(
            "{incidents:count} of {hosts:count} {hosts:host|hosts}, {services:count} {services:service|services}"
            " and {groups:count} {groups:group|groups}",
            incidents=totals.incidents,
            hosts=totals.hosts,
            services=totals.services,
            groups=totals.groups,
        ),
    )
    yield (
        say("analysed"),
        say(
            "{analysed:count} in this run, {known:count} {known:was|were} known",
            analysed=totals.analysed,
            known=totals.known,
        ),
    )
    yield (
        say("not read"),
        say(
            "{failed:count} {failed:incident|incidents}; {failures:count} {failures:file|files} could not be analysed",
            failed=totals.failed,
            failures=totals.failures,
        ),
    )
    yield say("files"), say("{files:count}, {bytes:bytes}", files=totals.files, bytes=totals.bytes)
    left_out = _left_out(totals.left_out)
    if left_out:
        yield say("left out"), left_out
    yield (
        say("findings"),
        say(
            "{findings:count}: {errors:count} {errors:error|errors}, {warnings:count} {warnings:warning|warnings};"
            " {causes:count} {causes:cause|causes}",
            findings=totals.findings,
            errors=totals.errors,
            warnings=totals.warnings,
            causes=totals.causes,
        ),
    )
    if fleet.against is not None:
        yield say("compared with"), say("run {against}", against=fleet.against)
    yield say("tables"), fleet.out
    if fleet.timing is not None:
        timing = fleet.timing
        yield (
            say("time taken"),
            say(
                "start {start_s:seconds}, plan {plan_s:seconds}, analysis {work_s:seconds}, tables"
                " {tables_s:seconds}, comparison {fleet_s:seconds}",
                start_s=timing.start_s,
                plan_s=timing.plan_s,
                work_s=timing.work_s,
                tables_s=timing.tables_s,
                fleet_s=timing.fleet_s,
            ),
        )


def _name(environment: str, name: str) -> Value:
    return say("{environment}/{name}", environment=environment, name=name) if environment else name


def _more(total: int, shown: int) -> Paragraph | None:
    """The report lists the first ones only; its tables have all."""
    if total <= shown:
        return None
    return Paragraph(say("The run's tables have {hidden:count} more.", hidden=total - shown), soft=True)


def _listed(table: Table, total: int) -> Iterator[AnyPart]:
    if table.rows:
        yield table
        more = _more(total, len(table.rows))
        if more is not None:
            yield more


def _services(fleet: FleetFacts) -> Iterator[AnyPart]:
    table = Table(
        name="services",
        columns=(
            Column(say("service")),
            Column(say("hosts"), "count"),
            Column(say("incidents"), "count"),
            Column(say("not read"), "count"),
            Column(say("files lost"), "count", wide=True),
            Column(say("errors"), "count"),
            Column(say("warnings"), "count"),
        ),
        rows=[
            (
                _name(one.environment, one.service),
                one.hosts,
                one.incidents,
                one.failed,
                one.lost,
                one.errors,
                one.warnings,
            )
            for one in fleet.services
        ],
        shown=_ROWS,
    )
    return _listed(table, fleet.totals.services)


def _causes(fleet: FleetFacts) -> Iterator[AnyPart]:
    table = Table(
        name="causes",
        columns=(
            Column(say("rule")),
            Column(say("cause")),
            Column(say("severity")),
            Column(say("services"), "count"),
            Column(say("hosts"), "count"),
            Column(say("of all hosts"), "percent", wide=True),
            Column(say("groups"), "count", wide=True),
            Column(say("findings"), "count"),
            Column(say("for example"), wide=True),
            Column(say("in services"), wide=True),
            Column(say("on hosts"), wide=True),
        ),
        rows=[
            (
                one.rule,
                one.cause,
                word(one.severity),
                one.services,
                one.hosts,
                one.host_share,
                one.groups,
                one.findings,
                one.example_title,
                one.example_services,
                one.example_hosts,
            )
            for one in fleet.causes
        ],
        shown=_ROWS,
    )
    return _listed(table, fleet.totals.causes)


def _heat(fleet: FleetFacts) -> Iterator[AnyPart]:
    """Hosts that have each fault: as a picture, and in text with numbers as heads."""
    if not fleet.hosts_by_rule:
        return
    by_rule: dict[str, int] = {}
    by_service: dict[str, int] = {}
    counts: dict[tuple[str, str], int] = {}
    for one in fleet.hosts_by_rule:
        service = "/".join(filter(None, (one.environment, one.service)))
        counts[service, one.rule] = one.hosts
    for (service, rule), hosts in counts.items():
        by_rule[rule] = by_rule.get(rule, 0) + hosts
        by_service[service] = by_service.get(service, 0) + hosts
    rules = sorted(by_rule, key=lambda name: (-by_rule[name], name))
    services = sorted(by_service, key=lambda name: (-by_service[name], name))
    title = say(
        "Hosts with each fault, by service; most have {rule}: {hosts:count} {hosts:host|hosts}",
        rule=rules[0],
        hosts=by_rule[rules[0]],
    )
    caption = say("Services by faults: how many of its hosts have it")
    if len(services) > _MOST_ROWS or len(rules) > _MOST_COLUMNS:
        caption = say("{caption}; the picture leaves the smallest rows and columns out", caption=caption)
    yield Figure(
        draw=lambda write: heat_map(write, title, services[:_MOST_ROWS], rules[:_MOST_COLUMNS], counts),
        caption=caption,
        words=_matrix(services, rules[:_MOST_TEXT_COLUMNS], counts),
    )


def _matrix(services: list[str], rules: list[str], counts: dict[tuple[str, str], int]) -> tuple[AnyPart, ...]:
    table = Table(
        name="hosts-by-rule",
        columns=(
            Column(say("service")),
            *(Column(say("({place})", place=place), "count") for place in range(1, len(rules) + 1)),
        ),
        rows=[(service, *(counts.get((service, rule), "·") for rule in rules)) for service in services],
        shown=_ROWS,
    )
    legend = tuple(say("({place}) {rule}", place=place, rule=rule) for place, rule in enumerate(rules, 1))
    return (table, Paragraph(say("{legend}", legend=legend), soft=True))


def _changes(fleet: FleetFacts) -> Iterator[AnyPart]:
    if fleet.against is None and not fleet.changes:
        return
    totals = fleet.totals
    yield Paragraph(
        say(
            "{regressions:count} {regressions:fault is|faults are} new, {recoveries:count} {recoveries:is|are} gone.",
            regressions=totals.regressions,
            recoveries=totals.recoveries,
        )
    )
    table = Table(
        name="changes",
        columns=(
            Column(say("change")),
            Column(say("service")),
            Column(say("severity"), wide=True),
            Column(say("rule"), wide=True),
            Column(say("group"), wide=True, optional=True),
            Column(say("finding")),
            Column(say("hosts"), "count"),
        ),
        rows=[
            (
                say("gone") if one.kind == "recovery" else say("new"),
                _name(one.environment, one.service),
                word(one.severity),
                one.rule,
                one.group or "",
                one.title,
                one.hosts,
            )
            for one in fleet.changes
        ],
        shown=_ROWS,
    )
    yield from _listed(table, totals.regressions + totals.recoveries)


def _drifts(fleet: FleetFacts) -> Iterator[AnyPart]:
    table = Table(
        name="drifts",
        columns=(
            Column(say("group")),
            Column(say("setting")),
            Column(say("instances"), "count"),
            Column(say("values")),
        ),
        rows=[
            (
                _name(one.environment, one.group),
                one.key,
                one.instances,
                tuple(
                    say(
                        "{value}: {instances:count} ({hosts})",
                        value=each.value,
                        instances=each.instances,
                        hosts=each.hosts[:_HOSTS_NAMED],
                    )
                    for each in one.values
                ),
            )
            for one in fleet.drifts
        ],
        shown=_ROWS,
    )
    return _listed(table, fleet.totals.drifts)


def _outliers(fleet: FleetFacts) -> Iterator[AnyPart]:
    rows: list[Row] = []
    for one in fleet.outliers:
        kind = "bytes" if one.metric.endswith("_bytes") else "count"
        instance = say("{service}/{host}", service=_name(one.environment, one.service), host=one.host)
        rows.append(
            (
                one.group,
                instance,
                one.metric,
                quantity(one.value, kind),
                quantity(one.median, kind),
                one.score,
                one.instances,
            )
        )
    table = Table(
        name="outliers",
        columns=(
            Column(say("group")),
            Column(say("instance")),
            Column(say("number")),
            Column(say("value"), number=True),
            Column(say("median"), number=True),
            Column(say("deviations"), "decimal"),
            Column(say("instances"), "count", wide=True),
        ),
        rows=rows,
        shown=_ROWS,
        note=say('"deviations": distance from the median, in robust standard deviations'),
    )
    return _listed(table, fleet.totals.outliers)


def _capacity(fleet: FleetFacts) -> Iterator[AnyPart]:
    table = Table(
        name="capacity",
        columns=(
            Column(say("group")),
            Column(say("instances"), "count"),
            Column(say("threshold"), number=True),
            Column(say("allowed"), "bytes"),
            Column(say("least heap"), "bytes"),
            Column(say("share"), "percent"),
            Column(say("held"), "bytes"),
            Column(say("over their heap"), "count", wide=True),
            Column(say("queues"), "count", wide=True),
            Column(say("services"), wide=True),
        ),
        rows=[
            (
                _name(one.environment, one.group),
                one.instances,
                _threshold(one),
                one.bound_bytes_most,
                one.heap_bytes_least,
                one.bound_share_most,
                one.held_bytes_most,
                one.over,
                one.queues_most,
                one.services,
            )
            for one in fleet.capacity
        ],
        shown=_ROWS,
        note=say('"allowed", "share" and "held" are of the instance that has most'),
    )
    return _listed(table, len(fleet.capacity))


def _threshold(one: GroupCapacity) -> Value:
    if one.threshold_least == one.threshold_most:
        return one.threshold_least
    return say("{least:count} to {most:count}", least=one.threshold_least, most=one.threshold_most)


def _failures(fleet: FleetFacts) -> Iterator[AnyPart]:
    table = Table(
        name="failures",
        columns=(
            Column(say("instance")),
            Column(say("file"), whole=True),
            Column(say("kind"), whole=True),
            Column(say("reason")),
            Column(say("size"), "bytes", wide=True, optional=True),
        ),
        rows=[
            (
                say("{service}/{host}", service=_name(one.environment, one.service), host=one.host),
                one.path or say("all of it"),
                word(one.kind),
                one.reason,
                one.bytes,
            )
            for one in fleet.failures
        ],
        shown=_ROWS,
    )
    return _listed(table, fleet.totals.failures)

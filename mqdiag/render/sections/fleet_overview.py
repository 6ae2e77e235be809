"""What a fleet run did and found, in a few lines; or what it would do."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.fleet import FleetFacts, FleetPlan, LeftOut
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Pairs, Section
from mqdiag.render.sections.fleet_lists import SERVICE_PAGES, listed, name_in, service_page
from mqdiag.render.tables import Tables
from mqdiag.text import NOTHING, Text, Value, say

TABLES = Tables("fleet_overview")


def fleet_overview(report: Report, view: View) -> Iterator[Section]:
    """The run in numbers and its services, the worst first; in a dry run the plan alone."""
    fleet = report.fleet
    if fleet is None or fleet.one_service:
        return
    if fleet.plan is not None:
        yield Section(name="plan", title=say("What would be done"), parts=[*_plan(fleet.plan)])
        return
    yield Section(name="fleet", title=say("Run {run}", run=fleet.run), parts=(Pairs([*_summary(fleet)]),))
    services = [*_services(fleet, view)]
    if services:
        yield Section(name="services", title=say("Services, the worst first"), parts=services)


def _summary(fleet: FleetFacts) -> Iterator[tuple[Text, Value]]:
    totals = fleet.totals
    yield (
        say("incidents"),
        say(
            "{incidents:count} of {hosts:count} {hosts:host|hosts}, {services:count} {services:service|services}"
            " and {groups:count} {groups:group|groups}",
            totals,
        ),
    )
    yield (
        say("analysed"),
        say("{analysed:count} in this run, {known:count} {known:was|were} known", totals),
    )
    yield (
        say("not read"),
        say(
            "{failed:count} {failed:incident|incidents}; {failures:count} {failures:file|files} could not be analysed",
            totals,
        ),
    )
    yield say("files"), say("{files:count}, {bytes:bytes}", totals)
    left_out = _left_out(totals.left_out)
    if left_out:
        yield say("left out"), left_out
    if fleet.doubts:
        yield say("labels"), fleet.doubts
    yield (
        say("findings"),
        say(
            "{findings:count}: {errors:count} {errors:error|errors}, {warnings:count} {warnings:warning|warnings};"
            " {causes:count} {causes:cause|causes}",
            totals,
        ),
    )
    if totals.recovered:
        yield (
            say("recovered"),
            say(
                "{recovered:count} {recovered:fault of a host that its|faults of hosts that their} later evidence no"
                " longer shows",
                recovered=totals.recovered,
            ),
        )
    if fleet.against is not None:
        yield (
            say("since run {against}", against=fleet.against),
            say(
                "{regressions:count} {regressions:fault is|faults are} new, {recoveries:count}"
                " {recoveries:is|are} gone",
                totals,
            ),
        )
    yield say("tables"), fleet.out
    if fleet.timing is not None:
        timing = fleet.timing
        yield (
            say("time taken"),
            say(
                "start {start_s:seconds}, plan {plan_s:seconds}, analysis {work_s:seconds}, tables"
                " {tables_s:seconds}, comparison {fleet_s:seconds}",
                timing,
            ),
        )


def _services(fleet: FleetFacts, view: View) -> Iterator[AnyPart]:
    links: list[str] = []
    if view.with_services:
        links = [f"{SERVICE_PAGES}/{service_page(one.environment, one.service)}" for one in fleet.services]
    table = TABLES.table(
        "services",
        fleet.services,
        note=NOTHING
        if fleet.against is None
        else say(
            '"new", "known" and "gone" count faults against run {against}; a fault that this run could not look for is'
            " none of these",
            against=fleet.against,
        ),
        links=links,
        service=lambda one: name_in(one.environment, one.service),
    )
    return listed(table, fleet.totals.services)


def _plan(plan: FleetPlan) -> Iterator[AnyPart]:
    estimate = say("unknown until a first run has been timed")
    if plan.estimate_s is not None:
        estimate = say(
            "about {estimate_s:seconds} on {cores:count} {cores:core|cores}, without the start of Spark", plan
        )
    yield Pairs(
        [
            (
                say("to analyse"),
                say(
                    "{incidents:count} {incidents:incident|incidents} of {services:count}"
                    " {services:service|services}, {bytes:bytes}",
                    plan,
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
            *([(say("labels"), plan.doubts)] if plan.doubts else []),
            (say("expected time"), estimate),
            (say("into"), plan.out),
        ]
    )
    if plan.largest:
        yield TABLES.table("largest", plan.largest)


def _left_out(left_out: LeftOut) -> tuple[Text, ...]:
    told = []
    if left_out.unlabelled:
        told.append(
            say("{files:count} {files:file that fits|files that fit} no template", files=left_out.unlabelled)
        )
    if left_out.too_old:
        told.append(say("{files:count} {files:file|files} from before --since", files=left_out.too_old))
    if left_out.notes:
        told.append(say("{files:count} {files:note|notes} beside captures", files=left_out.notes))
    if left_out.linked_folders:
        told.append(
            say(
                "{links:count} symbolic {links:link|links} to {links:a folder|folders}",
                links=left_out.linked_folders,
            )
        )
    return tuple(told)

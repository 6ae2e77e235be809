"""What a fleet run did and found, in a few lines; or what it would do."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.fleet import FleetFacts, FleetPlan
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
    yield from TABLES.pairs("read", fleet.totals)
    left_out = TABLES.lines("left-out", fleet.totals.left_out)
    if left_out:
        yield say("left out"), tuple(left_out)
    yield from TABLES.pairs("found", fleet)


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
    left_out = tuple(TABLES.lines("left-out", plan.left_out)) or say("nothing")
    yield Pairs(
        [
            *TABLES.pairs("plan", plan),
            (say("left out"), left_out),
            *([(say("labels"), plan.doubts)] if plan.doubts else []),
            (say("expected time"), estimate),
            (say("into"), plan.out),
        ]
    )
    if plan.largest:
        yield TABLES.table("largest", plan.largest)

"""One service of a fleet: its numbers and its hosts."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Pairs, Paragraph, Section
from mqdiag.render.sections.fleet_lists import FLEET_PAGE, name_in
from mqdiag.render.sections.fleet_tables import changed, differing, far_instances, lost_files
from mqdiag.render.tables import Tables
from mqdiag.text import Text, Value, say

TABLES = Tables("fleet_service")


def fleet_service(report: Report, view: View) -> Iterator[Section]:
    """The service and its hosts, the worst first."""
    fleet = report.fleet
    assert fleet is not None
    (state,) = fleet.services
    rows: list[tuple[Text, Value]] = [
        (say("incidents"), state.incidents),
        (
            say("not read"),
            say(
                "{failed:count} {failed:incident|incidents}; {lost:count} {lost:file|files} could not be analysed",
                state,
            ),
        ),
        (say("errors"), state.errors),
        (say("warnings"), state.warnings),
    ]
    if fleet.against is not None and state.new is not None:
        rows.append(
            (
                say("since run {against}", against=fleet.against),
                say(
                    "{new:count} {new:fault is|faults are} new, {known:count} {known:was|were} known, {gone:count}"
                    " {gone:is|are} gone",
                    state,
                ),
            )
        )
    parts: list[AnyPart] = [Pairs(rows)]
    if view.with_services:
        parts.append(
            Paragraph(say("All services, and how they compare with each other"), page=f"../{FLEET_PAGE}")
        )
    name = name_in(state.environment, state.service)
    yield Section(
        name="service", title=say("Service {name} in run {run}", name=name, run=fleet.run), parts=parts
    )
    yield Section(
        name="hosts",
        title=say("Hosts, the worst first"),
        parts=[TABLES.table("hosts", fleet.hosts)],
    )
    for section, title, of in (
        ("changes", say("Since the earlier run"), changed),
        ("drifts", say("Instances of one group that differ"), differing),
        ("outliers", say("Instances far from the others of their group"), far_instances),
        ("failures", say("Could not be analysed"), lost_files),
    ):
        made = [*of(fleet)]
        if made:
            yield Section(name=section, title=title, parts=made)

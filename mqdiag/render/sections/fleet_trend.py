"""What the latest runs counted, as lines and as a table."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.fleet import FleetFacts, RunTotals
from mqdiag.render.figures.lines import Line, lines
from mqdiag.render.parts import AnyPart, Column, Figure, Table
from mqdiag.text import say

_FEWEST_RUNS = 2
"""runs from which there is a line"""


def fleet_trend(fleet: FleetFacts) -> Iterator[AnyPart]:
    """Nothing for a first run."""
    runs = fleet.trend
    if len(runs) < _FEWEST_RUNS:
        return
    first, last = runs[0], runs[-1]
    title = say(
        "{errors:count} {errors:error|errors} and {warnings:count} {warnings:warning|warnings} in run {run}; run"
        " {first} had {before:count} and {warnings_before:count}",
        errors=last.errors,
        warnings=last.warnings,
        run=last.run,
        first=first.run,
        before=first.errors,
        warnings_before=first.warnings,
    )
    yield Figure(
        draw=lambda write: lines(write, title, _lines(runs), first.run, last.run),
        caption=say("Each line has its own scale; each point is a run"),
    )
    yield Table(
        name="trend",
        columns=(
            Column(say("run"), of="run", whole=True),
            Column(say("finished"), "time", of="finished_at"),
            Column(say("incidents"), "count", of="incidents"),
            Column(say("services"), "count", of="services"),
            Column(say("hosts"), "count", of="hosts", wide=True),
            Column(say("errors"), "count", of="errors"),
            Column(say("warnings"), "count", of="warnings"),
            Column(say("new"), "count", of="new"),
            Column(say("gone"), "count", of="gone"),
            Column(say("not read"), "count", of="failed"),
            Column(say("files lost"), "count", of="failures", wide=True),
        ),
        rows_of=reversed(runs),
    )


def _lines(runs: tuple[RunTotals, ...]) -> list[Line]:
    return [
        Line(label=say("errors"), values=[one.errors for one in runs], kind="error"),
        Line(label=say("warnings"), values=[one.warnings for one in runs], kind="warning"),
        Line(label=say("new faults"), values=[one.new for one in runs]),
        Line(label=say("faults that are gone"), values=[one.gone for one in runs]),
        Line(label=say("incidents"), values=[one.incidents for one in runs]),
        Line(label=say("files lost"), values=[one.failures for one in runs]),
    ]

"""What the latest runs counted, as lines and as a table."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.fleet import FleetFacts, RunTotals
from mqdiag.render.figures.lines import Line, lines
from mqdiag.render.parts import AnyPart, Figure
from mqdiag.render.tables import Tables
from mqdiag.text import say

TABLES = Tables("fleet_trend")

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
        last,
        first=first.run,
        before=first.errors,
        warnings_before=first.warnings,
    )
    yield Figure(
        draw=lambda write: lines(write, title, _lines(runs), first.run, last.run),
        caption=say("Each line has its own scale; each point is a run"),
    )
    yield TABLES.table("trend", reversed(runs))


def _lines(runs: tuple[RunTotals, ...]) -> list[Line]:
    return [
        Line(label=say("errors"), values=[one.errors for one in runs], kind="error"),
        Line(label=say("warnings"), values=[one.warnings for one in runs], kind="warning"),
        Line(label=say("new faults"), values=[one.new for one in runs]),
        Line(label=say("faults that are gone"), values=[one.gone for one in runs]),
        Line(label=say("incidents"), values=[one.incidents for one in runs]),
        Line(label=say("files lost"), values=[one.failures for one in runs]),
    ]

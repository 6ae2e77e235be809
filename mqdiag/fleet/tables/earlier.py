"""What earlier runs have left in `incidents`, read file by file: the driver never holds a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from mqdiag.fleet.tables.arrow import file_schema, read_table
from mqdiag.fleet.tables.layout import Layout, RunMark

TABLE = "incidents"


@dataclass(frozen=True, kw_only=True)
class KnownIncident:
    """A result that still holds."""

    incident: str
    listing: str
    run: str
    """whose row of `incidents` tells of it"""


def known_incidents(
    layout: Layout, marks: Collection[RunMark], *, settings: str, limits: str
) -> Iterator[KnownIncident]:
    """Incidents of whole runs whose result still holds, those of the newest run first.

    Args:
        layout: the output.
        marks: of the runs.
        settings: hash that a result must have been made with.
        limits: limits of this run; a failure by the same limits is not tried again.
    """
    columns = ("incident", "listing", "settings", "analysed_in", "again", "limits")
    names = pa.array([*(mark.run for mark in marks), *layout.compactions()], pa.string())
    for mark in sorted(marks, key=lambda mark: -mark.order):
        for file in layout.files(TABLE, {mark.run}):
            table = read_table(file.uri, TABLE, columns)
            same_limits = pc.or_kleene(pc.is_null(table["limits"]), pc.equal(table["limits"], limits))
            whole = pc.and_(pc.equal(table["settings"], settings), pc.is_in(table["analysed_in"], names))
            holds = pc.and_kleene(pc.and_kleene(whole, pc.invert(table["again"])), same_limits)
            for row in table.filter(holds).select(["incident", "listing"]).to_pylist():
                yield KnownIncident(**row, run=mark.run)


def rows_taken_over(
    layout: Layout, runs: Iterable[str], taken_from: Callable[[str, list[str]], set[str]]
) -> Iterator[pa.Table]:
    """Rows of `incidents` that earlier runs have of listed incidents, file by file.

    Args:
        layout: the output.
        runs: that have any.
        taken_from: of a run and some keys, those that are listed and known from this run.
    """
    for run in runs:
        for file in layout.files(TABLE, {run}):
            table = read_table(file.uri, TABLE, file_schema(TABLE).names)
            taken = taken_from(run, table["incident"].to_pylist())
            if taken:
                yield table.filter(pc.is_in(table["incident"], pa.array(taken, pa.string())))

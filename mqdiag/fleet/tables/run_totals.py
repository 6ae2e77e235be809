"""What the reports of the runs counted, in one small file for each run: the report of a run shows the runs before it.

The counts of an earlier run are those that its own report told. They are not computed again: each run has a row for
every incident, so that would read all rows of all runs each night.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import datetime

import msgspec

from mqdiag.facts.fleet import FleetFacts, RunTotals
from mqdiag.fleet.tables.layout import TOTALS, Layout, RunMark

MOST_RUNS = 60


def with_trend(
    layout: Layout, marks: Sequence[RunMark], facts: FleetFacts, finished_at: datetime
) -> FleetFacts:
    """Keep the totals of a run, and add those of the runs before to its facts.

    Args:
        layout: the output.
        marks: of the runs before, oldest first.
        facts: of the run.
        finished_at: when its tables were whole.
    """
    totals = facts.totals
    own = RunTotals(
        run=facts.run,
        finished_at=finished_at.isoformat(timespec="seconds"),
        incidents=totals.incidents,
        failed=totals.failed,
        failures=totals.failures,
        services=totals.services,
        hosts=totals.hosts,
        errors=totals.errors,
        warnings=totals.warnings,
        new=None if facts.against is None else totals.regressions,
        gone=None if facts.against is None else totals.recoveries,
    )
    # On a full disk the report of this run matters more than its place in later reports.
    with contextlib.suppress(OSError):
        layout.store.write(_path(layout, facts.run), msgspec.json.encode(own))
    before = (_kept(layout, mark.run) for mark in marks[-(MOST_RUNS - 1) :])
    return msgspec.structs.replace(facts, trend=(*(one for one in before if one is not None), own))


def _kept(layout: Layout, run: str) -> RunTotals | None:
    """None for a run of an older version, for one that was stopped before its comparison, and for a damaged file."""
    try:
        return msgspec.json.decode(layout.store.read(_path(layout, run)), type=RunTotals)
    except (OSError, msgspec.MsgspecError):
        return None


def _path(layout: Layout, run: str) -> str:
    return f"{layout.root}/{TOTALS}/{run}.json"

"""What a run would do."""

from __future__ import annotations

import itertools

import msgspec
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyspark import SparkContext

from mqdiag.facts.fleet import FleetPlan, PlannedIncident
from mqdiag.fleet.files.listing import Listing
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.schemas import INCIDENTS
from mqdiag.fleet.work.item import WorkItem
from mqdiag.fleet.work.worklist import WorkList

SHOWN = 10


def fleet_plan(context: SparkContext, work: WorkList, layout: Layout, listing: Listing) -> FleetPlan:
    """Count what is to be done, and estimate its time by what earlier runs took."""
    incidents, size = work.size()
    cores = context.defaultParallelism
    rate = _bytes_per_second(layout)
    return FleetPlan(
        out=layout.uri,
        incidents=incidents,
        bytes=size,
        known=work.known_count(),
        left_out=listing.left_out,
        doubts=listing.doubts,
        services=work.services(),
        cores=cores,
        estimate_s=None if rate is None else round(size / rate / cores, 3),
        largest=tuple(_shown(item) for _, item in itertools.islice(work.items(), SHOWN)),
    )


def _bytes_per_second(layout: Layout) -> float | None:
    """Throughput of one task, by the incidents of the latest run that has any that could be read."""
    was_read = (ds.field("status") != "failed") & (ds.field("analysis_ms") > 0)
    for mark in reversed(layout.runs()):
        rows = layout.rows(INCIDENTS.name, {mark.run}).to_table(["bytes", "analysis_ms"], filter=was_read)
        size, milliseconds = (pc.sum(rows[name]).as_py() for name in ("bytes", "analysis_ms"))
        if size and milliseconds:
            return float(size / (milliseconds / 1000))
    return None


def _shown(text: str) -> PlannedIncident:
    item = msgspec.json.decode(text, type=WorkItem)
    return PlannedIncident(
        environment=item.environment,
        service=item.service,
        host=item.host,
        bytes=item.bytes,
        files=tuple(file.uri for file in item.files[:SHOWN]),
    )

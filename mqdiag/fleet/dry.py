"""What a run would do."""

from __future__ import annotations

import msgspec
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from mqdiag.facts.fleet import FleetPlan, PlannedIncident
from mqdiag.fleet.files.listing import Listing
from mqdiag.fleet.tables.frames import table_frame
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.work.item import WorkItem
from mqdiag.fleet.work.plan import Plan

SHOWN = 10


def fleet_plan(spark: SparkSession, planned: Plan, layout: Layout, listing: Listing) -> FleetPlan:
    """Count the plan, and estimate its time by what earlier runs took."""
    todo = planned.todo.persist()
    counted = todo.agg(
        F.count("*").alias("incidents"),
        F.coalesce(F.sum("bytes"), F.lit(0)).alias("bytes"),
        F.count_distinct("label_service").alias("services"),
    ).first()
    assert counted is not None
    cores = spark.sparkContext.defaultParallelism
    rate = _bytes_per_second(spark, layout)
    return FleetPlan(
        out=layout.uri,
        incidents=counted["incidents"],
        bytes=counted["bytes"],
        known=planned.known.count(),
        unlabelled=listing.unlabelled,
        services=counted["services"],
        cores=cores,
        estimate_s=None if rate is None else round(counted["bytes"] / rate / cores, 3),
        largest=tuple(_shown(row["item"]) for row in todo.limit(SHOWN).collect()),
    )


def _bytes_per_second(spark: SparkSession, layout: Layout) -> float | None:
    """Of one task in the earlier runs."""
    runs = {mark.run for mark in layout.runs()}
    table = table_frame(spark, layout, "incidents", runs)
    row = (
        table.where("run = analysed_in and analysis_ms > 0 and status <> 'failed'")
        .agg(F.sum("bytes"), F.sum("analysis_ms"))
        .first()
    )
    if row is None or not row[1]:
        return None
    return float(row[0]) / (row[1] / 1000) or None


def _shown(text: str) -> PlannedIncident:
    item = msgspec.json.decode(text, type=WorkItem)
    return PlannedIncident(
        environment=item.environment,
        service=item.service,
        host=item.host,
        bytes=item.bytes,
        files=tuple(file.uri for file in item.files[:SHOWN]),
    )

"""What is slow the first time, done before the work: workers are started, and Spark's SQL engine is used once.

A JVM loads some thousand classes for its first queries, which takes it longer than comparing thousands of incidents.
Done here it overlaps with the start of the workers; and an output or a Spark on which the comparison cannot run is
found now, not after a night of analysis.
"""

from __future__ import annotations

import threading

from pyspark.sql import SparkSession

from mqdiag.facts.fleet import LeftOut
from mqdiag.fleet.analysis.gather import fleet_facts
from mqdiag.fleet.analysis.picture import Picture
from mqdiag.fleet.options import Limits
from mqdiag.fleet.tables.commit import write_empty
from mqdiag.fleet.tables.layout import STAGING, Layout
from mqdiag.fleet.work.warm_nodes import warm_nodes

RUN = "rehearsal"


def rehearse(spark: SparkSession, layout: Layout, scratch: str | None, limits: Limits) -> None:
    """Start what will be needed, and compare the instances of a fleet that has none.

    Args:
        spark: the session.
        layout: the output, in which executors find the empty tables too.
        scratch: see FleetOptions.
        limits: of the analysing processes.
    """
    trouble: list[BaseException] = []

    def compare() -> None:
        try:
            # In a session of its own: what suits an empty fleet is set in it.
            _compare_nothing(spark.newSession(), layout)
        except BaseException as error:
            trouble.append(error)

    thread = threading.Thread(target=compare, name="mqdiag-rehearsal", daemon=True)
    thread.start()
    warm_nodes(spark.sparkContext, scratch, limits)
    thread.join()
    if trouble:
        raise trouble[0]


def _compare_nothing(spark: SparkSession, layout: Layout) -> None:
    stage = Layout(layout.store, f"{layout.root}/{STAGING}/{RUN}")
    try:
        write_empty(stage.store, stage.root, RUN)
        empty = Picture(spark, stage, RUN, 0)
        fleet_facts(empty, None, empty.totals(LeftOut()), stage.uri)
    finally:
        layout.store.remove_folder(stage.root)

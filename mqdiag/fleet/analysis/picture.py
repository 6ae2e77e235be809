"""The tables as one run sees them: its own rows, and those of incidents that earlier runs had done."""

from __future__ import annotations

from functools import cached_property

from pyspark.sql import DataFrame, Row, SparkSession

from mqdiag.facts.fleet import FleetTotals, LeftOut
from mqdiag.fleet.analysis.view import view
from mqdiag.fleet.tables.frames import table_frame
from mqdiag.fleet.tables.layout import Layout

SMALL = 5_000
"""incidents up to which one task is quicker than an exchange between several; it takes a second or two"""


class Picture:
    """Tables of one run.

    Args:
        spark: the session.
        layout: the output.
        run: a whole run, or the one that is just being made.
        incidents: how many it has.
    """

    def __init__(self, spark: SparkSession, layout: Layout, run: str, incidents: int) -> None:
        self._spark = spark
        self._layout = layout
        self._is_small = incidents <= SMALL
        if self._is_small:
            # A task for each side of a join, and a plan made again after each, cost more than they could save here.
            spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
            spark.conf.set("spark.sql.adaptive.enabled", "false")
            spark.conf.set("spark.sql.shuffle.partitions", "1")
        self.run = run
        self.incidents = self._frame("incidents", {run}).persist()
        """one row for each incident of the run"""

    def table(self, name: str) -> DataFrame:
        """All rows of the run's incidents, wherever they were analysed."""
        runs = set(self._counted["runs"])
        frame = self._frame(name, runs)
        if runs <= {self.run}:
            return frame
        keys = self.incidents.selectExpr("incident as _incident", "analysed_in as _run")
        return frame.join(keys, (frame["incident"] == keys["_incident"]) & (frame["run"] == keys["_run"])).drop(
            "_incident", "_run"
        )

    def totals(self, left_out: LeftOut) -> FleetTotals:
        """Count the incidents and their hosts.

        Args:
            left_out: what the listing left out.
        """
        counts = self._counted.asDict()
        del counts["runs"]
        return FleetTotals(**counts, known=counts["incidents"] - counts["analysed"], left_out=left_out)

    @cached_property
    def findings(self) -> DataFrame:
        """Of the run's incidents, refuted ones too."""
        return self.table("findings").persist()

    @cached_property
    def open_findings(self) -> DataFrame:
        """Those that no later incident of their host has refuted."""
        named = {"current_findings": self.findings, "current_incidents": self.incidents}
        return view("unrefuted_findings", **named).persist()

    @cached_property
    def faults(self) -> DataFrame:
        """The open faults of each service."""
        return view("service_faults", unrefuted_findings=self.open_findings).persist()

    @cached_property
    def failures(self) -> DataFrame:
        """What could not be analysed of the run's incidents."""
        return self.table("failures").persist()

    @cached_property
    def latest_consumers(self) -> DataFrame:
        """The consumers of the latest dump of each host."""
        return view("latest_consumers", current_consumers=self.table("consumers")).persist()

    @cached_property
    def _counted(self) -> Row:
        row = view("run_counts", current_incidents=self.incidents).first()
        assert row is not None
        return row

    def _frame(self, name: str, runs: set[str]) -> DataFrame:
        frame = table_frame(self._spark, self._layout, name, runs)
        # All in one partition, nothing needs to be exchanged for joins, sums and orders: each comparison is one task.
        return frame.coalesce(1) if self._is_small else frame

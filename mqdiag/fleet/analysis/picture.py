"""The tables as one run sees them: its own rows, and those of incidents that earlier runs had done."""

from __future__ import annotations

from functools import cached_property

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from mqdiag.facts.fleet import FleetTotals
from mqdiag.fleet.tables.frames import table_frame
from mqdiag.fleet.tables.layout import Layout


class Picture:
    """Tables of one run.

    Args:
        spark: the session.
        layout: the output.
        run: a whole run, or the one that is just being made.
    """

    def __init__(self, spark: SparkSession, layout: Layout, run: str) -> None:
        self._spark = spark
        self._layout = layout
        self.run = run
        self.incidents = self._frame("incidents", {run}).persist()
        """one row for each incident of the run"""

    def table(self, name: str) -> DataFrame:
        """All rows of the run's incidents, wherever they were analysed."""
        runs = self._runs
        frame = self._frame(name, runs)
        keys = self.incidents.selectExpr("incident as _incident", "analysed_in as _run")
        return frame.join(keys, (frame["incident"] == keys["_incident"]) & (frame["run"] == keys["_run"])).drop(
            "_incident", "_run"
        )

    def totals(self, unlabelled: int) -> FleetTotals:
        """Count the incidents.

        Args:
            unlabelled: files that the listing left out.
        """
        row = self.incidents.agg(
            F.count("*").alias("incidents"),
            F.coalesce(F.sum((F.col("analysed_in") == F.col("run")).cast("bigint")), F.lit(0)).alias(
                "analysed"
            ),
            F.coalesce(F.sum((F.col("status") == "failed").cast("bigint")), F.lit(0)).alias("failed"),
            F.coalesce(F.sum("files"), F.lit(0)).alias("files"),
            F.coalesce(F.sum("bytes"), F.lit(0)).alias("bytes"),
        ).first()
        assert row is not None
        counts = row.asDict()
        return FleetTotals(**counts, known=counts["incidents"] - counts["analysed"], unlabelled=unlabelled)

    @cached_property
    def _runs(self) -> set[str]:
        return {row["analysed_in"] for row in self.incidents.select("analysed_in").distinct().collect()}

    def _frame(self, name: str, runs: set[str]) -> DataFrame:
        return table_frame(self._spark, self._layout, name, runs)

"""The consumers that a fleet has now: those of the latest evidence of each host."""

from __future__ import annotations

from pyspark.sql import DataFrame

from mqdiag.fleet.analysis.view import view


def latest_consumers(consumers: DataFrame) -> DataFrame:
    """Rows of `consumers` from the latest incident of each host that has any; ten dumps of a host count once."""
    return view("latest_consumers", current_consumers=consumers)

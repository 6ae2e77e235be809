"""What the thresholds of each group allow against the heaps of its instances."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from mqdiag.fleet.analysis.view import view


def capacity(consumers: DataFrame) -> DataFrame:
    """One row for each group, the fullest first.

    Args:
        consumers: the latest of each host.
    """
    return view("capacity", latest_consumers=consumers).orderBy(
        F.desc_nulls_last("bound_share_most"), F.desc("held_bytes_most"), "environment", "consumer_group"
    )

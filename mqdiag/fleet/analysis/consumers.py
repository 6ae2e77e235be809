"""The consumers that a fleet has now: those of the latest evidence of each host."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

HOST = ("environment", "service", "host")


def latest_consumers(consumers: DataFrame) -> DataFrame:
    """Rows of `consumers` from the latest incident of each host that has any; ten dumps of a host count once."""
    newest = Window.partitionBy(*HOST).orderBy(F.desc("window_start"), F.desc("incident"))
    ranked = consumers.withColumn("_rank", F.dense_rank().over(newest))
    return ranked.where((F.col("_rank") == 1) & F.col("consumer_group").isNotNull()).drop("_rank")

"""What the thresholds of each group allow against the heaps of its instances."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def capacity(consumers: DataFrame) -> DataFrame:
    """One row for each group, the fullest first.

    Consumers of a group in one JVM share its heap, so their bounds are added.
    """
    of_jvm = consumers.groupBy("environment", "consumer_group", "service", "host").agg(
        F.max("heap_bytes").alias("heap"),
        F.sum("bound_bytes").alias("bound"),
        F.sum("body_bytes").alias("held"),
        F.min("threshold").alias("least"),
        F.max("threshold").alias("most"),
        F.sum("queues").alias("queues"),
    )
    share = F.col("bound") / F.col("heap")
    return (
        of_jvm.groupBy("environment", "consumer_group")
        .agg(
            F.array_sort(F.collect_set("service")).alias("services"),
            F.count("*").alias("instances"),
            F.min("heap").alias("heap_bytes_least"),
            F.max("bound").alias("bound_bytes_most"),
            F.max(share).alias("bound_share_most"),
            F.max("held").alias("held_bytes_most"),
            F.min("least").alias("threshold_least"),
            F.max("most").alias("threshold_most"),
            F.max("queues").alias("queues_most"),
            F.coalesce(F.sum((share > 1).cast("bigint")), F.lit(0)).alias("over"),
        )
        .orderBy(
            F.desc_nulls_last("bound_share_most"), F.desc("held_bytes_most"), "environment", "consumer_group"
        )
    )

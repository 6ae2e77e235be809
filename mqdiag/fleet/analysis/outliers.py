"""Instances far from the others of their group, by statistics that the outliers themselves cannot move."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

METRICS = {"messages": 100.0, "body_bytes": float(1 << 20), "retained_bytes": float(4 << 20), "lag": 1000.0}
"""what is compared, each with the deviation below which a difference is no matter"""

NORMAL = 1.4826
"""median absolute deviation to standard deviation, for a normal distribution"""

OF_MEDIAN = 0.1
"""least deviation as a share of the median: instances that all hold the same must not make one more an outlier"""


def outlier_instances(consumers: DataFrame, *, score: float, instances: int) -> DataFrame:
    """Instances whose distance from their group's median is large.

    Args:
        consumers: environment, service, host, group and the metrics.
        score: least distance in robust standard deviations.
        instances: least number of instances of a group.

    Returns:
        environment, group, service, host, metric, value, median, deviation, score, instances.
    """
    group = ["environment", "consumer_group"]
    # A JVM can have several consumers of a group: they are one instance.
    each = consumers.groupBy(*group, "service", "host").agg(
        *(F.sum(name).cast("double").alias(name) for name in ("messages", "body_bytes", "retained_bytes")),
        F.max("lag").cast("double").alias("lag"),
    )
    long = each.unpivot([*group, "service", "host"], list(METRICS), "metric", "value").where(
        "value is not null"
    )
    centre = long.groupBy(*group, "metric").agg(
        F.median("value").alias("median"), F.count("*").alias("instances")
    )
    centred = long.join(centre.where(F.col("instances") >= instances), [*group, "metric"])
    centred = centred.withColumn("distance", F.abs(F.col("value") - F.col("median")))
    spread = centred.groupBy(*group, "metric").agg(F.median("distance").alias("deviation"))
    least = F.create_map(*[F.lit(part) for pair in METRICS.items() for part in pair])
    scale = F.greatest(F.col("deviation") * NORMAL, F.abs(F.col("median")) * OF_MEDIAN, least[F.col("metric")])
    scored = centred.join(spread, [*group, "metric"]).withColumn(
        "score", (F.col("value") - F.col("median")) / scale
    )
    return scored.where(F.abs("score") >= score).select(
        *group, "service", "host", "metric", "value", "median", "deviation", "score", "instances"
    )

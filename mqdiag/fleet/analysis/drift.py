"""What instances of one group have that should be the same: settings, versions, subscriptions."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from mqdiag.fleet.analysis.view import view


def drifts(consumers: DataFrame) -> DataFrame:
    """Settings, client versions and subscriptions in which consumers of one group differ.

    Args:
        consumers: the latest of each host.

    Returns:
        kind (setting, subscription or version), environment, consumer_group, key, instances and values: instances,
        value and hosts of each, the most common first.
    """
    of_key = ("kind", "environment", "consumer_group", "key", "version")
    return (
        view("drift", latest_consumers=consumers)
        .groupBy(*of_key)
        .agg(
            F.sum("instances").alias("instances"),
            F.sort_array(F.collect_list(F.struct("instances", "value", "hosts")), asc=False).alias("values"),
        )
        .drop("version")
        .orderBy("kind", F.desc("instances"), "environment", "consumer_group", "key")
    )

"""What instances of one group have that should be the same: settings, versions, subscriptions."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

ONE_EACH = (
    "clientIP",
    "consumeTimestamp",
    "consumerGroup",
    "instanceName",
    "namesrvAddr",
    "unitName",
)
"""settings that differ from instance to instance by their nature; name servers may be listed in any order"""

SAME_DEFAULTS = (
    "consumeConcurrentlyMaxSpan",
    "consumeFromWhere",
    "consumeMessageBatchMaxSize",
    "consumeThreadMin",
    "consumeTimeout",
    "maxReconsumeTimes",
    "messageModel",
    "pullBatchSize",
    "pullInterval",
    "pullThresholdForQueue",
    "pullThresholdForTopic",
    "pullThresholdSizeForQueue",
    "pullThresholdSizeForTopic",
)
"""settings with the same default in every client since 3.2.6: a difference is somebody's doing, whatever the version"""

DIVIDED = {
    "pullThresholdForQueue": "pullThresholdForTopic",
    "pullThresholdSizeForQueue": "pullThresholdSizeForTopic",
}
"""RebalancePushImpl divides the topic's threshold by the assigned queues: these differ by design where it is set"""

HOSTS_SHOWN = 5


def config_drift(consumers: DataFrame) -> DataFrame:
    """Settings in which consumers of one group differ.

    Settings whose default changed over the versions are compared within a version only.

    Args:
        consumers: environment, service, host, group, client_version, settings.

    Returns:
        kind, environment, group, key, instances, values.
    """
    each = consumers.select(
        *_GROUP, *_HOST, "client_version", "settings", F.explode("settings").alias("key", "value")
    )
    each = each.where(~F.col("key").isin(*ONE_EACH))
    for key, topic in DIVIDED.items():
        of_topic = F.coalesce(F.col("settings")[topic].cast("bigint"), F.lit(-1))
        each = each.where(~((F.col("key") == key) & (of_topic > 0)))
    across = F.col("key").isin(*SAME_DEFAULTS)
    each = each.withColumn(
        "version", F.when(across, F.lit("")).otherwise(F.coalesce("client_version", F.lit("?")))
    )
    return _differing(each, "setting", extra=("version",))


def version_skew(consumers: DataFrame) -> DataFrame:
    """Groups whose consumers run different client versions."""
    each = consumers.where("client_version is not null")
    return _differing(
        each.select(
            *_GROUP, *_HOST, F.lit("client_version").alias("key"), F.col("client_version").alias("value")
        ),
        "version",
    )


def unequal_subscriptions(consumers: DataFrame) -> DataFrame:
    """Groups whose consumers subscribe to different topics; the broker keeps what the last heartbeat said."""
    each = consumers.where("size(subscriptions) > 0")
    value = F.array_join(F.array_sort("subscriptions"), ", ")
    return _differing(
        each.select(*_GROUP, *_HOST, F.lit("subscriptions").alias("key"), value.alias("value")), "subscription"
    )


_GROUP = ("environment", "consumer_group")
_HOST = ("service", "host")


def _differing(each: DataFrame, kind: str, extra: tuple[str, ...] = ()) -> DataFrame:
    of_value = each.groupBy(*_GROUP, "key", *extra, "value").agg(
        F.count("*").alias("instances"), _hosts().alias("hosts")
    )
    of_key = of_value.groupBy(*_GROUP, "key", *extra).agg(
        F.sum("instances").alias("instances"),
        F.sort_array(F.collect_list(F.struct("instances", "value", "hosts")), asc=False).alias("values"),
    )
    return of_key.where(F.size("values") > 1).select(
        F.lit(kind).alias("kind"), "environment", "consumer_group", "key", "instances", "values"
    )


def _hosts() -> Column:
    return F.slice(F.array_sort(F.collect_set(F.concat_ws("/", *_HOST))), 1, HOSTS_SHOWN)

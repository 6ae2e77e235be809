"""What is wrong now: of each host the latest evidence that could show a fault decides whether it is still there."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

HOST = ("environment", "service", "host")
FAULT = (*HOST, "rule", "cause", "consumer_group")
"""what a fault of a host is over time: the thread or queue can be another one tomorrow"""


def open_findings(findings: DataFrame, incidents: DataFrame) -> DataFrame:
    """Findings that no later incident of their host has refuted.

    A later incident refutes a finding if it had the evidence for its rule, ran the rule to the end and did not find
    the fault. A fault in last month's heap dump is over once a newer dump is healthy; thread dumps that came since
    say nothing about a rule that needs a heap. An incident of unknown time refutes nothing, and nothing refutes it.

    Args:
        findings: all rows of a run's incidents.
        incidents: these incidents, with the rules that were checked.

    Returns:
        The rows of `findings` from the latest incident of each host that has checked, or found, their rule.
    """
    checked = incidents.select(*HOST, "incident", "window_start", F.explode("checked").alias("rule"))
    found = findings.select(*HOST, "incident", "window_start", "rule").distinct()
    newest = Window.partitionBy(*HOST, "rule").orderBy(F.desc_nulls_last("window_start"), F.desc("incident"))
    latest = (
        checked.union(found)
        .withColumn("_place", F.row_number().over(newest))
        .where((F.col("_place") == 1) | F.col("window_start").isNull())
        .select("incident", "rule")
    )
    return findings.join(latest, ["incident", "rule"], "left_semi")


def recovered_faults(findings: DataFrame, still_open: DataFrame) -> int:
    """Number of faults of hosts that later evidence of the same host no longer shows."""
    faults = findings.select(*_comparable()).distinct()
    return faults.join(still_open.select(*_comparable()).distinct(), list(FAULT), "left_anti").count()


def _comparable() -> list[Column]:
    """The columns of FAULT; a finding without a group is one of the empty name, as null equals nothing."""
    return [F.coalesce(F.col(name), F.lit("")).alias(name) for name in FAULT]

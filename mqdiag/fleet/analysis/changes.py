"""What is new since an earlier run, and what is gone."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from mqdiag.fleet.analysis.causes import severity_rank

SERVICE = ("environment", "service")
FAULT = (*SERVICE, "rule", "cause", "consumer_group")
"""what a fault is over runs: a thread or queue of tonight need not be that of last night"""


def changes(
    now: DataFrame, now_incidents: DataFrame, before: DataFrame, before_incidents: DataFrame
) -> DataFrame:
    """Faults of a service in one of two runs only, where the other run could have found them.

    A fault counts as new only if the earlier run had evidence of the same service with which its rule ran to its
    end: a first heap dump after many thread dumps makes no regression. The same the other way round.

    Args:
        now: findings of this run.
        now_incidents: its incidents, with the rules that were checked.
        before: findings of the earlier run.
        before_incidents: its incidents.

    Returns:
        kind, the columns of FAULT, rank, hosts, fingerprint, document; regressions first, the worst first.
    """
    found_now, found_before = _faults(now), _faults(before)
    appeared = _only(found_now, found_before, before_incidents, "regression")
    gone = _only(found_before, found_now, now_incidents, "recovery")
    return appeared.union(gone).orderBy(F.desc("kind"), "rank", F.desc("hosts"), *FAULT)


def with_counts(states: DataFrame, now: DataFrame, before: DataFrame, changed: DataFrame) -> DataFrame:
    """Add to each service how many of its faults are new, known and gone.

    A fault that the earlier run could not look for is none of these.

    Args:
        states: one row for each service.
        now: findings of this run.
        before: findings of the earlier run.
        changed: the rows of `changes`.

    Returns:
        The rows of `states` with the columns new, known and gone.
    """
    known = _faults(now).join(_faults(before).select(*FAULT), list(FAULT), "left_semi")
    counted = (
        changed.select(*SERVICE, "kind")
        .union(known.select(*SERVICE, F.lit("known")))
        .groupBy(*SERVICE)
        .agg(
            *(
                F.count_if(F.col("kind") == kind).alias(name)
                for kind, name in (("regression", "new"), ("known", "known"), ("recovery", "gone"))
            )
        )
    )
    return states.join(counted, list(SERVICE), "left").fillna(0, ["new", "known", "gone"])


def _faults(findings: DataFrame) -> DataFrame:
    worst = F.struct(severity_rank(), -F.col("weight"), F.col("incident"))
    return (
        findings.withColumn("consumer_group", F.coalesce("consumer_group", F.lit("")))
        .groupBy(*FAULT)
        .agg(
            F.min(severity_rank()).alias("rank"),
            F.count_distinct("host").alias("hosts"),
            F.min_by("fingerprint", worst).alias("fingerprint"),
            F.min_by("document", worst).alias("document"),
        )
    )


def _only(here: DataFrame, there: DataFrame, incidents_there: DataFrame, kind: str) -> DataFrame:
    checked = incidents_there.select(*SERVICE, F.explode("checked").alias("rule")).distinct()
    lone = here.join(there.select(*FAULT), list(FAULT), "left_anti").join(
        checked, [*SERVICE, "rule"], "left_semi"
    )
    return lone.select(F.lit(kind).alias("kind"), *FAULT, "rank", "hosts", "fingerprint", "document")

"""What is wrong where: causes by their spread, and services by causes."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from mqdiag.fleet.analysis.view import view

SHOWN = 5


def shared_causes(findings: DataFrame) -> DataFrame:
    """One row for each rule and cause, the widest spread first.

    Args:
        findings: of the fleet.

    Returns:
        rule, cause, rank (0 for error), services, hosts, groups, incidents, findings, example_services,
        example_hosts, document.
    """
    service = F.concat_ws("/", F.nullif(F.col("environment"), F.lit("")), F.col("service"))
    host = F.concat_ws("/", service, F.col("host"))
    return (
        findings.groupBy("rule", "cause")
        .agg(
            F.min(severity_rank()).alias("rank"),
            F.count_distinct(service).alias("services"),
            F.count_distinct(host).alias("hosts"),
            F.count_distinct("consumer_group").alias("groups"),
            F.count_distinct("incident").alias("incidents"),
            F.count("*").alias("findings"),
            F.slice(F.array_sort(F.collect_set(service)), 1, SHOWN).alias("example_services"),
            F.slice(F.array_sort(F.collect_set(host)), 1, SHOWN).alias("example_hosts"),
            F.min_by("document", F.struct(severity_rank(), -F.col("weight"), F.col("incident"))).alias(
                "document"
            ),
        )
        .orderBy(F.desc("services"), F.desc("hosts"), "rank", "rule", "cause")
    )


def lone_faults(findings: DataFrame) -> DataFrame:
    """The gravest finding of each service, rule, cause and group, with the number of hosts; the worst first.

    Returns:
        environment, service, host, rank, hosts, document.
    """
    gravest = F.struct(severity_rank(), -F.col("weight"), F.col("incident"))
    return (
        findings.groupBy(
            "environment",
            "service",
            "rule",
            "cause",
            F.coalesce("consumer_group", F.lit("")).alias("consumer_group"),
        )
        .agg(
            F.min(severity_rank()).alias("rank"),
            F.count_distinct("host").alias("hosts"),
            F.min_by("host", gravest).alias("host"),
            F.min_by("document", gravest).alias("document"),
        )
        .orderBy("rank", F.desc("hosts"), "environment", "service", "rule", "cause", "consumer_group")
    )


def hosts_by_rule(findings: DataFrame) -> DataFrame:
    """How many hosts of a service have a finding of a rule; the worst first.

    Returns:
        environment, service, rule, rank, hosts.
    """
    return (
        findings.groupBy("environment", "service", "rule")
        .agg(F.min(severity_rank()).alias("rank"), F.count_distinct("host").alias("hosts"))
        .orderBy("rank", F.desc("hosts"), "environment", "service", "rule")
    )


def service_states(incidents: DataFrame, findings: DataFrame, failures: DataFrame) -> DataFrame:
    """Each service with its hosts, incidents, failures, errors and warnings.

    Args:
        incidents: of the run.
        findings: those of them that are open.
        failures: what could not be analysed of them.
    """
    return view(
        "current_state", current_incidents=incidents, unrefuted_findings=findings, current_failures=failures
    )


def severity_rank() -> Column:
    """0 for an error, 1 for a warning, 2 for the rest."""
    return (
        F.when(F.col("severity") == "error", F.lit(0))
        .when(F.col("severity") == "warning", F.lit(1))
        .otherwise(2)
    )

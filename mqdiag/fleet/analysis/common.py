"""What hosts with the same fault have in common: a frame, a library, a setting, an address, a broker, a version.

Two hosts can have the same fault for reasons that have nothing to do with each other. What they share says whether
there is one reason, and where it lies.
"""

from __future__ import annotations

from typing import get_args

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from mqdiag.facts.vocabulary import TraitKind
from mqdiag.fleet.analysis.causes import SHOWN, severity_rank

LEAST_HOSTS = 3
"""hosts from which a trait is kept; the rule's own limit is the same or higher"""
LIFT = 2.0
"""how much commoner a fault must be with a client version than without it"""
_KINDS: tuple[TraitKind, ...] = get_args(TraitKind)
"""the most specific first: of traits with the same hosts that one is told"""
_FAULT = ("rule", "cause")
_SERVICE = ("environment", "service")


def common_traits(findings: DataFrame, consumers: DataFrame) -> DataFrame:
    """One row for each rule, cause and trait that several hosts share, the widest spread first.

    Args:
        findings: those that are open.
        consumers: the latest of each host; their versions are traits too.

    Returns:
        rule, cause, kind, value, rank (0 for error), services, hosts, incidents, findings, fault_hosts (that have
        the fault at all), example_services, example_hosts, document. Of several traits with the same hosts the most
        specific one.
    """
    traits = _of_evidence(findings).union(_of_version(findings, consumers))
    service = F.concat_ws("/", F.nullif(F.col("environment"), F.lit("")), F.col("service"))
    host = F.concat_ws("/", service, F.col("host"))
    shared = (
        traits.groupBy(*_FAULT, "kind", "value")
        .agg(
            F.min(severity_rank()).alias("rank"),
            F.count_distinct(service).alias("services"),
            F.array_sort(F.collect_set(host)).alias("_hosts"),
            F.count_distinct("incident").alias("incidents"),
            F.count("*").alias("findings"),
            F.slice(F.array_sort(F.collect_set(service)), 1, SHOWN).alias("example_services"),
            F.min_by("document", F.struct(severity_rank(), -F.col("weight"), F.col("incident"))).alias(
                "document"
            ),
        )
        .withColumn("hosts", F.size("_hosts"))
        .where(F.col("hosts") >= LEAST_HOSTS)
    )
    specific = Window.partitionBy(*_FAULT, "_hosts").orderBy(_specificity(), "value")
    told = (
        shared.withColumn("_place", F.row_number().over(specific))
        .where(F.col("_place") == 1)
        .withColumn("example_hosts", F.slice("_hosts", 1, SHOWN))
        .drop("_place", "_hosts")
    )
    with_fault = findings.groupBy(*_FAULT).agg(F.count_distinct(host).alias("fault_hosts"))
    return told.join(with_fault, list(_FAULT)).orderBy(
        F.desc("services"), F.desc("hosts"), "rank", *_FAULT, _specificity(), "value"
    )


def _of_evidence(findings: DataFrame) -> DataFrame:
    """Each finding with each trait that its own evidence tells."""
    values: dict[TraitKind, Column] = {
        # A line number changes with every release.
        "frame": F.regexp_extract(_evidence("frame"), r"^[^(]+", 0),
        "holder": _joined(_evidence("holder_class"), _evidence("holder_field")),
        "setting": _evidence("key"),
        "address": _evidence("address"),
        "group": F.col("consumer_group"),
        "broker": F.when(F.col("consumer_group").isNull(), F.col("broker")),
        "library": _evidence("library"),
    }
    traits = F.array(
        *(F.struct(F.lit(kind).alias("kind"), value.alias("value")) for kind, value in values.items())
    )
    each = findings.withColumn("_trait", F.explode(traits))
    return _columns(each, F.col("_trait.kind"), F.col("_trait.value")).where("value != ''")


def _of_version(findings: DataFrame, consumers: DataFrame) -> DataFrame:
    """Findings of hosts whose client version has the fault clearly more often than all other versions."""
    host = [*_SERVICE, "host"]
    versions = (
        consumers.where("client_version is not null")
        .groupBy(*host)
        .agg(F.max("client_version").alias("version"))
    )
    faulty = findings.select(*host, *_FAULT).distinct().join(versions, host)
    with_version = versions.groupBy("version").agg(F.count("*").alias("of_version"))
    all_hosts = versions.agg(F.count("*").alias("of_fleet"))
    counted = (
        faulty.groupBy(*_FAULT, "version")
        .agg(F.count("*").alias("faulty"))
        .join(with_version, "version")
        .crossJoin(all_hosts)
        .withColumn("faulty_in_all", F.sum("faulty").over(Window.partitionBy(*_FAULT)))
    )
    others = F.col("of_fleet") - F.col("of_version")
    rate_of_others = (F.col("faulty_in_all") - F.col("faulty")) / others
    telling = counted.where(
        (others > 0) & (F.col("faulty") / F.col("of_version") >= LIFT * rate_of_others)
    ).select(*_FAULT, "version")
    each = findings.join(versions, host).join(telling, [*_FAULT, "version"], "left_semi")
    return _columns(each, F.lit("client-version"), F.col("version"))


def _columns(each: DataFrame, kind: Column, value: Column) -> DataFrame:
    kept = ("rule", "cause", "severity", "environment", "service", "host", "incident", "weight", "document")
    return each.select(*kept, kind.alias("kind"), value.alias("value"))


def _evidence(name: str) -> Column:
    return F.get_json_object("document", f"$.evidence.{name}")


def _joined(owner: Column, field: Column) -> Column:
    return F.when(owner.isNotNull() & field.isNotNull(), F.concat_ws(".", owner, field))


def _specificity() -> Column:
    return F.array_position(F.array(*map(F.lit, _KINDS)), F.col("kind"))

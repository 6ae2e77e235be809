"""What is to be done: from the listing to incidents, less those whose result is there already."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as F

from mqdiag import __version__
from mqdiag.config import Settings
from mqdiag.fleet.files.fingerprints import content_fingerprint, incident_key
from mqdiag.fleet.files.incidents import Incident, incidents
from mqdiag.fleet.files.listing import EvidenceFile
from mqdiag.fleet.tables.frames import parquet_frame, table_frame
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.schemas import SCHEMA_VERSION
from mqdiag.fleet.work.item import WorkItem

FILES = pa.schema(
    [
        ("environment", pa.string()),
        ("label_service", pa.string()),
        ("host", pa.string()),
        ("file", pa.string()),
    ]
)
LISTED_AT_ONCE = 50_000


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Both frames hold one row for each incident."""

    todo: DataFrame
    """incident, bytes, item (JSON): what must be analysed, largest first"""
    known: DataFrame
    """rows of the table `incidents` as an earlier run left them"""


def settings_hash(settings: Settings) -> str:
    """What a result depends on besides the evidence: the tool, its tables, expectations and thresholds."""
    told = (
        __version__,
        SCHEMA_VERSION,
        settings.expectations,
        settings.heap_limit,
        sorted((name, sorted(limits.items())) for name, limits in settings.limits.items()),
        sorted(settings.severities.items()),
        sorted(settings.ignored),
    )
    return hashlib.blake2b(msgspec.json.encode(told), digest_size=8).hexdigest()


def listed(layout: Layout, run: str, files: Iterable[EvidenceFile]) -> list[str]:
    """Write the listing down, so that no process ever holds all of it; the URIs of the pieces."""
    uris: list[str] = []
    rows: list[EvidenceFile] = []

    def write() -> None:
        columns = [
            [file.labels.environment for file in rows],
            [file.labels.service for file in rows],
            [file.labels.host for file in rows],
            [msgspec.json.encode(file).decode() for file in rows],
        ]
        data = io.BytesIO()
        pq.write_table(pa.Table.from_arrays([pa.array(c, pa.string()) for c in columns], schema=FILES), data)
        path = f"{layout.staging}/{run}/listing/{len(uris):05d}.parquet"
        layout.store.write(path, data.getvalue())
        uris.append(layout.store.uri(path))
        rows.clear()

    for file in files:
        rows.append(file)
        if len(rows) == LISTED_AT_ONCE:
            write()
    if rows:
        write()
    return uris


def plan(
    spark: SparkSession, layout: Layout, listing: list[str], *, window_s: float, settings: str, limits: str
) -> Plan:
    """Group the listed files and set aside what is done.

    Args:
        spark: the session.
        layout: the output with the earlier runs.
        listing: pieces that `listed` wrote.
        window_s: see `incidents`.
        settings: hash that results must have been made with.
        limits: limits of this run; a failure by the same limits is not tried again.
    """
    files = parquet_frame(spark, ((uri, {}) for uri in listing), FILES)
    found = _incidents(spark, files, window_s)
    earlier = {mark.run: mark.order for mark in layout.runs()}
    table = table_frame(spark, layout, "incidents", set(earlier))
    known = _usable(table, settings, limits, earlier)
    keys = known.select("incident", "listing")
    by_listing = found.join(
        keys.dropDuplicates(["listing"]).withColumnRenamed("incident", "key"), "listing", "left"
    )
    by_listing = by_listing.persist()
    fresh = _fingerprinted(spark, by_listing.where("key is null"), settings)
    planned = (
        fresh.withColumn("place", F.row_number().over(Window.partitionBy("incident").orderBy("listing")))
        .where("place = 1")
        .drop("place")
        .persist()
    )
    done = (
        planned.select("incident")
        .union(by_listing.where("key is not null").select("key"))
        .distinct()
        .join(known, "incident", "inner")
    )
    todo = planned.join(keys.select("incident"), "incident", "left_anti").orderBy(F.desc("bytes"), "incident")
    return Plan(todo=todo.select("incident", "bytes", "label_service", "item"), known=done)


def _usable(table: DataFrame, settings: str, limits: str, order: dict[str, int]) -> DataFrame:
    """The latest row of each incident whose result still holds."""
    latest = Window.partitionBy("incident").orderBy(F.desc("place"))
    places = F.create_map(*[F.lit(part) for pair in order.items() for part in pair]) if order else F.lit(None)
    place = places[F.col("run")] if order else F.lit(0)
    return (
        table.where((F.col("settings") == settings) & F.col("analysed_in").isin(*order))
        .where(~F.col("again") & (F.col("limits").isNull() | (F.col("limits") == limits)))
        .withColumn("place", place)
        .withColumn("newest", F.row_number().over(latest))
        .where("newest = 1")
        .drop("place", "newest")
    )


def _incidents(spark: SparkSession, files: DataFrame, window_s: float) -> DataFrame:
    def group(row: Row) -> Iterator[tuple[str, int, str]]:
        of_host = (msgspec.json.decode(file, type=EvidenceFile) for file in row["files"])
        for one in incidents(of_host, window_s):
            yield one.listing, one.bytes, msgspec.json.encode(one).decode()

    hosts = files.groupBy("environment", "label_service", "host").agg(F.collect_list("file").alias("files"))
    return spark.createDataFrame(
        hosts.rdd.flatMap(group), "listing string, bytes bigint, incident_json string", verifySchema=False
    )


def _fingerprinted(spark: SparkSession, found: DataFrame, settings: str) -> DataFrame:
    """Read enough of each file to know it again under any name."""

    def fingerprint(row: Row) -> tuple[str, str, int, str, str]:
        one = msgspec.json.decode(row["incident_json"], type=Incident)
        return _planned(one, [content_fingerprint(file) for file in one.files], settings)

    return spark.createDataFrame(
        found.select("incident_json").rdd.map(fingerprint),
        "incident string, listing string, bytes bigint, label_service string, item string",
        verifySchema=False,
    )


def _planned(one: Incident, contents: list[str], settings: str) -> tuple[str, str, int, str, str]:
    key = incident_key(one, contents, settings)
    item = WorkItem(
        incident=key,
        environment=one.environment,
        service=one.service,
        host=one.host,
        window_start_ns=one.window_start_ns,
        bytes=one.bytes,
        files=one.files,
        contents=tuple(contents),
        listing=one.listing,
    )
    return key, one.listing, one.bytes, one.service, msgspec.json.encode(item).decode()

"""What is to be done, and what is known: by listing, by content, under which settings and limits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.facts import Expectation
from mqdiag.fleet.files.labels import Template
from mqdiag.fleet.files.listing import Listing
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.options import Limits
from mqdiag.fleet.tables.arrow import parquet
from mqdiag.fleet.tables.commit import CHUNK, _parts
from mqdiag.fleet.tables.layout import Layout, RunMark
from mqdiag.fleet.work.item import WorkItem
from mqdiag.fleet.work.plan import Plan, listed, plan, settings_hash
from mqdiag.fleet.work.task import limits_text
from mqdiag.fleet.work.todo import TodoList

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("fleet")

LIMITS = limits_text(Limits())


class Bench:
    """A folder of files and an output, planned again and again."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.root = folder / "in"
        self.layout = Layout(*storage(str(folder / "out")))
        for host, size in (("h1", 100), ("h2", 300), ("h3", 200)):
            self.write(host, b"x" * size)

    def write(self, host: str, data: bytes) -> Path:
        path = self.root / f"orders/{host}/20261121-080000.hprof"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def plan(self, settings: str = "s", limits: str = LIMITS) -> Plan:
        listing = Listing([str(self.root)], [Template("{service}/{host}/{time}.hprof")])
        pieces = listed(self.layout, "now", listing)
        return plan(self.spark, self.layout, pieces, window_s=600, settings=settings, limits=limits)

    def todo(self, **more: str) -> list[WorkItem]:
        return [msgspec.json.decode(row["item"], type=WorkItem) for row in self.plan(**more).todo.collect()]

    def hosts(self, **more: str) -> list[str]:
        return [item.host for item in self.todo(**more)]

    def keep(self, items: list[WorkItem], **more: Any) -> None:
        """As a run that has analysed these leaves them."""
        rows = [
            {
                "incident": item.incident,
                "host": item.host,
                "listing": item.listing,
                "settings": "s",
                "analysed_in": "r1",
                "again": False,
                **more,
            }
            for item in items
        ]
        path = f"{self.layout.partition('incidents', 'r1', 'orders')}/part-00000.parquet"
        self.layout.store.write(path, parquet("incidents", rows))
        mark = RunMark(
            run="r1",
            order=1,
            mqdiag="0",
            schema_version=1,
            started_at="",
            finished_at="",
            incidents=3,
            analysed=3,
            failed=0,
            bytes=1,
        )
        self.layout.mark(mark)


@pytest.fixture
def bench(spark: SparkSession, tmp_path: Path) -> Bench:
    return Bench(spark, tmp_path)


def test_the_largest_comes_first_and_a_limit_takes_those(bench: Bench, tmp_path: Path) -> None:
    planned = bench.plan()
    todo = TodoList(tmp_path)
    todo.fill(planned.todo, 2)
    assert [item.bytes for item in todo.items()] == [300, 200]
    assert todo.size() == (2, 500)
    assert [service for service, _ in todo.by_service()] == ["orders", "orders"]
    todo.close()


def test_what_is_there_is_known(bench: Bench) -> None:
    bench.keep(bench.todo())
    known = bench.plan().known.collect()
    assert bench.hosts() == []
    assert sorted(row["host"] for row in known) == ["h1", "h2", "h3"]
    # Touched, it is known by its content; changed at the same size, it is not.
    os.utime(bench.root / "orders/h1/20261121-080000.hprof", (1, 1))
    assert bench.hosts() == []
    bench.write("h2", b"y" * 300)
    bench.write("h4", b"z")
    assert bench.hosts() == ["h2", "h4"]


def test_the_same_content_on_another_host_is_another_incident(bench: Bench) -> None:
    bench.keep(bench.todo())
    bench.write("h9", b"x" * 100)
    assert bench.hosts() == ["h9"]


def test_other_settings_make_all_new(bench: Bench) -> None:
    bench.keep(bench.todo())
    assert len(bench.hosts(settings="t")) == 3
    plain, strict = Settings(), Settings(expectations=(Expectation(key="pullBatchSize", value=1),))
    assert settings_hash(plain) != settings_hash(strict)
    assert settings_hash(plain) == settings_hash(Settings(fail_on="never"))


def test_failures_are_tried_again_where_that_can_help(bench: Bench) -> None:
    items = bench.todo()
    bench.keep(items, again=True)
    assert len(bench.hosts()) == 3
    bench.keep(items, limits=LIMITS)
    assert bench.hosts() == []
    assert len(bench.hosts(limits="memory=1")) == 3


def test_a_run_without_its_mark_counts_for_nothing(bench: Bench) -> None:
    bench.keep(bench.todo())
    (Path(bench.layout.root) / "_runs/r1.json").unlink()
    assert len(bench.hosts()) == 3


def test_parts_hold_each_incident_once() -> None:
    done = [
        (service, f"{service}{place:05d}")
        for service, count in (("a", 2 * CHUNK + 1), ("b", 1))
        for place in range(count)
    ]
    parts = list(_parts(iter(done)))
    assert [(part.service, part.number, len(part.incidents)) for part in parts] == [
        ("a", 0, CHUNK),
        ("a", 1, CHUNK),
        ("a", 2, 1),
        ("b", 0, 1),
    ]
    assert [key for part in parts for key in part.incidents] == [key for _, key in done]

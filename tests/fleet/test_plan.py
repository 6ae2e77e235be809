"""What is to be done, and what is known: by listing, by content, under which settings and limits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow.parquet as pq
import pytest

from mqdiag.config import Settings
from mqdiag.errors import UsageError
from mqdiag.facts import Expectation
from mqdiag.fail_on import FailOn
from mqdiag.fleet.files.labels import Template
from mqdiag.fleet.files.listing import Listing
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.options import Limits
from mqdiag.fleet.tables.arrow import parquet
from mqdiag.fleet.tables.commit import CHUNK, _parts, publish, write_tables
from mqdiag.fleet.tables.earlier import rows_taken_over
from mqdiag.fleet.tables.layout import Layout, RunMark
from mqdiag.fleet.tables.schemas import SCHEMA_VERSION
from mqdiag.fleet.work.item import WorkItem
from mqdiag.fleet.work.plan import plan, settings_hash
from mqdiag.fleet.work.task import limits_text
from mqdiag.fleet.work.worklist import WorkList

if TYPE_CHECKING:
    from pyspark import SparkContext

pytestmark = pytest.mark.xdist_group("fleet")

LIMITS = limits_text(Limits())


class Bench:
    """A folder of files and an output, planned again and again."""

    def __init__(self, context: SparkContext, folder: Path) -> None:
        self.context = context
        self.root = folder / "in"
        self.layout = Layout(*storage(str(folder / "out")))
        for host, size in (("h1", 100), ("h2", 300), ("h3", 200)):
            self.write(host, b"x" * size)

    def write(self, host: str, data: bytes) -> Path:
        path = self.root / f"orders/{host}/20261121-080000.hprof"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    @contextmanager
    def plan(self, settings: str = "s", limits: str = LIMITS, again: bool = False) -> Iterator[WorkList]:
        listing = Listing([str(self.root)], [Template("{service}/{host}/{time}.hprof")])
        with TemporaryDirectory() as folder, closing(WorkList(Path(folder))) as work:
            plan(
                self.context,
                self.layout,
                listing,
                work,
                window_s=600,
                settings=settings,
                limits=limits,
                again=again,
            )
            yield work

    def todo(self, **more: Any) -> list[WorkItem]:
        with self.plan(**more) as work:
            return [msgspec.json.decode(item, type=WorkItem) for _, item in work.items()]

    def hosts(self, **more: Any) -> list[str]:
        return [item.host for item in self.todo(**more)]

    def keep(self, items: list[WorkItem], schema_version: int = SCHEMA_VERSION, **more: Any) -> None:
        """As a run that has analysed these leaves them."""
        rows = [
            {
                "incident": item.incident,
                "service": item.service,
                "host": item.host,
                "listing": item.listing,
                "settings": "s",
                "analysed_in": "r1",
                "again": False,
                **more,
            }
            for item in items
        ]
        path = f"{self.layout.partition('incidents', 'r1')}/part-00000.parquet"
        self.layout.store.write(path, parquet("incidents", rows))
        mark = RunMark(
            run="r1",
            order=1,
            mqdiag="0",
            schema_version=schema_version,
            started_at=datetime(2026, 11, 21, tzinfo=UTC),
            finished_at=datetime(2026, 11, 21, tzinfo=UTC),
            incidents=3,
            analysed=3,
            failed=0,
            bytes=1,
        )
        self.layout.mark(mark)


@pytest.fixture
def bench(context: SparkContext, tmp_path: Path) -> Bench:
    return Bench(context, tmp_path)


def test_the_largest_comes_first_and_a_limit_takes_those(bench: Bench) -> None:
    with bench.plan() as work:
        assert work.size() == (3, 600)
        work.keep_largest(2)
        assert [size for size, _ in work.items()] == [300, 200]
        assert work.size() == (2, 500)
        assert len([*work.in_order()]) == 2


def test_what_is_there_is_known(bench: Bench) -> None:
    items = bench.todo()
    bench.keep(items)
    keys = [item.incident for item in items]
    with bench.plan() as work:
        assert work.size() == (0, 0)
        assert work.known_count() == 3
        assert work.known_runs() == ["r1"]
        assert work.taken_from("r1", keys) == set(keys)
        assert work.taken_from("r2", keys) == set()
    # Touched, it is known by its content; changed at the same size, it is not.
    os.utime(bench.root / "orders/h1/20261121-080000.hprof", (1, 1))
    with bench.plan() as work:
        assert (work.size(), work.known_count()) == ((0, 0), 3)
    bench.write("h2", b"y" * 300)
    bench.write("h4", b"z")
    assert bench.hosts() == ["h2", "h4"]


def test_an_output_of_another_schema_is_refused(bench: Bench) -> None:
    """Its columns have other names or meanings, so rows of both would not fit together."""
    bench.keep(bench.todo(), schema_version=SCHEMA_VERSION - 1)
    with pytest.raises(UsageError, match="has tables of schema 1, this version writes schema 2"):
        bench.layout.runs()


def test_what_is_known_but_not_listed_is_not_of_the_run(bench: Bench) -> None:
    bench.keep(bench.todo())
    (bench.root / "orders/h2/20261121-080000.hprof").unlink()
    with bench.plan() as work:
        assert work.known_count() == 2


def test_the_same_file_twice_on_a_host_is_one_incident(bench: Bench) -> None:
    again = bench.root / "orders/h1/20261121-120000.hprof"
    again.write_bytes(b"x" * 100)
    assert bench.hosts() == ["h2", "h3", "h1"]


def test_rows_of_known_incidents_go_to_the_new_run(bench: Bench) -> None:
    """Those that are listed only, with every column as it was."""
    bench.keep(bench.todo(), worst="error", kinds=["heap"])
    (bench.root / "orders/h2/20261121-080000.hprof").unlink()
    with bench.plan() as work:
        known = rows_taken_over(bench.layout, work.known_runs(), work.taken_from)
        write_tables(bench.context, bench.layout, "r2", iter(()), known)
    publish(bench.layout, "r2")
    before, after = (
        pq.read_table(f"{bench.layout.partition('incidents', run)}", partitioning=None).to_pylist()
        for run in ("r1", "r2")
    )
    kept = [row for row in after if row["host"]]
    assert sorted(row["host"] for row in kept) == ["h1", "h3"]
    assert all(row in before for row in kept)


def test_again_takes_nothing_for_known(bench: Bench) -> None:
    bench.keep(bench.todo())
    assert bench.hosts() == []
    assert len(bench.hosts(again=True)) == 3


def test_the_same_content_on_another_host_is_another_incident(bench: Bench) -> None:
    bench.keep(bench.todo())
    bench.write("h9", b"x" * 100)
    assert bench.hosts() == ["h9"]


def test_other_settings_make_all_new(bench: Bench) -> None:
    bench.keep(bench.todo())
    assert len(bench.hosts(settings="t")) == 3
    plain, strict = Settings(), Settings(expectations=(Expectation(key="pullBatchSize", value=1),))
    assert settings_hash(plain) != settings_hash(strict)
    assert settings_hash(plain) == settings_hash(Settings(fail_on=FailOn(severity=None)))


def test_other_code_makes_all_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version stays the same for hundreds of changes."""
    before = settings_hash(Settings())
    monkeypatch.setattr("mqdiag.fleet.work.plan.tool_hash", lambda: "other")
    assert settings_hash(Settings()) != before


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
    """A part is of one day, as it lies in the folder of its day; part 0 is the empty one."""
    done = [("2026-11-20", f"{place:05d}") for place in range(2 * CHUNK + 1)] + [("unknown", "last")]
    parts = list(_parts(iter(done)))
    assert [(part.number, part.day, len(part.incidents)) for part in parts] == [
        (1, "2026-11-20", CHUNK),
        (2, "2026-11-20", CHUNK),
        (3, "2026-11-20", 1),
        (4, "unknown", 1),
    ]
    assert [(part.day, key) for part in parts for key in part.incidents] == done

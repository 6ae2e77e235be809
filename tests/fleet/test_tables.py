"""The tables as others read them, and the example queries of docs/fleet.md."""

from __future__ import annotations

import io
import pickle
import re
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pandas
import pyarrow.parquet as pq
import pytest

from mqdiag.diagnose.judge import unreadable
from mqdiag.errors import InputError, Lack
from mqdiag.findings import Report
from mqdiag.fleet.analysis.gather import lost_file
from mqdiag.fleet.tables import arrow
from mqdiag.fleet.tables.arrow import file_schema, full_schema, parquet
from mqdiag.fleet.tables.schemas import ALL_TABLES, SCHEMA_VERSION
from mqdiag.fleet.views.script import views_script
from mqdiag.fleet.work.rows import failure_row, report_rows
from mqdiag.language import english
from mqdiag.text import say
from tests.fleet.conftest import Night

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.xdist_group("fleet")]

PAGE = Path(__file__).parents[2] / "docs/fleet.md"
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)


def _asked(out: Path, *changed: tuple[str, str]) -> list[list[tuple[object, ...]]]:
    """The answers to all queries of the page."""
    base = duckdb.connect()
    answers = []
    for text in (views_script(str(out), "duckdb"), *QUERIES):
        for old, new in changed:
            text = text.replace(old, new)
        answers.append(base.execute(text).fetchall())
    return answers[1:]


def test_every_query_of_the_page_tells_the_truth(night: Night) -> None:
    """The views are put onto the first run, as other tests add a second one to the same output."""
    first_run = ("max_by(run, run_number)", "min_by(run, run_number)")
    # No consumer of this fleet could fill more than a twelfth of its heap.
    found = _asked(night.root / "out", first_run, ("bound_share_most > 0.6", "bound_share_most > 0.05"))
    assert all(found), "each has an answer"
    state, _, over, drift, causes, failures, _ = found
    hosts = {row[1] for row in state if row[3] == "offset-stuck-at-head"}
    assert hosts == {"p1", "p2", "p3"}
    assert [row[2] for row in state] == sorted(
        (row[2] for row in state), key=["error", "warning", "info"].index
    )
    assert all(row[4] > 0 for row in over)
    # vipChannelEnabled differs too, but with the version: its default has changed.
    assert [(row[1], row[2], row[3]) for row in drift] == [
        ("client_version", "4.9.8", 2),
        ("client_version", "4.3.2", 1),
    ]
    assert {row[0]: row[1:] for row in causes}["offset-stuck-at-head"] == ("stuck-message", 1, 3)
    assert {row[1] for row in failures} >= {"empty", "text", "sparse"}


def test_pandas_and_spark_read_the_same(night: Night, spark: SparkSession) -> None:
    for table in ALL_TABLES:
        folder = night.root / "out" / table
        frame = pandas.read_parquet(folder)
        assert set(frame.columns) == set(full_schema(table).names)
        read = spark.read.parquet(f"file://{folder}")
        assert set(read.columns) == set(frame.columns)
        assert read.count() == len(frame)


def test_every_file_has_its_schema_and_version(night: Night) -> None:
    for table in ALL_TABLES:
        files = list((night.root / "out" / table).rglob("*.parquet"))
        assert files
        for file in files:
            schema = pq.read_schema(file)
            assert schema.equals(file_schema(table))
            assert schema.metadata[b"mqdiag.schema_version"] == str(SCHEMA_VERSION).encode()


@pytest.mark.parametrize("service", ["001", "a/b", "a=b", "日志", "..", "null"])
def test_services_of_any_name_are_read_back_as_text(tmp_path: Path, spark: SparkSession, service: str) -> None:
    """In a folder's name, readers take 001 for the number 1."""
    folder = tmp_path / "t" / "run=r1" / "day=2026-11-21"
    folder.mkdir(parents=True)
    (folder / "part.parquet").write_bytes(parquet("failures", [{"service": service}]))
    assert list(pandas.read_parquet(tmp_path / "t")["service"]) == [service]
    assert duckdb.sql(f"SELECT service FROM '{tmp_path}/t/**/*.parquet'").fetchall() == [(service,)]
    assert spark.read.parquet(f"file://{tmp_path}/t").select("service").first()[0] == service


def test_long_rows_are_not_read_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader decodes a whole group of rows."""
    monkeypatch.setattr(arrow, "GROUP_BYTES", 1 << 16)
    long, short = (
        pq.ParquetFile(
            io.BytesIO(parquet("findings", [{"incident": str(n), "document": text} for n in range(400)]))
        )
        for text in ("x" * 1_000, "x")
    )
    assert long.num_row_groups > 5
    assert short.num_row_groups < long.num_row_groups
    assert sum(long.metadata.row_group(group).num_rows for group in range(long.num_row_groups)) == 400


def test_numbers_that_no_column_holds_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(parquet("failures", [{"bytes": 1 << 70}, {"bytes": 7}]))
    assert pq.read_table(tmp_path / "x.parquet")["bytes"].to_pylist() == [None, 7]


@pytest.mark.parametrize(
    ("lack", "kind"),
    [(None, "unreadable"), ("memory", "memory"), ("no-room", "no-room"), ("too-large", "too-large")],
)
def test_the_kind_of_a_loss_is_what_was_lacking_whatever_the_words_say(lack: Lack | None, kind: str) -> None:
    error = InputError("any", say("{text}", text="TMPDIR --max-input more memory"), lack=lack)
    again = pickle.loads(pickle.dumps(error.of("a.hprof")))
    given = unreadable("a.hprof", "heap", again)
    (row,) = report_rows(Report(mqdiag="1", inputs=(given,)), classes=1)["failures"]
    assert row["kind"] == kind


def test_a_reason_comes_back_from_the_table_in_the_readers_language() -> None:
    reason = say("needs {size:bytes} of scratch space, {free:bytes} are free", size=2 << 30, free=1 << 20)
    row = failure_row("/in/1.hprof", "no-room", reason, 7)
    assert row["reason"] == "needs 2,048 MiB of scratch space, 1 MiB are free"
    place = {"service": "orders", "host": "h1", "environment": ""}
    assert lost_file({**row, **place}).reason == reason
    of_an_older_run = lost_file({**row, **place, "document": None}).reason
    assert english()(of_an_older_run) == row["reason"]

"""The views of `mqdiag fleet views`, on outputs of rows in DuckDB; Spark answers the same at night."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest

from mqdiag.cli import run
from mqdiag.fleet.tables.compact import compact
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.schemas import ALL_TABLES
from mqdiag.fleet.views import script
from mqdiag.fleet.views.script import VIEWS, told_views, view_select, views_script
from tests.fleet.dashboard import answers
from tests.fleet.made_output import Analysed, Row, at, finding, write_output
from tests.layers import CHECK, NIGHTLY, one_in_each_run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def layout(output: Layout) -> Layout:
    """An empty output."""
    return output


def asked(layout: Layout, query: str) -> list[Row]:
    """The rows that DuckDB answers."""
    return rows_of(connected(layout), query)


def connected(layout: Layout) -> duckdb.DuckDBPyConnection:
    """A connection with the views of an output."""
    return _with_views(views_script(layout.root, "duckdb"))


@functools.lru_cache(maxsize=1)
def _with_views(script: str) -> duckdb.DuckDBPyConnection:
    """The views read their files at each question; for a few rows one thread is quicker than many."""
    base = duckdb.connect(config={"threads": 1, "enable_external_file_cache": False})
    base.execute(script)
    return base


def rows_of(base: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    """All rows of an answer."""
    rows: list[Row] = base.sql(query).to_arrow_table().to_pylist()
    return rows


def ill(incident: str, day: int, host: str = "h1", hour: int = 8, **more: Any) -> Analysed:
    """An incident that shows the fault of rule r."""
    found = (finding("r", consumer_group="g"),)
    return Analysed(
        incident=incident, host=host, window_start=at(day, hour), checked=("r",), findings=found, **more
    )


def healthy(incident: str, day: int, host: str = "h1", **more: Any) -> Analysed:
    """An incident that could show the fault and does not."""
    return Analysed(incident=incident, host=host, window_start=at(day), checked=("r",), **more)


@CHECK
def test_a_fault_is_open_until_later_evidence_refutes_it(layout: Layout) -> None:
    first = write_output(layout, "r1", [ill("a", 2), ill("b", 3), ill("x", 2, "h2")])
    assert [(row["host"], row["incident"]) for row in asked(layout, "FROM open_findings ORDER BY ALL")] == [
        ("h1", "b"),
        ("h2", "x"),
    ]
    assert asked(layout, "FROM recovered") == []
    write_output(layout, "r2", [healthy("c", 4)], first)
    (found,) = asked(layout, "FROM open_findings")
    assert found["host"] == "h2"
    (gone,) = asked(layout, "FROM recovered")
    assert (gone["host"], gone["first_seen"], gone["last_seen"], gone["recovered_at"]) == (
        "h1",
        at(2),
        at(3),
        at(4),
    )
    assert gone["age_hours"] == 24
    (state,) = asked(layout, "FROM current_state")
    assert (state["hosts"], state["incidents"], state["errors"], state["latest_evidence"]) == (2, 4, 1, at(4))


def test_evidence_that_is_no_longer_listed_is_history_and_no_state(layout: Layout) -> None:
    write_output(layout, "r1", [ill("a", 2)])
    write_output(layout, "r2", [ill("b", 5)])
    (found,) = asked(layout, "FROM open_findings")
    assert (found["incident"], found["first_seen"], found["open_since"]) == ("b", at(2), at(2))
    assert (found["age_hours"], found["flapping"]) == (72, False)


@CHECK
def test_a_fault_that_comes_and_goes_flaps(layout: Layout) -> None:
    days = [ill("a", 1), healthy("b", 2), ill("c", 3), healthy("d", 4), ill("e", 5), ill("f", 6)]
    write_output(layout, "r1", days)
    (found,) = asked(layout, "FROM open_findings")
    assert (found["times_returned"], found["flapping"], found["open_since"], found["age_hours"]) == (
        2,
        True,
        at(5),
        24,
    )
    write_output(layout, "r2", days[:4])
    (gone,) = asked(layout, "FROM fault_times")
    assert gone["times_returned"] == 2, "runs do not count, evidence does"


def analysed_again(incident: str, evidence: str | None = None, **more: Any) -> Analysed:
    """The fault in evidence that another incident key had before: another version, other settings, --redact."""
    return ill(incident, 2, more={"evidence": evidence or "e-a", "listing": "l-a", **more})


@one_in_each_run(3)
@pytest.mark.parametrize(
    "second",
    [
        pytest.param(analysed_again("a2"), id="analysed again"),
        pytest.param(analysed_again("a2", settings="redacted"), id="redacted"),
        pytest.param(analysed_again("a2", listing="elsewhere"), id="moved and analysed again"),
    ],
)
def test_evidence_counts_once(layout: Layout, second: Analysed) -> None:
    write_output(layout, "r1", [ill("a", 2)])
    write_output(layout, "r2", [second])
    assert [row["incident"] for row in asked(layout, "FROM evidence_history")] == ["a2"]
    (found,) = asked(layout, "FROM open_findings")
    assert (found["incident"], found["first_seen"], found["times_returned"]) == ("a2", at(2), 0)
    (week,) = asked(layout, "FROM trend")
    assert (week["incidents"], week["errors"], week["new_faults"]) == (1, 1, 1)


@CHECK
def test_moved_evidence_counts_once(layout: Layout) -> None:
    """It keeps its key, so its row is taken over."""
    first = write_output(layout, "r1", [ill("a", 2)])
    write_output(layout, "r2", [], [{**row, "listing": "elsewhere"} for row in first])
    assert len(asked(layout, "FROM evidence_history")) == 1
    assert len(asked(layout, "FROM open_findings")) == 1


def test_evidence_of_a_version_without_its_column_counts_once(layout: Layout) -> None:
    write_output(layout, "r1", [ill("a", 2, more={"evidence": None})])
    write_output(layout, "r2", [analysed_again("a2")])
    assert [row["incident"] for row in asked(layout, "FROM evidence_history")] == ["a2"]


@CHECK
def test_an_analysis_that_corrects_another_makes_no_recovery(layout: Layout) -> None:
    """The fault of the first analysis was never there: a newer rule knows better about the same evidence."""
    write_output(layout, "r1", [ill("a", 2)])
    write_output(layout, "r2", [healthy("a2", 2, more={"evidence": "e-a"})])
    assert asked(layout, "FROM open_findings") == []
    assert asked(layout, "FROM recovered") == []


def test_evidence_of_unknown_time_neither_refutes_nor_dates(layout: Layout) -> None:
    timeless = Analysed(
        incident="n", host="h1", window_start=None, checked=("r",), findings=(finding("r", consumer_group="g"),)
    )
    write_output(layout, "r1", [timeless, healthy("c", 4)])
    (found,) = asked(layout, "FROM open_findings")
    assert (found["incident"], found["first_seen"]) == ("n", None)
    assert asked(layout, "FROM recovered") == []


@CHECK
def test_an_incident_that_grows_replaces_its_earlier_self(layout: Layout) -> None:
    """Its first file alone showed nothing; with those that came later it shows that the fault never went away."""
    write_output(layout, "r1", [ill("a", 2), healthy("b", 3, more={"heads": ["h1"]})])
    again = [ill("a", 2), ill("b2", 3, more={"heads": ["h1", "h2", "h3"]})]
    write_output(layout, "r2", again)
    assert [row["incident"] for row in asked(layout, "FROM evidence_history ORDER BY incident")] == ["a", "b2"]
    (found,) = asked(layout, "FROM open_findings")
    assert (found["times_returned"], found["flapping"], found["age_hours"]) == (0, False, 24)


def test_a_file_that_grows_for_days_is_evidence_of_each_day(layout: Layout) -> None:
    write_output(layout, "r1", [ill("a", 2, more={"heads": ["h1"]})])
    write_output(layout, "r2", [ill("b", 3, more={"heads": ["h1"]})])
    (found,) = asked(layout, "FROM open_findings")
    assert found["age_hours"] == 24


@CHECK
def test_trend_by_week(layout: Layout) -> None:
    # The 2nd and the 9th of November 2026 are Mondays.
    write_output(layout, "r1", [ill("a", 2), ill("b", 8, hour=23), healthy("c", 9), ill("x", 3, "h2")])
    weeks = asked(layout, "SELECT * REPLACE (week::VARCHAR AS week) FROM trend ORDER BY week")
    assert [
        (row["week"], row["hosts"], row["incidents"], row["errors"], row["new_faults"], row["recovered_faults"])
        for row in weeks
    ] == [("2026-11-02", 2, 3, 3, 2, 0), ("2026-11-09", 1, 1, 0, 0, 1)]


def consumer(**more: Any) -> Row:
    """Columns of a consumer."""
    settings = {"pullThresholdForQueue": "1000", **more.pop("settings", {})}
    return {
        "consumer_group": "g",
        "client_version": "4.9.8",
        "settings": settings,
        "subscriptions": ["t"],
        **more,
    }


def test_drift_and_capacity_of_the_latest_dumps(layout: Layout) -> None:
    def host(name: str, day: int = 2, **more: Any) -> Analysed:
        return Analysed(
            incident=f"{name}{day}",
            host=name,
            window_start=at(day),
            consumers=(consumer(**more), consumer(**more)),
        )

    heap = {"heap_bytes": 1 << 30, "bound_bytes": 300 << 20}
    write_output(
        layout,
        "r1",
        [
            host("h1", **heap),
            host("h2", 1, settings={"pullThresholdForQueue": "7"}),  # an older dump of the host
            host("h2", heap_bytes=1 << 29, bound_bytes=300 << 20),
            host("h3", settings={"pullThresholdForQueue": "10"}),
        ],
    )
    assert [(row["key"], row["value"], row["hosts"]) for row in asked(layout, "FROM drift ORDER BY value")] == [
        ("pullThresholdForQueue", "10", ["orders/h3"]),
        ("pullThresholdForQueue", "1000", ["orders/h1", "orders/h2"]),
    ]
    (group,) = asked(layout, "FROM capacity")
    assert (group["instances"], group["over_heap"]) == (3, 1)
    assert group["headroom_bytes_least"] == (512 - 600) << 20
    assert group["bound_share_most"] == pytest.approx(600 / 512)


@CHECK
def test_views_say_the_same_after_a_compaction(layout: Layout) -> None:
    first = write_output(layout, "r1", [ill("a", 1), ill("x", 2, "h2")])
    write_output(layout, "r2", [healthy("b", 2), ill("c", 3)], first)
    views = [name for name in VIEWS if not name.startswith("current_") and name != "evidence_history"]

    def answers() -> dict[str, list[str]]:
        base = connected(layout)
        told = {name: rows_of(base, f"FROM {name}") for name in views}
        # `run` is the partition, which a compaction replaces.
        return {
            name: sorted(str({**row, "run": None, "analysed_in": None}) for row in rows)
            for name, rows in told.items()
        }

    before = answers()
    compact(layout)
    assert answers() == before
    assert before["open_findings"]


def test_the_command_prints_the_script(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    write_output(layout, "r1", [ill("a", 2)])
    assert run(["fleet", "views", layout.root]) == 0
    assert capsys.readouterr().out == views_script(layout.root, "duckdb")
    assert run(["fleet", "views", "s3a://bucket/it's", "--engine", "spark"]) == 0
    assert "OPTIONS (path 's3a://bucket/it\\'s/findings')" in capsys.readouterr().out


def test_every_file_is_a_view_and_every_view_says_what_it_is() -> None:
    folder = Path(script.__file__).parent
    assert {path.stem for path in folder.glob("*.sql")} | {"gone_history"} == set(VIEWS)
    assert not set(VIEWS) & set(ALL_TABLES)
    for name in VIEWS:
        assert view_select(name).startswith("-- ")
        assert ";\n" not in view_select(name), "there a reader of the script cuts it"


def _spark_rows(spark: SparkSession, layout: Layout) -> Callable[[str], list[str]]:
    for statement in views_script(layout.root, "spark").split(";\n"):
        if statement.strip():
            spark.sql(statement)
    return lambda name: sorted(str(row.asDict(recursive=True)) for row in spark.table(name).collect())


@NIGHTLY
@pytest.mark.xdist_group("fleet")
def test_spark_answers_the_same(layout: Layout, spark: SparkSession) -> None:
    lost = ({"path": "/in/z", "kind": "unreadable", "reason": "is empty"},)
    first = write_output(
        layout,
        "r1",
        [
            ill("a", 1),
            healthy("b", 2),
            ill("x", 2, "h2", consumers=(consumer(heap_bytes=9, bound_bytes=6),), failures=lost),
            ill("z", 1, "h4"),
            healthy("z2", 9, "h4"),
            ill("p", 1, "shop-7d4b9c6f5d-x2x7k"),
            ill("q", 9, "shop-6c9fd5b7bz-x2x7k"),
        ],
    )
    others = (consumer(client_version="5.1", settings={"pullThresholdForQueue": "7"}),)
    write_output(layout, "r2", [ill("c", 3), ill("y", 2, "h3", consumers=others)], first)
    session = spark.newSession()
    rows = _spark_rows(session, layout)
    for name in VIEWS:
        columns = [
            column for column, kind in session.table(name).dtypes if not kind.startswith(("timestamp", "map"))
        ]
        session.table(name).select(*columns).createOrReplaceTempView(f"plain_{name}")
        listed = ", ".join(columns)
        found = sorted(str(row) for row in asked(layout, f"SELECT {listed} FROM {name}"))
        assert rows(f"plain_{name}") == found, name
        assert found, name


@CHECK
def test_views_are_what_their_columns_say(layout: Layout) -> None:
    """Names and order of the columns, keys without doubles, no unknown where none may be."""
    first = write_output(
        layout,
        "r1",
        [
            ill("a", 1, more={"labels": {"build": "7"}}),
            healthy("b", 2),
            ill("x", 2, "h2", consumers=(consumer(heap_bytes=9, bound_bytes=6),)),
            ill("p", 1, "shop-7d4b9c6f5d-x2x7k"),
            ill("q", 9, "shop-6c9fd5b7bz-x2x7k"),
            ill("u", 1, "h5"),
            healthy("v", 3, "h5"),
        ],
    )
    others = (consumer(client_version="5.1", settings={"pullThresholdForQueue": "7"}),)
    write_output(layout, "r2", [ill("c", 4), ill("y", 2, "h3", consumers=others)], first)
    base = connected(layout)
    for name, view in told_views().items():
        columns = base.sql(f"FROM {name}").columns
        if view.like:
            columns = columns[-len(view.columns) :]
        assert columns == list(view.columns), name
        rows = rows_of(base, f"FROM {name}")
        assert rows, name
        for column in view.not_null:
            assert all(row[column] is not None for row in rows), (name, column)
        if view.unique:
            keys = [tuple(row[column] for column in view.unique) for row in rows]
            assert len(set(keys)) == len(keys), name
        for column, values in view.values.items():
            assert {str(row[column]) for row in rows} <= set(values), (name, column)


def test_the_sql_has_the_comments_of_columns(layout: Layout) -> None:
    write_output(layout, "r1", [ill("a", 2)])
    query = "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'freshness'"
    assert connected(layout).sql(query).fetchall() == list(told_views()["freshness"].columns.items())
    (file, *_) = layout.files("findings", {"r1"})
    schema = pq.read_schema(file.path)
    assert schema.field("rule").metadata == {b"comment": b"the rule's name"}


@CHECK
def test_how_long_repairs_take_and_how_fresh_a_service_is(layout: Layout) -> None:
    days = [ill("a", 1, more={"labels": {"build": "7"}}), healthy("b", 2), ill("c", 3), healthy("d", 6)]
    late = [ill("z", 9, "h2", more={"revision": "8"}), ill("w", 12, "h2", service="other")]
    write_output(layout, "r1", [*days, *late])
    base = connected(layout)
    repairs = rows_of(base, "FROM repair_times ORDER BY service")
    assert [
        (row["repaired"], row["mean_hours"], row["longest_hours"], row["still_there"]) for row in repairs
    ] == [
        (2, 48, 72, 1),
        (0, None, None, 1),
    ]
    (fresh,) = rows_of(base, "FROM freshness WHERE service = 'orders'")
    assert (fresh["days_with_evidence"], fresh["usual_days"], fresh["silent_days"]) == (5, 2, 3)
    builds = rows_of(base, "SELECT host, first_build FROM fault_times WHERE service = 'orders' ORDER BY host")
    assert [row["first_build"] for row in builds] == ["7", "8"]


def test_the_state_of_a_service_is_that_of_its_workloads(layout: Layout) -> None:
    pods = [
        ill(f"p{host}", 2, f"shop-7d4b9c6f5d-x2x7{host}", more={"workload": "shop", "replica": "shop"})
        for host in "kl"
    ]
    lost = ({"path": "/in/x", "kind": "unreadable", "reason": "is empty"},)
    write_output(layout, "r1", [*pods, healthy("v", 3, "vm", failures=lost)])
    found = asked(
        layout, "SELECT workload, hosts, incidents, lost, errors, rules FROM workload_state ORDER BY 1"
    )
    assert [tuple(row.values()) for row in found] == [
        ("shop", 2, 2, 0, 2, ["r"]),
        ("vm", 1, 1, 1, 0, None),
    ]
    (state,) = asked(layout, "FROM current_state")
    assert (state["hosts"], state["incidents"], state["lost"], state["errors"]) == (3, 3, 1, 2)


@CHECK
def test_the_dashboard_asks_what_there_is(layout: Layout) -> None:
    """The tables of comparisons are empty here; the planted fleet has them all."""
    first = write_output(layout, "r1", [ill("a", 1), ill("x", 2, "h2", consumers=(consumer(heap_bytes=9),))])
    write_output(layout, "r2", [healthy("b", 2)], first)
    found = answers(connected(layout))
    assert found["Open errors"].to_pylist() == [{"errors": 1}]
    assert [row["host"] for row in found["Open faults, the worst first"].to_pylist()] == ["h2"]
    assert len(found["Time of a run"]) == 2

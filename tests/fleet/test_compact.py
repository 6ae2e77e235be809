"""Compaction and retention: each row once at every moment, whatever is killed."""

from __future__ import annotations

import shutil
import tarfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from mqdiag.cli import run
from mqdiag.fleet.files.storage import Storage, storage
from mqdiag.fleet.tables import compact as compaction
from mqdiag.fleet.tables.arrow import file_schema
from mqdiag.fleet.tables.compact import Keep, compact
from mqdiag.fleet.tables.earlier import known_incidents, rows_taken_over
from mqdiag.fleet.tables.layout import Layout, day_in
from mqdiag.fleet.tables.schemas import BY_DAY, UNKNOWN_DAY
from tests.fleet.made_output import Analysed, at, finding, write_output
from tests.layers import CHECK, NIGHTLY, one_in_each_run

OLD_OUTPUT = Path(__file__).parent / "data" / "output_without_days.tar.xz"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """Three nights: an incident of unknown time, one that is tried again, one that is gone from the last listing."""
    made = Layout(*storage(str(tmp_path / "out")))
    first = write_output(
        made,
        "first",
        [
            Analysed(incident="a", host="h2", window_start=at(19), findings=(finding("old"),)),
            Analysed(incident="b", host="h1", window_start=at(19), service="alpha", findings=(finding("b"),)),
            Analysed(
                incident="t", host="h3", window_start=at(20), findings=(finding("half"),), more={"again": True}
            ),
            Analysed(incident="n", host="h4", window_start=None, findings=(finding("timeless"),)),
        ],
    )
    a, b, _, n = first
    second = write_output(
        made,
        "second",
        [
            Analysed(
                incident="t", host="h3", window_start=at(20), findings=(finding("whole"), finding("more"))
            ),
            Analysed(incident="c", host="h2", window_start=at(21)),
        ],
        [a, b, n],
    )
    write_output(made, "third", [], [b, n, *second])
    return made


def _seen(layout: Layout) -> dict[str, list[tuple[str, str]]]:
    """What each run says: its incidents and their findings, as the views join them."""
    found: dict[str, list[tuple[str, str]]] = {}
    for mark in layout.runs():
        for file in layout.files("incidents", {mark.run}):
            for row in _rows(file.path):
                titles = [
                    one["title"]
                    for part in layout.files("findings", {row["analysed_in"]})
                    for one in _rows(part.path)
                    if one["incident"] == row["incident"]
                ]
                found.setdefault(mark.run, []).extend((row["incident"], title) for title in titles or [""])
    return {name: sorted(pairs) for name, pairs in found.items()}


def _rows(path: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.ParquetFile(path).read().to_pylist()
    return rows


def _partitions(layout: Layout) -> set[str]:
    return set[str]().union(*(layout.partitions_of(table) for table in BY_DAY))


AFTER = {
    # The first try of t was repeated: its rows go, the second has them.
    "first": [("a", "old"), ("b", "b"), ("n", "timeless"), ("t", "")],
    "second": [("a", "old"), ("b", "b"), ("c", ""), ("n", "timeless"), ("t", "more"), ("t", "whole")],
    "third": [("b", "b"), ("c", ""), ("n", "timeless"), ("t", "more"), ("t", "whole")],
}


def test_all_runs_say_the_same_from_one_partition(layout: Layout) -> None:
    before = _seen(layout)
    done = compact(layout)
    assert (done.runs_kept, done.runs_removed) == (3, 0)
    assert done.files_after < done.files_before
    assert _seen(layout) == AFTER
    assert {name: AFTER[name] for name in ("second", "third")} == {
        name: before[name] for name in ("second", "third")
    }
    (partition,) = _partitions(layout)
    assert layout.compactions() == {partition}
    days = {day_in(file.path) for file in layout.files("findings", {partition})}
    assert days == {"2026-11-19", "2026-11-20", UNKNOWN_DAY}
    (of_day,) = [file for file in layout.files("findings", {partition}) if day_in(file.path) == "2026-11-19"]
    assert [row["service"] for row in _rows(of_day.path)] == ["alpha", "orders"], (
        "rows of a service lie together"
    )
    for table in BY_DAY:
        for file in layout.files(table, {partition}):
            schema = pq.read_schema(file.path)
            assert schema.equals(file_schema(table))
            assert schema.metadata == file_schema(table).metadata


@CHECK
def test_a_second_compaction_has_nothing_to_do(layout: Layout) -> None:
    compact(layout)
    partitions = _partitions(layout)
    done = compact(layout)
    assert _partitions(layout) == partitions
    assert done.files_before == done.files_after


def test_rows_that_are_taken_over_have_the_form_of_a_file(layout: Layout) -> None:
    (rows,) = rows_taken_over(layout, ["third"], lambda run, incidents: {"b"} & set(incidents))
    assert rows.schema.equals(file_schema("incidents"), check_metadata=True)
    assert rows["analysed_in"].to_pylist() == ["first"]


@CHECK
def test_what_was_known_is_known(layout: Layout) -> None:
    def known() -> set[str]:
        return {incident for incident, _, _ in known_incidents(layout, layout.runs(), settings="s", limits="")}

    before = known()
    compact(layout)
    assert known() == before == {"a", "b", "c", "n", "t"}


@one_in_each_run(4)
@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        (Keep(runs=1), ["third"]),
        (Keep(runs=2), ["second", "third"]),
        (Keep(runs=9), ["first", "second", "third"]),
        (Keep(age=timedelta(seconds=1)), ["third"]),  # the latest stays, however old it is
    ],
)
def test_runs_that_are_not_kept_go_with_the_rows_that_only_they_have(
    layout: Layout, keep: Keep, kept: list[str]
) -> None:
    compact(layout, keep)
    assert _seen(layout) == {name: AFTER[name] for name in kept}
    inputs = {
        row["incident"] for file in layout.files("inputs", _partitions(layout)) for row in _rows(file.path)
    }
    assert ("a" in inputs) == (len(kept) > 1)
    assert layout.partitions_of("runs") == layout.partitions_of("incidents") == set(kept)


def test_age_counts_from_the_end_of_a_run(layout: Layout) -> None:
    marks = layout.runs()
    kept = Keep(age=timedelta(hours=2)).of(marks, at(22, 4))
    assert [mark.run for mark in kept] == ["second", "third"]


class _Killed(BaseException):
    """The process is gone."""


class _MortalStorage(Storage):
    """A file system whose user is killed before one of its changes."""

    left = 0

    def _change(self) -> None:
        if not _MortalStorage.left:
            raise _Killed
        _MortalStorage.left -= 1

    def write(self, path: str, data: bytes, *, durable: bool = True) -> None:
        self._change()
        super().write(path, data, durable=False)

    def remove_folder(self, path: str) -> None:
        if self.is_folder(path):
            self._change()
        super().remove_folder(path)

    def remove_file(self, path: str) -> None:
        self._change()
        super().remove_file(path)


@pytest.mark.parametrize("step", [pytest.param(1, marks=NIGHTLY), pytest.param(11, marks=CHECK)])
def test_a_kill_at_any_change_loses_and_doubles_nothing(layout: Layout, tmp_path: Path, step: int) -> None:
    allowed = {name: (before, AFTER[name]) for name, before in _seen(layout).items()}
    changes = 0
    while True:
        copy = tmp_path / f"copy{changes}"
        shutil.copytree(layout.root, copy)
        mortal = Layout(_MortalStorage(layout.store.system, ""), str(copy))
        _MortalStorage.left = changes
        try:
            compact(mortal, Keep(runs=2))
        except _Killed:
            pass
        else:
            break
        after_kill = Layout(layout.store, str(copy))
        seen = _seen(after_kill)
        assert set(seen) >= {"second", "third"}
        for name, pairs in seen.items():
            if name == "first" and (copy / "_runs/first.json").exists():
                assert pairs in allowed[name]
            elif name != "first":
                assert pairs == AFTER[name], f"after {changes} changes"
        _MortalStorage.left = 1000
        compact(mortal, Keep(runs=2))
        assert _seen(after_kill) == {name: AFTER[name] for name in ("second", "third")}
        assert len(_partitions(after_kill)) == 1
        shutil.rmtree(copy)
        changes += step
    assert changes > 20


@CHECK
def test_a_compaction_without_its_mark_is_removed_by_the_next(layout: Layout) -> None:
    compact(layout)
    (partition,) = _partitions(layout)
    write_output(layout, "fourth", [Analysed(incident="d", host="h9", window_start=at(22))])
    (Path(layout.root) / "findings/run=half/day=2026-11-01").mkdir(parents=True)
    compact(layout)
    assert "half" not in _partitions(layout)
    assert partition not in _partitions(layout)


@CHECK
def test_large_days_become_several_files(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "ROWS_BYTES", 1)
    compact(layout)
    assert _seen(layout) == AFTER


def test_rows_are_of_the_run_in_the_path_of_their_table(tmp_path: Path) -> None:
    """Whatever a folder above the output is called."""
    layout = Layout(*storage(str(tmp_path / "run=x" / "day=y" / "out")))
    write_output(layout, "first", [Analysed(incident="a", host="h", window_start=at(19))])
    assert layout.rows("inputs", {"first"}).to_table(["run", "day"]).to_pylist() == [
        {"run": "first", "day": "2026-11-19"}
    ]


def test_an_output_of_an_earlier_version_gets_folders_of_days(tmp_path: Path) -> None:
    """Made by the version before these folders."""
    with tarfile.open(OLD_OUTPUT) as archive:
        archive.extractall(tmp_path, filter="data")
    layout = Layout(*storage(str(tmp_path / "out")))
    assert layout.is_without_days()
    before = _seen(layout)
    assert run(["fleet", "compact", str(tmp_path / "out")]) == 0
    assert not layout.is_without_days()
    assert _seen(layout) == before
    files = f"read_parquet('{tmp_path}/out/inputs/**/*.parquet', hive_types = {{day: VARCHAR}})"
    found = duckdb.sql(f"SELECT DISTINCT day, host FROM {files} ORDER BY ALL").fetchall()
    assert found == [
        ("2026-11-19", "s1"),
        ("2026-11-20", "b1"),
        ("2026-11-21", "p1"),
        ("2026-11-21", "p2"),
    ]


@one_in_each_run(3)
@pytest.mark.parametrize("keep", ["0", "soon", "-3"])
def test_a_wrong_keep_is_refused(layout: Layout, keep: str) -> None:
    before = _seen(layout)
    assert run(["fleet", "compact", layout.root, f"--keep={keep}"]) == 2
    assert _seen(layout) == before


def test_a_run_at_work_keeps_a_compaction_out(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    from mqdiag.fleet.tables.lock import output_lock

    with output_lock(layout):
        assert run(["fleet", "compact", layout.root]) == 2
    assert "another run is at work" in capsys.readouterr().err


def test_the_days_of_a_table_are_text_to_whom_reads_its_files_alone(tmp_path: Path) -> None:
    """An engine takes the names of folders for dates where all of them are some, until an `unknown` comes."""
    layout = Layout(*storage(str(tmp_path / "out")))
    write_output(
        layout, "r1", [Analysed(incident="a", host="h1", window_start=at(19), findings=(finding("r"),))]
    )
    compact(layout)
    places = f"{layout.folder('findings')}/**/*.parquet"
    ((day, kind),) = duckdb.sql(
        f"SELECT day, typeof(day) FROM read_parquet('{places}', hive_partitioning = true)"
    ).fetchall()
    assert (day, kind) == ("2026-11-19", "VARCHAR")

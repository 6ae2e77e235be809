"""The history of each run: plan and views need no other run's `incidents`, and say the same as all of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.commit import clean_up, remove_replaced
from mqdiag.fleet.tables.compact import Keep, compact
from mqdiag.fleet.tables.earlier import known_incidents, write_history
from mqdiag.fleet.tables.layout import Layout
from tests.fleet.made_output import Analysed, Row, at, finding, write_output
from tests.fleet.test_views import asked, healthy, ill
from tests.layers import CHECK

FAULTS = "SELECT * EXCLUDE (run, analysed_in) FROM evidence_history ORDER BY incident"


@pytest.fixture
def layout(output: Layout) -> Layout:
    """Four runs: one incident is tried again, one is analysed anew, one is no longer listed."""
    made = output
    tried = ill("t", 2, "h2", more={"again": True, "limits": "small"})
    first = write_output(made, "r1", [ill("a", 2), tried, ill("gone", 3, "h3")], ended=at(5, 2))
    second = write_output(made, "r2", [ill("t", 2, "h2", more={"limits": "large"})], [first[0]], ended=at(5, 3))
    write_output(
        made, "r3", [healthy("a2", 2, more={"evidence": "e-a", "settings": "new"})], second, ended=at(6, 2)
    )
    write_output(made, "r4", [healthy("b", 7)], second, ended=at(7, 2))
    write_history(made, "r4", made.runs()[:-1])
    remove_replaced(made, "r4")
    return made


def _known(layout: Layout, settings: str = "s", limits: str = "large") -> list[tuple[str, str, str]]:
    found: dict[str, tuple[str, str, str]] = {}
    for one in known_incidents(layout, layout.runs(), settings=settings, limits=limits):
        found.setdefault(one[0], one)
    return sorted(found.values())


def _without_history(layout: Layout) -> None:
    layout.store.remove_folder(layout.folder("history"))


@CHECK
def test_plan_and_views_say_the_same_with_and_without_it(layout: Layout) -> None:
    assert layout.partitions_of("history") == {"r4"}
    known = [_known(layout, *of) for of in (("s", "large"), ("s", "small"), ("new", "large"))]
    views = [asked(layout, query) for query in (FAULTS, "FROM fault_times ORDER BY ALL")]
    assert known[0] == [
        ("a", "l-a", "r2"),
        ("b", "l-b", "r4"),
        ("gone", "l-gone", "r1"),
        ("t", "l-t", "r4"),
    ]
    assert [row["incident"] for row in views[0]] == ["a2", "b", "gone", "t"]
    _without_history(layout)
    assert [_known(layout, *of) for of in (("s", "large"), ("s", "small"), ("new", "large"))] == known
    assert [asked(layout, query) for query in (FAULTS, "FROM fault_times ORDER BY ALL")] == views


def test_a_run_adds_to_the_history_before_it_and_reads_no_other_run(layout: Layout) -> None:
    before = _known(layout)
    for run in ("r1", "r2", "r3", "r4"):
        for file in layout.files("incidents", {run}):
            layout.store.write(file.path, b"no table")
    (row,) = asked_rows(layout)
    write_output(layout, "r5", [], [row])
    assert _known(layout) == sorted([*before[:3], ("t", "l-t", "r5")])


def asked_rows(layout: Layout) -> list[Row]:
    """The row of `incidents` that r4 took over."""
    rows: list[Row] = layout.rows("history", {"r4"}).to_table().to_pylist()
    return [row for row in rows if row["incident"] == "t" and row["limits"] == "large"]


@CHECK
def test_a_history_is_written_again_when_half_as_many_rows_are_listed_after_it(tmp_path: Path) -> None:
    """Until then plan and views read it and the runs after it, and a compaction keeps what they say."""
    many = Layout(*storage(str(tmp_path / "many")))
    write_output(many, "r1", [ill(f"i{number}", 1, f"h{number}") for number in range(8)])
    expected = {f"i{number}": "r1" for number in range(8)}
    for number in range(2, 4):
        write_output(many, f"r{number}", [healthy(f"j{number}", number, "h1")])
        expected[f"j{number}"] = f"r{number}"
        assert many.partitions_of("history") == {"r1"}
        assert {key: run for key, _, run in _known(many)} == expected
        assert len(asked(many, FAULTS)) == len(expected)
    faults = asked(many, FAULTS)
    compact(many)
    assert many.partitions_of("history") == {"r3"}
    assert asked(many, FAULTS) == faults
    write_output(many, "r4", [healthy(f"k{number}", 4, "h2") for number in range(5)])
    assert many.partitions_of("history") == {"r4"}


@CHECK
def test_runs_that_wrote_none_are_read(layout: Layout) -> None:
    """As those of an older version, before or after others."""
    write_output(layout, "r5", [ill("late", 8, "h9")])
    _without_history(layout)
    write_history(layout, "r4", layout.runs()[:3])
    known = _known(layout)
    assert ("late", "l-late", "r5") in known
    assert len(known) == 5
    assert {row["incident"] for row in asked(layout, FAULTS)} == {"a2", "b", "gone", "late", "t"}


@CHECK
def test_two_histories_tell_each_incident_once(layout: Layout) -> None:
    """A run that is killed before it removes the one before leaves both."""
    marks = layout.runs()
    views = asked(layout, FAULTS)
    write_history(layout, "r3", marks[:2])
    assert layout.partitions_of("history") == {"r3", "r4"}
    assert asked(layout, FAULTS) == views
    clean_up(layout, "r4")
    assert layout.partitions_of("history") == {"r4"}


@CHECK
def test_a_compaction_leaves_what_the_kept_runs_have(layout: Layout) -> None:
    compact(layout, Keep(runs=2))
    assert [(key, run) for key, _, run in _known(layout)] == [("b", "r4"), ("t", "r4")]
    assert [row["incident"] for row in asked(layout, FAULTS)] == ["a2", "b", "t"]
    assert {row["rule"] for row in asked(layout, "FROM open_findings")} == {"r"}


@CHECK
def test_the_runs_of_a_day_become_the_last_of_them(layout: Layout) -> None:
    known, views = _known(layout), asked(layout, FAULTS)
    done = compact(layout, Keep(daily=True))
    assert (done.runs_kept, done.runs_removed) == (3, 1)
    assert [mark.run for mark in layout.runs()] == ["r2", "r3", "r4"]
    of_day = layout.rows("incidents", {"r2"}).to_table(["incident", "analysed_in"]).to_pylist()
    assert sorted(row["incident"] for row in of_day) == ["a", "gone", "t"]
    assert {row["analysed_in"] for row in of_day} == layout.compactions()
    assert [(key, run) for key, _, run in _known(layout)] == [
        (key, "r2" if run == "r1" else run) for key, _, run in known
    ]
    assert asked(layout, FAULTS) == views
    assert compact(layout, Keep(daily=True)).runs_removed == 0


def test_the_day_of_the_latest_run_stays_and_age_goes_by_time(layout: Layout) -> None:
    marks = layout.runs()
    keep = Keep(age=timedelta(hours=26), daily=True)
    kept = keep.of(marks, at(7, 2))
    assert [mark.run for mark in kept] == ["r3", "r4"]
    assert Keep(daily=True).merged(marks) == {"r1": "r2"}
    assert Keep(daily=True).merged(marks[:2]) == {}
    assert Keep().merged(marks) == {}


@CHECK
def test_notes_are_no_faults_that_begin_or_recover(tmp_path: Path) -> None:
    other = Layout(*storage(str(tmp_path)))
    note = Analysed(
        incident="a", host="h1", window_start=at(2), checked=("n",), findings=(finding("n", "info"),)
    )
    write_output(other, "r1", [note, Analysed(incident="b", host="h1", window_start=at(3), checked=("n",))])
    assert asked(other, "FROM recovered") == []
    assert [row["severity_rank"] for row in asked(other, "FROM fault_times")] == [2]
    (week,) = asked(other, "FROM trend")
    assert (week["new_faults"], week["recovered_faults"]) == (0, 0)

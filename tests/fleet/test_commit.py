"""A run that fails while it writes its tables: readers find the tables of the runs before, and no part of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.arrow import parquet
from mqdiag.fleet.tables.commit import remove_unmarked, whole_or_nothing
from mqdiag.fleet.tables.layout import Layout
from tests.fleet.made_output import Analysed, at, finding, write_output


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """An empty output with a result of an incident that was analysed already."""
    made = Layout(*storage(str(tmp_path / "out")))
    made.store.write(f"{made.staging}/results/ab/abc", b"{}")
    return made


def _write_whole(layout: Layout) -> None:
    incident = Analysed(incident="a", host="h", window_start=at(19), findings=(finding("x"),))
    write_output(layout, "whole", [incident])


def _write_half(layout: Layout) -> None:
    """What a commit leaves that comes no further than its second table, and a part file that is not moved yet."""
    for place in (layout, Layout(layout.store, f"{layout.staging}/half/tables")):
        for table in ("inputs", "findings"):
            layout.store.write(place.part(table, "half", "2026-11-21", 0), parquet(table, []))


def _fail(layout: Layout, write: Callable[[Layout], None], error: BaseException) -> None:
    with whole_or_nothing(layout):
        write(layout)
        raise error


def _files(layout: Layout) -> set[str]:
    return {file.path.removeprefix(f"{layout.root}/") for file in layout.store.below(layout.root)}


@pytest.mark.parametrize("error", [OSError("No space left on device"), KeyboardInterrupt()], ids=repr)
def test_a_failed_commit_leaves_no_table(layout: Layout, error: BaseException) -> None:
    with pytest.raises(type(error)):
        _fail(layout, _write_half, error)
    assert _files(layout) == {"_staging/results/ab/abc"}, "the next run goes on from the results"
    assert not layout.store.is_folder(layout.folder("inputs"))


def test_a_failed_commit_leaves_the_runs_before(layout: Layout) -> None:
    _write_whole(layout)
    before = _files(layout)
    with pytest.raises(OSError, match="full"):
        _fail(layout, _write_half, OSError("full"))
    assert _files(layout) == before


def test_an_error_after_the_mark_leaves_the_run(layout: Layout) -> None:
    with pytest.raises(OSError, match="late"):
        _fail(layout, _write_whole, OSError("late"))
    assert [mark.run for mark in layout.runs()] == ["whole"]
    assert layout.rows("incidents", {"whole"}).count_rows() == 1


def test_the_next_run_removes_what_a_killed_one_has_left(layout: Layout) -> None:
    _write_half(layout)
    remove_unmarked(layout)
    assert _files(layout) == {"_staging/results/ab/abc"}

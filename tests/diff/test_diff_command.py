"""`mqdiag diff` on real dumps and saved reports."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path

import pytest

from mqdiag.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INPUT
from tests.cli.conftest import Run, mqdiag
from tests.layers import CHECK, one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"
HEALTHY = FIXTURES / "heap" / "healthy-busy-4.9.8" / "dump.hprof.gz"
STUCK = FIXTURES / "heap" / "stuck-one-4.9.8" / "dump.hprof.gz"
INCIDENTS = FIXTURES / "incidents"

__all__ = ["mqdiag"]


def test_the_same_dump_twice(mqdiag: Run) -> None:
    done = mqdiag("diff", str(STUCK), str(STUCK))
    assert done.code == EXIT_CLEAN
    assert done.out.startswith("OK No finding is new or worse.")
    assert "0 new, 0 gone, 0 changed, 2 the same" in done.out


def test_two_different_applications_give_no_all_clear(mqdiag: Run) -> None:
    done = mqdiag("diff", str(STUCK.parents[1] / "pop-5.3.3" / "dump.hprof.gz"), str(HEALTHY))
    assert done.out.startswith("UNDECIDED No finding is new or worse in what could be compared.")
    assert "these may be two different applications" in done.out


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("before", "after", "sides"),
    [(1, 1, ("earlier", "later")), (5, 1, ("later",)), (1, 5, ("earlier",))],
)
def test_a_side_that_is_undecided_gives_no_all_clear(
    mqdiag: Run, tmp_path: Path, before: int, after: int, sides: tuple[str, ...]
) -> None:
    """Single dumps of threads that hang: nothing is found on either side, and nothing is proved."""
    named = {1: "urlconnection-stuck", 5: "idle"}
    for name, samples in (("before", before), ("after", after)):
        with tarfile.open(FIXTURES / "stacks" / named[samples] / "series.tar.gz") as archive:
            archive.extractall(tmp_path / name, filter="data")
        for path in sorted((tmp_path / name).iterdir())[samples:]:
            path.unlink()
    done = mqdiag("diff", str(tmp_path / "before"), str(tmp_path / "after"))
    assert done.code == EXIT_CLEAN
    assert done.out.startswith("UNDECIDED No finding is new or worse in what could be compared.")
    told = [side for side in ("earlier", "later") if f"the {side} side is undecided by itself: " in done.out]
    assert told == list(sides)
    undecided = mqdiag("diff", str(tmp_path / "before"), str(tmp_path / "after"), "--fail-on", "undecided")
    assert undecided.code == EXIT_FINDINGS


def test_undecided_threads_have_a_column(mqdiag: Run, tmp_path: Path) -> None:
    with tarfile.open(FIXTURES / "stacks" / "urlconnection-stuck" / "series.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    sides = [str(path) for path in sorted(tmp_path.iterdir())[:2]]
    report = json.loads(mqdiag("diff", *sides, "--format", "json").out)
    for pool in report["diff"]["pools"]:
        states = ("stuck", "blocked", "progressing", "idle", "unknown")
        assert sum(pool[state]["after"] for state in states) == pool["threads"]["after"]
    assert "idle  unknown" in mqdiag("diff", *sides).out


@CHECK
def test_only_what_is_new_or_worse_fails_the_run(mqdiag: Run) -> None:
    worse = mqdiag("diff", str(HEALTHY), str(STUCK), "--format", "json")
    report = json.loads(worse.out)
    assert worse.code == EXIT_FINDINGS
    assert {one["rule"] for one in report["findings"]} == {one["rule"] for one in report["diff"]["new"]}
    assert "offset-stuck-at-head" in {one["rule"] for one in report["findings"]}
    better = mqdiag("diff", str(STUCK), str(HEALTHY), "--format", "json")
    report = json.loads(better.out)
    assert better.code == EXIT_CLEAN
    assert report["findings"] == []
    assert "offset-stuck-at-head" in {one["rule"] for one in report["diff"]["gone"]}
    assert report["diff"]["heap_bytes"]["grown"] == -json.loads(worse.out)["diff"]["heap_bytes"]["grown"]
    assert mqdiag("diff", str(HEALTHY), str(STUCK), "--fail-on", "never").code == EXIT_CLEAN


@CHECK
def test_a_saved_report_is_as_good_as_its_dump(mqdiag: Run, tmp_path: Path) -> None:
    for name, dump in (("old", HEALTHY), ("new", STUCK)):
        mqdiag("heap", str(dump), "--format", "json", "-o", f"{name}.json")
    saved = json.loads(mqdiag("diff", "old.json", "new.json", "--format", "json").out)
    mixed = json.loads(mqdiag("diff", "old.json", str(STUCK), "--format", "json").out)
    fresh = json.loads(mqdiag("diff", str(HEALTHY), str(STUCK), "--format", "json").out)
    for report in (saved, mixed):
        for key in ("classes", "holders", "consumers", "queues", "settings", "heap_bytes", "seconds"):
            assert report["diff"][key] == fresh["diff"][key], key
        assert [one["fingerprint"] for one in report["diff"]["new"]] == [
            one["fingerprint"] for one in fresh["diff"]["new"]
        ]


def test_folders_of_evidence_can_be_compared(mqdiag: Run) -> None:
    done = mqdiag("diff", str(INCIDENTS / "busy-http" / "stacks"), str(INCIDENTS / "stuck-http" / "stacks"))
    assert done.code == EXIT_FINDINGS
    assert "New findings" in done.out
    assert "Thread pools" in done.out


@one_in_each_run(3)
@pytest.mark.parametrize("lost", ["missing", "empty", "junk.json"])
def test_a_side_that_cannot_be_read_is_told_in_one_line(mqdiag: Run, tmp_path: Path, lost: str) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "junk.json").write_text('{"schema_version": 1, "mqdiag": "0", "inputs": "none"}')
    for sides in ((lost, str(STUCK)), (str(STUCK), lost)):
        done = mqdiag("diff", *sides)
        assert done.code == EXIT_INPUT
        assert done.line.startswith(f"mqdiag: {lost}: ")
        assert done.out == ""


@CHECK
def test_a_report_of_a_later_kind_is_refused(mqdiag: Run, tmp_path: Path) -> None:
    (tmp_path / "later.json").write_text('{"schema_version": 99, "mqdiag": "9", "inputs": []}')
    shutil.copy(STUCK, tmp_path / "dump")
    done = mqdiag("diff", "later.json", "dump")
    assert done.code == EXIT_INPUT
    assert "schema version 99" in done.line

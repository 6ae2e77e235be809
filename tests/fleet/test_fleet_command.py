"""Whole runs on local[2], as a user calls them, on a fleet whose truth is known."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.made_fleet import heap, mixed_fleet, put
from tests.fleet.runs import Done, content, rows, run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_java")]

TEMPLATE = ("--template", "{service}/{host}/{time}.hprof", "--template", "{service}/{host}/{time}.tar.gz")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fleet")
    mixed_fleet(folder / "in")
    return folder


@pytest.fixture(scope="module")
def first(root: Path) -> Done:
    return run(str(root / "in"), "--out", str(root / "out"), *TEMPLATE, "--run", "first", "--max-input", "64m")


@pytest.fixture(scope="module")
def second(root: Path, first: Done) -> Done:
    """The next night: one host is mended, another falls ill, all else lies there as before."""
    shutil.rmtree(root / "in/payments")
    put(root / "in", "payments/p1/20261122-080000.hprof", heap("healthy-busy-5.3.3"))
    put(root / "in", "orders/h9/20261122-080000.hprof", heap("oversized-oom-4.3.2"))
    return run(str(root / "in"), "--out", str(root / "out"), *TEMPLATE, "--run", "second", "--max-input", "64m")


def _findings(done: Done, rule: str) -> list[dict[str, Any]]:
    return [found for found in done.report["findings"] if found["rule"] == rule]


def test_the_report_tells_the_truth(first: Done) -> None:
    assert first.code == 1, first.err
    totals = first.report["fleet"]["totals"]
    assert (totals["incidents"], totals["analysed"], totals["services"], totals["hosts"]) == (11, 11, 3, 11)
    (skew,) = _findings(first, "version-skew")
    assert skew["evidence"]["values"] == ["4.9.8", "4.3.2"]
    assert skew["evidence"]["counts"] == [2, 1]
    assert skew["evidence"]["hosts"][1] == "orders/h3"
    # Both dumps call their topic after the case, which was renamed: what they subscribe to is the same.
    assert not _findings(first, "unequal-subscriptions")
    assert not _findings(first, "config-drift")
    common = {(found["evidence"]["rule"], found["evidence"]["hosts"]) for found in _findings(first, "common-cause")}
    assert common == {("offset-stuck-at-head", 3), ("stuck-consumer-thread", 3)}
    (failed,) = _findings(first, "input-failed")
    assert failed["subject"]["service"] == "broken"


def test_bad_inputs_become_rows(first: Done, root: Path) -> None:
    assert first.code == 1
    status = {row["host"]: row["status"] for row in rows(root / "out", "incidents") if row["run"] == "first"}
    assert status.pop("cut") == "incomplete"
    assert {status.pop(host) for host in ("empty", "text", "sparse")} == {"failed"}
    assert status.pop("bomb") in ("failed", "incomplete")
    assert set(status.values()) == {"ok"}
    kinds = {row["host"]: row["kind"] for row in rows(root / "out", "failures") if row["run"] == "first"}
    assert kinds["empty"] == kinds["text"] == "unreadable"
    assert kinds["sparse"] == "too-large"


def test_files_of_one_host_are_one_diagnosis(first: Done, root: Path) -> None:
    assert first.code == 1
    own = [row for row in rows(root / "out", "inputs") if row["host"] == "p1" and row["run"] == "first"]
    assert len({row["incident"] for row in own}) == 1
    assert {row["kind"] for row in own} == {"heap", "stacks"}
    sources = {row["source"] for row in rows(root / "out", "threads") if row["host"] == "p1" and row["run"] == "first"}
    assert sources == {"heap", "stacks"}


def test_nothing_is_there_twice_and_nothing_unfinished_is_left(first: Done, second: Done, root: Path) -> None:
    assert {first.code, second.code} == {1}
    paths = Counter(row["path"] for row in rows(root / "out", "inputs"))
    assert set(paths.values()) == {1}
    assert [path for path in (root / "out/_staging").rglob("*") if path.is_file()] == []


def test_a_second_run_does_what_is_new(second: Done, root: Path) -> None:
    totals = second.report["fleet"]["totals"]
    assert (totals["analysed"], totals["known"]) == (2, 8)
    new = {row["path"].rpartition("/in/")[2] for row in rows(root / "out", "inputs") if row["run"] == "second"}
    assert new == {"payments/p1/20261122-080000.hprof", "orders/h9/20261122-080000.hprof"}


def test_a_second_run_tells_what_changed(second: Done) -> None:
    fleet = second.report["fleet"]
    assert fleet["against"] == "first"
    changes = {(one["kind"], one["service"], one["rule"]) for one in fleet["changes"]}
    assert ("recovery", "payments", "offset-stuck-at-head") in changes
    assert ("regression", "orders", "consumer-cache-exceeds-heap") in changes
    assert not any(service == "broken" for _, service, _ in changes)
    (regression,) = [
        found
        for found in _findings(second, "regression")
        if found["evidence"]["rule"] == "consumer-cache-exceeds-heap"
    ]
    assert regression["severity"] == "error"


def test_the_report_fits_its_schema(first: Done, second: Done) -> None:
    import jsonschema

    from mqdiag.render.json.schema import report_schema

    for done in (first, second):
        jsonschema.validate(done.report, report_schema())


def test_a_dry_run_changes_nothing(first: Done, root: Path, tmp_path: Path) -> None:
    assert first.code == 1
    put(tmp_path / "in", "shop/s1/20261121-080000.hprof", heap("no-rocketmq"))
    before = sorted(path for path in (root / "out").rglob("*") if path.is_file())
    done = run(str(tmp_path / "in"), "--out", str(root / "out"), *TEMPLATE, "--dry-run")
    assert done.code == 0, done.err
    plan = done.report["fleet"]["plan"]
    assert (plan["incidents"], plan["known"], plan["bytes"]) == (1, 0, len(heap("no-rocketmq")))
    assert plan["estimate_s"] > 0
    assert plan["largest"][0]["host"] == "s1"
    assert sorted(path for path in (root / "out").rglob("*") if path.is_file()) == before


def test_an_interrupted_run_goes_on_where_it_was(root: Path, first: Done, tmp_path: Path) -> None:
    """With a limit the first half is done; the tables of two halves are those of one whole run."""
    assert first.code == 1
    mixed_fleet(tmp_path / "in")
    arguments = (str(tmp_path / "in"), *TEMPLATE, "--max-input", "64m", "--out")
    half = run(*arguments, str(tmp_path / "halves"), "--limit", "5", "--run", "a")
    assert half.report["fleet"]["totals"]["analysed"] == 5
    rest = run(*arguments, str(tmp_path / "halves"), "--run", "b")
    assert (rest.report["fleet"]["totals"]["analysed"], rest.report["fleet"]["totals"]["known"]) == (6, 5)
    halves = content(tmp_path / "halves", tmp_path / "in")
    shutil.rmtree(tmp_path / "in")
    whole = {
        table: [line for line, row in _lines(root, table) if row["run"] == "first"]
        for table in ("inputs", "findings", "consumers", "queues", "classes", "threads", "failures")
    }
    assert {table: halves[table] for table in whole} == whole


def _lines(root: Path, table: str) -> list[tuple[str, dict[str, Any]]]:
    import json

    from tests.fleet.runs import VARYING

    found = []
    for row in rows(root / "out", table):
        kept = {key: value for key, value in row.items() if key not in VARYING}
        found.append((json.dumps(kept, default=str, sort_keys=True).replace(str(root / "in"), ""), row))
    return sorted(found, key=lambda pair: pair[0])

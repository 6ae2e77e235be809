"""Whole runs on local[2], as a user calls them, on a fleet whose truth is known."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.fleet.conftest import TEMPLATE, Night
from tests.fleet.made_fleet import heap, put
from tests.fleet.runs import Done, rows, run
from tests.layers import NIGHTLY
from tests.report_schema import validate_report

if TYPE_CHECKING:
    pass

pytestmark = [pytest.mark.xdist_group("fleet"), pytest.mark.usefixtures("_java")]


@pytest.fixture(scope="module")
def second(night: Night) -> Done:
    """The next night: one host is mended, another falls ill, all else lies there as before."""
    shutil.rmtree(night.root / "in/payments")
    # the fault is gone only where each host that had it shows so
    for host in ("p1", "p2", "p3"):
        put(night.root / "in", f"payments/{host}/20261122-080000.hprof", heap("healthy-busy-5.3.3"))
    put(night.root / "in", "orders/h9/20261122-080000.hprof", heap("oversized-oom-4.3.2"))
    more = ("--run", "second", "--pages", str(night.root / "pages"))
    return run(str(night.root / "in"), "--out", str(night.root / "out"), *TEMPLATE, *more)


def _findings(done: Done | Night, rule: str) -> list[dict[str, Any]]:
    return [found for found in done.report["findings"] if found["rule"] == rule]


def test_the_report_tells_the_truth(night: Night) -> None:
    assert night.code == 1, night.err
    assert not [line for line in night.err.splitlines() if not line.startswith("mqdiag: ")], "Spark is quiet"
    totals = night.report["fleet"]["totals"]
    assert (totals["incidents"], totals["analysed"], totals["services"], totals["hosts"]) == (11, 11, 3, 11)
    (skew,) = _findings(night, "version-skew")
    assert skew["evidence"]["values"] == ["4.9.8", "4.3.2"]
    assert skew["evidence"]["counts"] == [2, 1]
    assert skew["evidence"]["hosts"][1] == "orders/h3"
    # Both dumps call their topic after the case, which was renamed: what they subscribe to is the same.
    assert not _findings(night, "unequal-subscriptions")
    assert not _findings(night, "config-drift")
    common = {
        (found["evidence"]["rule"], found["evidence"]["hosts"]) for found in _findings(night, "common-cause")
    }
    assert common == {("offset-stuck-at-head", 3), ("stuck-consumer-thread", 3)}
    (failed,) = _findings(night, "input-failed")
    assert failed["subject"]["service"] == "broken"


def test_bad_inputs_become_rows(night: Night) -> None:
    assert night.code == 1
    status = {
        row["host"]: row["status"] for row in rows(night.root / "out", "incidents") if row["run"] == "first"
    }
    assert status.pop("cut") == "incomplete"
    assert {status.pop(host) for host in ("empty", "text", "sparse")} == {"failed"}
    assert status.pop("bomb") in ("failed", "incomplete")
    assert set(status.values()) == {"ok"}
    kinds = {row["host"]: row["kind"] for row in rows(night.root / "out", "failures") if row["run"] == "first"}
    assert kinds["empty"] == kinds["text"] == "unreadable"
    assert kinds["sparse"] == "too-large"


def test_files_of_one_host_are_one_diagnosis(night: Night) -> None:
    assert night.code == 1
    own = [row for row in rows(night.root / "out", "inputs") if row["host"] == "p1" and row["run"] == "first"]
    assert len({row["incident"] for row in own}) == 1
    assert {row["kind"] for row in own} == {"heap", "stacks"}
    sources = {
        row["source"]
        for row in rows(night.root / "out", "threads")
        if row["host"] == "p1" and row["run"] == "first"
    }
    assert sources == {"heap", "stacks"}


def test_nothing_is_there_twice_and_nothing_unfinished_is_left(night: Night, second: Done) -> None:
    assert {night.code, second.code} == {1}
    paths = Counter(row["path"] for row in rows(night.root / "out", "inputs"))
    assert set(paths.values()) == {1}
    assert [path for path in (night.root / "out/_staging").rglob("*") if path.is_file()] == []


def test_a_second_run_does_what_is_new(night: Night, second: Done) -> None:
    totals = second.report["fleet"]["totals"]
    assert (totals["analysed"], totals["known"]) == (4, 8)
    new = {
        row["path"].rpartition("/in/")[2]
        for row in rows(night.root / "out", "inputs")
        if row["run"] == "second"
    }
    payments = {f"payments/{host}/20261122-080000.hprof" for host in ("p1", "p2", "p3")}
    assert new == {*payments, "orders/h9/20261122-080000.hprof"}


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


def test_each_service_has_a_page(night: Night, second: Done) -> None:
    assert second.code == 1
    fleet = (night.root / "pages/index.html").read_text()
    links = re.findall(r'href="(services/[^"]+)"', fleet)
    assert len(links) == 3
    assert {f"services/{path.name}" for path in (night.root / "pages/services").iterdir()} == set(links)
    (orders,) = (link for link in links if link.startswith("services/orders-"))
    page = (night.root / "pages" / orders).read_text()
    assert "Service orders in run second" in page
    assert 'href="../index.html"' in page
    assert "h9</td>" in page
    assert "consumer-cache-exceeds-heap" in page
    (broken,) = (link for link in links if link.startswith("services/broken-"))
    assert 'class="answer undecided"' in (night.root / "pages" / broken).read_text()


def test_the_runs_are_counted(night: Night, second: Done) -> None:
    (first,) = night.report["fleet"]["trend"]
    assert (first["run"], first["incidents"], first["new"]) == ("first", 11, None)
    before, last = second.report["fleet"]["trend"]
    assert before == first
    totals = second.report["fleet"]["totals"]
    assert (last["run"], last["errors"], last["new"]) == ("second", totals["errors"], totals["regressions"])
    states = second.report["fleet"]["services"]
    assert sum(one["new"] for one in states) == totals["regressions"] > 0
    assert sum(one["gone"] for one in states) == totals["recoveries"] > 0
    assert sum(one["known"] for one in states) > 0


def test_the_report_fits_its_schema(night: Night, second: Done) -> None:

    for done in (night, second):
        validate_report(done.report)


@NIGHTLY
def test_a_dry_run_changes_nothing(night: Night, tmp_path: Path) -> None:
    assert night.code == 1
    put(tmp_path / "in", "shop/s1/20261121-080000.hprof", heap("no-rocketmq"))
    before = sorted(path for path in (night.root / "out").rglob("*") if path.is_file())
    done = run(str(tmp_path / "in"), "--out", str(night.root / "out"), *TEMPLATE, "--dry-run")
    assert done.code == 0, done.err
    plan = done.report["fleet"]["plan"]
    assert (plan["incidents"], plan["known"], plan["bytes"]) == (1, 0, len(heap("no-rocketmq")))
    assert plan["estimate_s"] > 0
    assert plan["largest"][0]["host"] == "s1"
    assert sorted(path for path in (night.root / "out").rglob("*") if path.is_file()) == before

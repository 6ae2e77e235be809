"""A fleet with planted faults over five nights: report, tables and metrics tell all truths, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from mqdiag.fleet.views.script import views_script
from tests.fleet.dashboard import answers
from tests.fleet.planted_fleet import CALLS, GATEWAY_USERS, RULES, TEMPLATES, Story, Truth, plant, stories
from tests.fleet.runs import Done, run
from tests.layers import some_later

pytestmark = [pytest.mark.xdist_group("fleet"), pytest.mark.usefixtures("_java")]


@pytest.fixture(scope="module", params=some_later([1, 20], lambda copies: copies > 1))
def services(request: pytest.FixtureRequest) -> dict[str, tuple[Story, Truth]]:
    return stories(request.param)


@pytest.fixture(scope="module")
def fleet(
    services: dict[str, tuple[Story, Truth]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Done]:
    """A run after the third night, and one after the fifth."""
    root = tmp_path_factory.mktemp("planted")
    words = (str(root / "in"), "--out", str(root / "out"), *TEMPLATES)
    count = plant(root / "in", services, range(1, 4))
    first = run(*words)
    assert first.report["fleet"]["totals"]["incidents"] == count, first.err
    count += plant(root / "in", services, range(4, 6))
    also = [word for form in ("text", "openmetrics") for word in ("--also", f"{form}={root / form}")]
    last = run(*words, *also)
    assert last.report["fleet"]["totals"]["incidents"] == count, last.err
    return root, last


def _connected(root: Path) -> duckdb.DuckDBPyConnection:
    base = duckdb.connect()
    base.execute(views_script(str(root / "out"), "duckdb"))
    return base


def _views(root: Path, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = _connected(root).sql(query).to_arrow_table().to_pylist()
    return found


def _name(row: dict[str, Any]) -> str:
    return f"{row['environment']}/{row['service']}"


def test_report_tables_text_and_metrics_tell_what_was_planted(
    services: dict[str, tuple[Story, Truth]], fleet: tuple[Path, Done]
) -> None:
    root, done = fleet
    told = done.report["fleet"]
    truths = {name: truth for name, (_, truth) in services.items()}
    states = {_name(one): one for one in told["services"]}
    assert {name: (one["errors"], one["hosts"]) for name, one in states.items()} == {
        name: (int(truth.fault is not None), truth.hosts) for name, truth in truths.items()
    }
    assert {(one["kind"], _name(one)) for one in told["changes"]} == {
        (truth.change, name) for name, truth in truths.items() if truth.change
    }
    assert {tuple(one["builds"]) for one in told["changes"] if one["kind"] == "regression"} == {("b2",)}
    totals = told["totals"]
    changes = [truth.change for truth in truths.values()]
    assert totals["regressions"] == changes.count("regression")
    assert totals["recoveries"] == changes.count("recovery")
    opened = _views(root, "SELECT * FROM open_findings WHERE severity = 'error'")
    assert {
        f"{row['environment']}/{row['service']}": (row["rule"], row["age_hours"], row["times_returned"])
        for row in opened
    } == {
        name: (truth.fault, 24.0 * truth.nights, truth.returned)
        for name, truth in truths.items()
        if truth.fault
    }
    assert len(opened) == totals["errors"]
    gone = _views(
        root,
        "SELECT DISTINCT environment, service FROM recovered WHERE rule IN ('stuck-wait', 'stuck-socket-read')",
    )
    assert {f"{row['environment']}/{row['service']}" for row in gone} == {
        name for name, truth in truths.items() if truth.change == "recovery"
    }
    metrics = (root / "openmetrics").read_text()
    for name, one in states.items():
        environment, service = name.split("/")
        labels = f'environment="{environment}",service="{service}",severity="error"'
        assert f"mqdiag_service_open_findings{{{labels}}} {one['errors']}\n" in metrics or len(states) > 100


def test_what_is_new_in_most_services_is_told_first(
    services: dict[str, tuple[Story, Truth]], fleet: tuple[Path, Done]
) -> None:
    root, done = fleet
    users = GATEWAY_USERS * sum(name.startswith("prod/healed") for name in services)
    first, *others = done.report["findings"]
    assert (first["rule"], first["evidence"]["rule"]) == ("common-cause", RULES[CALLS])
    assert (first["evidence"]["new_services"], first["evidence"]["hosts"]) == (users, users)
    common = [found for found in others if found["rule"] == "common-cause" and found["severity"] == "error"]
    assert [found["evidence"]["new_services"] for found in common] == [0]
    new = [found for found in others if found["rule"] == "regression"]
    assert {tuple(found["caused_by"]) for found in new} == {(first["fingerprint"],)}
    assert {found["evidence"]["shared_services"] for found in new} == {users}
    text = re.sub(r"\s+", " ", (root / "text").read_text())
    assert f"New in {users} services: {users} hosts of {users} services have the same fault" in text
    assert done.report["fleet"]["drifts"] == []
    assert done.report["fleet"]["outliers"] == []
    assert {one["service"] for one in done.report["fleet"]["failures"]} == {
        name.partition("/")[2] for name in services if name.startswith("prod/page")
    }


def test_the_dashboard_tells_the_same(
    services: dict[str, tuple[Story, Truth]], fleet: tuple[Path, Done]
) -> None:
    root, done = fleet
    totals = done.report["fleet"]["totals"]
    found = {title: rows.to_pylist() for title, rows in answers(_connected(root)).items()}
    assert found["Open errors"] == [{"errors": totals["errors"]}]
    assert found["New since the run before"] == [{"new_faults": totals["regressions"]}]
    assert found["Gone since the run before"] == [{"gone_faults": totals["recoveries"]}]
    assert found["Files that could not be analysed"] == [{"lost": totals["failures"]}]
    first = found["Common causes, what is new in most services first"][0]
    users = GATEWAY_USERS * sum(name.startswith("prod/healed") for name in services)
    assert (first["rule"], first["new_services"]) == (RULES[CALLS], users)
    assert found["New and gone faults by run"][-1]["new_faults"] == totals["regressions"]
    assert [row["errors"] for row in found["Open faults by run"]][-1] == totals["errors"]
    assert {row["rule"] for row in found["Open faults, the worst first"]} >= {
        truth.fault for _, truth in services.values() if truth.fault
    }
    (*_, last) = found["Tasks tried again and executors lost"]
    assert (
        (last["tried_again"], last["lost_executors"])
        == (totals["tried_again"], totals["lost_executors"])
        == (0, 0)
    )

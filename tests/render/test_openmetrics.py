"""Metrics: what a Prometheus would read of them, and that evidence can neither break nor flood it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec

from mqdiag.facts.fleet import FleetFacts, FleetTotals, GroupCapacity, ServiceState
from mqdiag.findings import Report
from mqdiag.render import View, renderer
from mqdiag.render.openmetrics import MOST
from tests.render import samples

DASHBOARD = Path(__file__).parents[2] / "docs/grafana/fleet.json"
_SAMPLE = re.compile(
    r'(?P<name>[a-z_]+)(?:\{(?P<labels>(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (?P<value>-?[0-9.e+-]+)'
)
_LABEL = re.compile(r'([a-z]+)="((?:[^"\\]|\\.)*)"')


def metrics(report: Report) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    """Samples by metric and labels, as the grammar of the text format has them."""
    found: dict[str, dict[tuple[tuple[str, str], ...], float]] = {}
    *lines, last, end = renderer("openmetrics")(report, View()).split("\n")
    assert (last, end) == ("# EOF", "")
    named: list[str] = []
    for line in lines:
        if line.startswith("# HELP "):
            named.append(line.split(" ")[2])
            assert named.count(named[-1]) == 1, "the samples of a metric stand together"
            continue
        if line.startswith("# TYPE "):
            assert line == f"# TYPE {named[-1]} gauge"
            continue
        sample = _SAMPLE.fullmatch(line)
        assert sample, line
        assert sample["name"] == named[-1]
        labels = tuple(_LABEL.findall(sample["labels"] or ""))
        assert labels not in found.setdefault(sample["name"], {}), "a series twice"
        found[sample["name"]][labels] = float(sample["value"])
    return found


def service(name: str, errors: int = 1) -> ServiceState:
    return ServiceState(service=name, hosts=1, incidents=1, failed=0, errors=errors, warnings=0)


def fleet(**more: object) -> Report:
    facts = msgspec.structs.replace(
        FleetFacts(run="r1", totals=FleetTotals(incidents=3, analysed=2, known=1, tried_again=2)), **more
    )
    return Report(mqdiag="0", inputs=(), fleet=facts)


def test_a_fleet() -> None:
    groups = (
        GroupCapacity(group="g", instances=2, bound_share_most=0.5),
        GroupCapacity(group="unknown", instances=1),
    )
    found = metrics(fleet(services=(service("orders", 4),), capacity=groups))
    assert found["mqdiag_service_open_findings"] == {
        (("environment", ""), ("service", "orders"), ("severity", "error")): 4,
        (("environment", ""), ("service", "orders"), ("severity", "warning")): 0,
    }
    assert found["mqdiag_group_bound_heap_ratio"] == {(("environment", ""), ("group", "g")): 0.5}, (
        "unknown is not 0"
    )
    assert found["mqdiag_fleet_incidents"][(("status", "known"),)] == 1
    assert found["mqdiag_fleet_tasks_tried_again"] == {(): 2}
    assert "mqdiag_fleet_executors_lost" not in found, "unknown is not 0"
    assert "mqdiag_series_left_out" not in found


def test_any_report() -> None:
    found = metrics(samples.ARTICLE)
    assert sum(found["mqdiag_findings"].values()) == len(samples.ARTICLE.findings)
    assert "mqdiag_fleet_incidents" not in found


def test_a_fleet_of_many_services_is_cut() -> None:
    found = metrics(fleet(services=tuple(service(f"s{place}") for place in range(10_000))))
    assert len(found["mqdiag_service_open_findings"]) == MOST
    assert found["mqdiag_series_left_out"] == {(("metric", "mqdiag_service_open_findings"),): 20_000 - MOST}


def test_no_name_breaks_a_line() -> None:
    names = [
        'a"} 1\nevil 1',
        "back\\slash\\",
        "##[error]x",
        "::error::x",
        "\x1b[2J\u202e",
        "日志",
        "x" * 500,
        "x" * 501,
    ]
    found = metrics(fleet(services=tuple(map(service, names))))
    assert set(found) >= {"mqdiag_service_open_findings"}
    assert "evil" not in found
    told = {dict(labels)["service"] for labels in found["mqdiag_service_open_findings"]}
    assert len(told) == len(names) - 1, "two are the same where they are cut"
    assert "日志" in told
    assert 'a\\"} 1\\\\nevil 1' in told


def test_the_dashboard_asks_metrics_that_there_are() -> None:
    board = json.loads(DASHBOARD.read_text())
    groups = (GroupCapacity(group="g", instances=2, bound_share_most=0.5),)
    report = msgspec.structs.replace(
        samples.ARTICLE, fleet=fleet(services=(service("s"),), capacity=groups).fleet
    )
    known = {*metrics(report), "mqdiag_cause_hosts", "mqdiag_fleet_run_seconds"}
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked += [variable["query"] for variable in board["templating"]["list"]]
    named = {name for query in asked for name in re.findall(r"mqdiag_[a-z_]+", query)}
    assert named
    assert named <= known
    places = [tuple(panel["gridPos"].values()) for panel in board["panels"]]
    assert len(set(places)) == len({panel["id"] for panel in board["panels"]}) == len(places)

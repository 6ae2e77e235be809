"""What each service's own report is made of, from the tables of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import duckdb
import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.errors import MqdiagError
from mqdiag.facts import Input
from mqdiag.facts.fleet import FleetFacts, LeftOut
from mqdiag.findings import Confidence, Finding, Severity, Subject
from mqdiag.fleet.analysis import picture
from mqdiag.fleet.analysis.comparison_tables import write_comparisons
from mqdiag.fleet.analysis.database import comparisons
from mqdiag.fleet.analysis.gather import fleet_facts
from mqdiag.fleet.analysis.picture import Picture
from mqdiag.fleet.analysis.services import each_service
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.verdict import fleet_verdict, service_verdict
from mqdiag.render import View, renderer
from mqdiag.report_json import finding_values
from mqdiag.text import say
from tests.fleet.bench import compared
from tests.fleet.made_output import Analysed, Row, at, finding, write_output
from tests.layers import CHECK, NIGHTLY


def found_row(rule: str) -> Row:
    """A row whose document is a whole finding."""
    document = Finding(
        rule=rule,
        severity=Severity.ERROR,
        cause="c",
        confidence=Confidence.HIGH,
        fingerprint=rule,
        title=say("{rule} happens", rule=rule),
        subject=Subject(),
        evidence={"frame": f"com.acme.{rule}.Call.get"},
        remedy=(),
    )
    return finding(rule, fingerprint=rule, document=msgspec.json.encode(finding_values(document)).decode())


def _incident(service: str, host: str, *rules: str, day: int = 2, **more: Any) -> Analysed:
    found = tuple(map(found_row, rules))
    return Analysed(
        incident=f"{service}{host}{day}",
        service=service,
        host=host,
        window_start=at(day),
        checked=("retry-storm", "slow-listener"),
        findings=found,
        **more,
    )


@CHECK
def test_each_service_has_what_is_its_own(tmp_path: Path) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))
    lost = ({"path": "/in/x", "kind": "unreadable", "reason": "is empty"},)
    write_output(
        layout,
        "r1",
        [
            _incident("pay", "h2", "retry-storm", "slow-listener"),
            _incident("orders", "h1", "retry-storm", day=1),
            _incident("orders", "h1", day=2),
            _incident("orders", "h2", "slow-listener"),
            _incident("empty", "h1", failures=lost),
        ],
    )
    with comparisons() as base:
        now = Picture(base, layout, "r1")
        facts, *_ = fleet_facts(now, None, now.totals(LeftOut()), "/out", Settings())
        empty, orders, pay = each_service(now, facts)
    assert [one.service for one in facts.services] == ["pay", "orders", "empty"]
    assert {(one.new, one.known, one.gone) for one in facts.services} == {(None, None, None)}
    assert (empty.state.service, orders.state.service, pay.state.service) == ("empty", "orders", "pay")
    assert [one.rule for one in pay.findings] == ["retry-storm", "slow-listener"]
    assert [one.rule for one in orders.findings] == ["slow-listener"], (
        "the later dump of h1 has refuted the other"
    )
    assert [(one.host, one.incidents, one.errors) for one in orders.hosts] == [("h2", 1, 1), ("h1", 2, 0)]
    assert orders.hosts[1].latest_evidence == "2026-11-02T08:00:00Z"
    assert orders.checked == ("retry-storm", "slow-listener")
    assert [one.path for one in empty.failures] == ["/in/x"]
    assert (empty.findings, pay.failures) == ((), ())


@CHECK
def test_a_team_s_page_has_what_is_new_and_what_differs_and_new_faults_lead_to_their_common_cause(
    tmp_path: Path,
) -> None:
    """A fault that four services have since tonight comes before one that five have had for long."""
    layout = Layout(*storage(str(tmp_path / "out")))
    consumer: Row = {
        "consumer_group": "g",
        "settings": {"pullBatchSize": "32"},
        "messages": 10,
        "body_bytes": 0,
        "queues": 1,
    }
    old = [_incident(f"old{place}", "h1", "slow-listener") for place in range(5)]
    quiet = [_incident(f"zew{place}", "h1") for place in range(4)]
    write_output(layout, "r1", [*old, *quiet])
    odd: Row = {"settings": {"pullBatchSize": "1"}, "messages": 90_000}
    ill = [
        _incident(
            f"zew{place}", "h1", "retry-storm", day=3, consumers=({**consumer, **(odd if not place else {})},)
        )
        for place in range(4)
    ]
    crowd = [_incident("crowd", f"h{place}", day=3, consumers=(consumer,)) for place in range(4)]
    write_output(
        layout, "r2", [*ill, *crowd, *(_incident(one.service, "h1", "slow-listener", day=3) for one in old)]
    )
    with comparisons() as base:
        now, before = Picture(base, layout, "r2"), Picture(base, layout, "r1")
        facts, lone, _ = fleet_facts(now, before, now.totals(LeftOut()), "/out", Settings())
        pages = {one.state.service: one for one in each_service(now, facts)}
        write_comparisons(now, layout)
    _tables_tell_the_same(layout, facts)
    report = fleet_verdict(facts, (Input(path="/in"),), lone, Settings()).report
    first, *others = report.findings
    assert (first.rule, first.evidence["rule"], first.evidence["new_services"]) == (
        "common-cause",
        "retry-storm",
        4,
    )
    new = [found for found in others if found.rule == "regression"]
    assert {found.caused_by for found in new} == {(first.fingerprint,)}
    assert len(new) == 4
    assert [found.rule for found in lone[:4]] == ["retry-storm"] * 4
    text = renderer("text")(report, View(width=100))
    assert "New in 4 services: 4 hosts of 4 services have the same fault" in " ".join(text.split())
    assert text.index("retry-storm") < text.index("slow-listener")
    assert [state.service[:3] for state in facts.services] == ["zew"] * 4 + ["old"] * 5 + ["cro"]
    own = pages["zew0"]
    assert [(one.key, len(one.values)) for one in own.drifts] == [("pullBatchSize", 2)]
    assert [(one.metric, one.host) for one in own.outliers] == [("messages", "h1")]
    assert [(one.kind, one.rule, one.shared_services) for one in own.changes] == [
        ("regression", "retry-storm", 4)
    ]
    page = " ".join(
        renderer("text")(service_verdict(facts, own, Settings()), View(width=120, detail="full")).split()
    )
    for told in ("1 fault is new", "in 4 services", "pullBatchSize", "90,000"):
        assert told in page, told
    assert (pages["old1"].changes, pages["old1"].drifts, pages["old1"].outliers) == ((), (), ())


def _tables_tell_the_same(layout: Layout, facts: FleetFacts) -> None:
    """The tables of comparisons against the facts of the report."""

    def rows(table: str) -> list[Row]:
        found: list[Row] = layout.rows(table, {"r2"}).to_table().to_pylist()
        return found

    assert {(row["kind"], row["service"], row["rule"], row["shared_services"]) for row in rows("changes")} == {
        (one.kind, one.service, one.rule, one.shared_services) for one in facts.changes
    }
    assert {
        (row["kind"], row["value"], row["new_services"], row["hosts"]) for row in rows("common_causes")
    } == {(one.kind, one.value, one.new_services, one.hosts) for one in facts.common}
    assert [(row["metric"], row["value"], row["median"]) for row in rows("outliers")] == [
        (one.metric, one.value, one.median) for one in facts.outliers
    ]
    assert {(row["key"], row["value"], row["instances"]) for row in rows("differences")} == {
        (one.key, value.value, value.instances) for one in facts.drifts for value in one.values
    }
    by_service: dict[str, int] = {}
    for row in rows("state"):
        by_service[row["service"]] = by_service.get(row["service"], 0) + row["errors"]
    assert by_service == {one.service: one.errors for one in facts.services}
    assert all((facts.changes, facts.common, facts.outliers, facts.drifts))


@pytest.mark.parametrize("kept", [slice(-20), slice(4, None)], ids=["cut", "no beginning"])
def test_a_damaged_table_is_told_in_one_line(kept: slice, tmp_path: Path) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))
    write_output(layout, "r1", [_incident("pay", "h1", "retry-storm")])
    for table in (tmp_path / "out").rglob("*.parquet"):
        table.write_bytes(table.read_bytes()[kept])
    with (
        pytest.raises(MqdiagError, match=r"^the tables of the fleet could not be read or compared: ") as told,
        comparisons() as base,
    ):
        Picture(base, layout, "r1")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("lack", ["DuckDB", "Python"])
def test_a_lack_of_memory_is_told_in_one_line_and_the_tables_stay(
    lack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))
    write_output(layout, "r1", [_incident("pay", f"h{host}", "retry-storm") for host in range(100)])
    before = layout.store.below(layout.root)
    if lack == "DuckDB":
        monkeypatch.setattr(picture, "memory_limit", lambda incidents: "1MiB")
    else:
        monkeypatch.setattr(picture, "table_rows", Mock(side_effect=MemoryError))
    with pytest.raises(MqdiagError, match=r"needs more memory .* are kept$") as told, comparisons() as base:
        _facts(base, layout)
    assert "\n" not in str(told.value)
    assert layout.store.below(layout.root) == before


def _facts(base: duckdb.DuckDBPyConnection, layout: Layout) -> None:
    now = Picture(base, layout, "r1")
    fleet_facts(now, None, now.totals(LeftOut()), "/out", Settings())


@NIGHTLY
def test_a_comparison_of_many_incidents_takes_little_memory(tmp_path: Path) -> None:
    """With all documents in memory 20,000 incidents take more than 600 MiB."""
    services, _, peak = compared(tmp_path, 20_000)
    assert services == 5_000
    assert peak < 500 << 20


@CHECK
def test_a_fleet_and_its_services_tell_what_a_configuration_lowered(tmp_path: Path) -> None:
    """Each rule once a service; older tables, without the column, tell of none; no report of them is OK."""
    layout = Layout(*storage(str(tmp_path / "out")))
    lowered: Row = {"lowered": ["deadlock"]}
    incidents = [
        _incident("calm", "h1"),
        _incident("orders", "h1", more=lowered),
        _incident("orders", "h2", more=lowered),
        _incident("pay", "h1", more={"lowered": ["deadlock", "retry-storm"]}),
    ]
    write_output(layout, "r1", incidents)
    settings = Settings(source="mqdiag.toml")
    with comparisons() as base:
        now = Picture(base, layout, "r1")
        facts, lone, told = fleet_facts(now, None, now.totals(LeftOut()), "/out", settings)
        of_services = [service_verdict(facts, one, settings) for one in each_service(now, facts)]
    report = fleet_verdict(facts, (Input(path="/in"),), lone, settings, told).report
    assert [len(one.lowered) for one in (*of_services, report)] == [0, 1, 2, 3]
    assert [one.answer.lowered for one in (*of_services, report)] == [0, 1, 2, 3]
    assert not any(one.answer.state == "healthy" for one in (*of_services[1:], report))
    for form in ("text", "concise", "html", "markdown", "sarif", "junit"):
        assert "mqdiag.toml lowered 3 findings (deadlock" in " ".join(renderer(form)(report, View()).split()), (
            form
        )

"""Pods are no hosts: their names change with each roll-out, and state follows the workload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mqdiag.config import Settings
from mqdiag.facts.fleet import FleetFacts, LeftOut
from mqdiag.fleet.analysis.database import comparisons
from mqdiag.fleet.analysis.gather import fleet_facts
from mqdiag.fleet.analysis.picture import Picture
from mqdiag.fleet.files.instances import Instance, instance_of, is_environment
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.watching.faults import ReportedFaults, new_faults
from tests.fleet.made_output import Analysed, Row, at, write_output
from tests.fleet.test_services import found_row
from tests.fleet.test_views import asked, consumer
from tests.folded import folded
from tests.layers import CHECK, one_in_each_run

OLD, NEW = "shop-7d4b9c6f5d", "shop-6c9fd5b7bz"
"""pods of a Deployment before and after it was rolled"""


@folded(
    "host, workload, replica, revision",
    [
        ("shop-7d4b9c6f5d-x2x7k", "shop", "shop", "7d4b9c6f5d"),
        ("order-api-6c9fd5b7bz-bcdfg.orders.svc", "order-api", "order-api", "6c9fd5b7bz"),
        ("report-29384710-qwxzn", "report", "report", "29384710"),
        ("shop-12-vwx42", "shop", "shop", "12"),
        ("broker-a-0", "broker-a", "broker-a-0", None),
        ("agent-x2x7k", "agent", "agent", None),
        ("vm-42567", None, "vm-42567", None),
        ("10.20.30.40", None, "10.20.30.40", None),
        ("shop", None, "shop", None),
    ],
)
def test_the_name_of_an_instance_tells_its_workload(
    host: str, workload: str | None, replica: str, revision: str | None
) -> None:
    assert instance_of(host, {}) == Instance(workload=workload, replica=replica, revision=revision)


def test_labels_go_before_the_name() -> None:
    assert instance_of("i-0a1b", {"workload": "shop", "replica": "2"}).replica == "shop/2"
    assert instance_of("mq-kvsrv", {"replica": "mq-kvsrv", "workload": ""}).replica == "mq/mq-kvsrv"
    told = instance_of(f"{OLD}-x2x7k", {"workload": "front", "revision": "8.1"})
    assert told == Instance(workload="front", replica="front", revision="8.1")
    assert is_environment("Staging-2")
    assert not is_environment("test-orders")


def _night(day: int, pods: str, names: str, ill: str = "", *, hour: int = 2, **more: Any) -> list[Analysed]:
    """An incident of each pod that a letter names; those of `ill` show the fault."""
    return [
        Analysed(
            incident=f"{pods}{name}{day}-{hour}",
            host=f"{pods}-{name}2x7k",
            window_start=at(day, hour),
            checked=("retry-storm",),
            findings=(found_row("retry-storm"),) if name in ill else (),
            **more,
        )
        for name in names
    ]


@pytest.fixture
def layout(output: Layout) -> Layout:
    return output


def _runs(layout: Layout, *nights: Sequence[Analysed]) -> None:
    """One run after each night, over all evidence up to then."""
    known: list[Row] = []
    for number, night in enumerate(nights, 1):
        known = [*known, *write_output(layout, f"r{number}", night, known)]


def _facts(layout: Layout) -> FleetFacts:
    runs = [mark.run for mark in layout.runs()]
    with comparisons() as base:
        now, before = Picture(base, layout, runs[-1]), Picture(base, layout, runs[-2])
        facts, _, _ = fleet_facts(now, before, now.totals(LeftOut()), "/out", Settings())
    return facts


def _open(layout: Layout) -> list[tuple[str, int]]:
    rows = asked(layout, "FROM open_findings ORDER BY host")
    return [(row["host"].removesuffix("2x7k"), row["age_hours"]) for row in rows]


def _changes(facts: FleetFacts) -> list[str]:
    return [one.kind for one in facts.changes]


@CHECK
def test_a_fault_that_goes_over_to_the_next_pods_is_neither_new_nor_gone(layout: Layout) -> None:
    _runs(layout, _night(1, OLD, "bcd", "b"), _night(2, NEW, "fgh", "g"), _night(3, NEW, "fgh", "g"))
    assert _open(layout) == [(f"{NEW}-g", 48)]
    (times,) = asked(layout, "FROM fault_times")
    assert (times["replica"], times["times_returned"], times["recovered_at"]) == ("shop", 0, None)
    facts = _facts(layout)
    assert _changes(facts) == []
    (service,) = facts.services
    assert (service.hosts, service.errors, service.known, facts.totals.recovered) == (3, 1, 1, 0)
    assert facts.totals.hosts == 3


@CHECK
def test_evidence_that_shows_a_fault_takes_it_over_even_if_it_could_refute_none(layout: Layout) -> None:
    _runs(layout, _night(1, OLD, "b", "b"), _night(2, NEW, "f", "f", more={"refutes": []}))
    assert _open(layout) == [(f"{NEW}-f", 24)]


@one_in_each_run(2)
def test_dead_pods_close_after_the_next_evidence_that_would_show_the_fault(layout: Layout) -> None:
    blind = [
        Analysed(incident=one.incident, host=one.host, window_start=one.window_start)
        for one in _night(2, NEW, "fgh")
    ]
    _runs(layout, _night(1, OLD, "bcd", "b"), blind)
    assert _open(layout) == [(f"{OLD}-b", 0)], "the new pods have no evidence that would show it"
    assert _changes(_facts(layout)) == []
    write_output(layout, "r3", _night(3, NEW, "fgh"), [])
    assert _open(layout) == []
    (gone,) = asked(layout, "FROM recovered")
    assert (gone["replica"], gone["last_seen"], gone["recovered_at"]) == ("shop", at(1, 2), at(3, 2))


@CHECK
def test_evidence_of_the_dead_pods_need_not_be_listed_any_more(layout: Layout) -> None:
    """As with `--since`: the fault is gone, and not forgotten."""
    write_output(layout, "r1", _night(1, OLD, "bcd", "b"))
    write_output(layout, "r2", _night(2, NEW, "fgh"))
    assert _changes(_facts(layout)) == ["recovery"]


@CHECK
def test_a_pod_that_may_still_run_is_not_closed_by_others(layout: Layout) -> None:
    """Others of its ReplicaSet are still there, and fewer pods than before have evidence."""
    _runs(layout, _night(1, OLD, "bcd", "b"), [*_night(2, OLD, "c"), *_night(2, NEW, "f", hour=4)])
    assert _open(layout) == [(f"{OLD}-b", 0)]
    assert [row["host"] for row in asked(layout, "FROM gone_hosts")] == []


def test_a_deleted_pod_is_gone_when_as_many_others_are_there(layout: Layout) -> None:
    _runs(layout, _night(1, OLD, "bcd", "b"), _night(2, OLD, "cdf"))
    assert _open(layout) == []


@CHECK
def test_replicas_of_a_stateful_set_are_closed_by_their_own_evidence(layout: Layout) -> None:
    def night(day: int, names: Sequence[str], ill: str = "") -> list[Analysed]:
        rows = _night(day, "x", "bcd"[: len(names)], "b" if ill else "")
        return [
            Analysed(
                incident=f"{name}{day}",
                host=name,
                window_start=at(day),
                checked=one.checked,
                findings=one.findings,
            )
            for one, name in zip(rows, names, strict=True)
        ]

    _runs(layout, night(1, ["db-0", "db-1"], "db-0"), night(2, ["db-1", "db-2"]))
    assert [host for host, _ in _open(layout)] == ["db-0"]
    assert asked(layout, "FROM gone_hosts") == []


def test_a_rolled_deployment_is_no_drift(layout: Layout) -> None:
    def of(version: str) -> dict[str, Any]:
        return {"consumers": (consumer(client_version=version),)}

    _runs(layout, _night(1, OLD, "bcd", **of("4.9.7")), _night(2, NEW, "fgh", **of("4.9.8")))
    assert asked(layout, "FROM drift") == []
    assert len(asked(layout, "FROM latest_consumers")) == 3
    write_output(layout, "r3", [*_night(3, OLD, "bcd", **of("4.9.7")), *_night(3, NEW, "fgh", **of("4.9.8"))])
    assert {row["value"] for row in asked(layout, "FROM drift")} == {"4.9.7", "4.9.8"}, "both are running"


@CHECK
def test_a_new_fault_names_its_build(layout: Layout) -> None:
    def night(day: int, pods: str, build: str, ill: str) -> list[Analysed]:
        return _night(day, pods, "bcd", ill, more={"labels": {"build": build, "zone": "b"}})

    _runs(layout, night(1, OLD, "8.1", ""), night(2, NEW, "8.2", "c"))
    (change,) = _facts(layout).changes
    assert (change.kind, change.builds, change.earlier_builds) == ("regression", ("8.2",), ("8.1",))
    (row,) = asked(layout, "SELECT labels['zone'] AS zone, revision FROM open_findings")
    assert row == {"zone": "b", "revision": "6c9fd5b7bz"}


def test_a_watch_tells_the_fault_of_a_workload_once() -> None:
    told = ReportedFaults()

    def keys(day: int, pod: str, refutes: Sequence[str], *rules: str) -> int:
        row = {"environment": "", "service": "s", "host": pod, "replica": "shop", "incident": f"{pod}{day}"}
        incident = {**row, "window_start": at(day), "checked": [], "refutes": list(refutes)}
        found = [{**row, **found_row(rule), "consumer_group": None, "shown_by": [rule]} for rule in rules]
        return len(new_faults(told, [incident], found))

    assert keys(1, "b", [], "r") == 1
    assert keys(1, "c", ["r"]) == 0
    assert keys(2, "d", [], "r") == 0, "the fault went over to another pod"
    assert keys(3, "e", ["r"]) == 0
    assert keys(4, "f", [], "r") == 1, "it was gone, and comes back"

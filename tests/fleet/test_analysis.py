"""The comparisons, on a few rows whose answers are plain."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args

import duckdb
import pyarrow as pa
import pytest

from mqdiag.config import Settings
from mqdiag.facts.vocabulary import TraitKind
from mqdiag.fleet.analysis.database import comparisons, run_tables, select
from mqdiag.fleet.analysis.gather import rule_limits
from mqdiag.fleet.analysis.picture import TOLD
from mqdiag.fleet.session import cores_of_executor
from mqdiag.fleet.tables.arrow import full_schema
from tests.layers import CHECK

if TYPE_CHECKING:
    from pyspark import SparkContext

pytestmark = pytest.mark.xdist_group("fleet")


_GONE = pa.schema(
    [(name, pa.string()) for name in ("environment", "service", "replica", "host")]
    + [("gone_at", pa.timestamp("us", tz="UTC"))]
)


def _table(table: str, rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([{"environment": "", **row} for row in rows], full_schema(table))


def _asked(name: str, *, limits: Mapping[str, float] | None = None, **tables: pa.Table) -> pa.Table:
    """What a comparison finds in tables of these names."""
    with comparisons() as base:
        connection = run_tables(base, "r1")
        for limit, value in {"is_compared": True, **rule_limits(Settings()), **(limits or {})}.items():
            connection.execute(f'SET VARIABLE "{limit}" = {value}')
        tables.setdefault("gone_hosts", _GONE.empty_table())
        for table, rows in tables.items():
            if table in ("current_findings", "unrefuted_findings") and "finding" not in rows.column_names:
                rows = rows.append_column("finding", pa.array(range(len(rows))))
            connection.register(table, rows)
        return connection.sql(select(name)).to_arrow_table()


def test_names_of_runs_that_differ_in_case_are_two_runs() -> None:
    with comparisons() as base:
        for run in ("night", "Night"):
            run_tables(base, run).execute(f"CREATE TABLE own AS SELECT '{run}' AS run")
        for run in ("night", "Night"):
            assert run_tables(base, run).sql("FROM own").fetchall() == [(run,)]


def _rows(name: str, **given: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = _asked(name, **given).to_pylist()
    return rows


def _consumer(host: str, *, group: str = "g", version: str = "4.9.8", **more: Any) -> dict[str, Any]:
    settings = more.pop("settings", {})
    return {
        "service": more.pop("service", "orders"),
        "host": host,
        "incident": more.pop("incident", host),
        "consumer_group": group,
        "client_version": version,
        "settings": {"pullThresholdForQueue": "1000", "instanceName": host, **settings},
        "subscriptions": more.pop("subscriptions", ["orders"]),
        "messages": 400,
        "body_bytes": 4 << 20,
        "retained_bytes": 5 << 20,
        **more,
    }


def _drifts(frame: pa.Table) -> dict[str, dict[str, tuple[int, list[str]]]]:
    return {
        f"{row['consumer_group']} {row['key']}": {
            one["value"]: (one["instances"], one["hosts"]) for one in row["values"]
        }
        for row in frame.to_pylist()
    }


def _compared(consumers: pa.Table) -> pa.Table:
    return _asked("drifts", drift=_asked("drift", latest_consumers=consumers))


def test_drifts() -> None:
    rows = [_consumer(f"h{place}") for place in range(3)]
    rows.append(_consumer("h3", settings={"pullThresholdForQueue": "100"}))
    rows.append(_consumer("x", group="other"))
    assert _drifts(_compared(_table("consumers", rows))) == {
        "g pullThresholdForQueue": {
            "1000": (3, ["orders/h0", "orders/h1", "orders/h2"]),
            "100": (1, ["orders/h3"]),
        }
    }


def test_a_default_that_changed_with_the_version_is_no_drift() -> None:
    rows = [
        _consumer("h0", version="4.3.2", settings={"vipChannelEnabled": "true"}),
        _consumer("h1", version="4.9.8", settings={"vipChannelEnabled": "false"}),
    ]
    skew = {"g client_version": {"4.9.8": (1, ["orders/h1"]), "4.3.2": (1, ["orders/h0"])}}
    assert _drifts(_compared(_table("consumers", rows))) == skew
    rows[1]["settings"]["pullThresholdForQueue"] = "10"
    found = _drifts(_compared(_table("consumers", rows)))
    assert set(found) == {*skew, "g pullThresholdForQueue"}


def test_a_threshold_divided_by_the_queues_is_no_drift() -> None:
    rows = [
        _consumer(host, settings={"pullThresholdForTopic": "400", "pullThresholdForQueue": value})
        for host, value in (("h0", "100"), ("h1", "133"))
    ]
    assert _drifts(_compared(_table("consumers", rows))) == {}


def test_environments_are_kept_apart() -> None:
    rows = [
        _consumer("h0", environment="prod"),
        _consumer("h1", environment="test", settings={"pullThresholdForQueue": "1"}),
    ]
    assert _drifts(_compared(_table("consumers", rows))) == {}


def test_unequal_subscriptions() -> None:
    rows = [
        _consumer("h0", subscriptions=["b", "a"]),
        _consumer("h1", subscriptions=["a", "b"]),
        _consumer("h2", subscriptions=["a"]),
        _consumer("h3", subscriptions=[]),
    ]
    assert _drifts(_compared(_table("consumers", rows))) == {
        "g subscriptions": {"a, b": (2, ["orders/h0", "orders/h1"]), "a": (1, ["orders/h2"])}
    }


def test_the_latest_dump_of_a_host_counts() -> None:
    rows = [
        _consumer("h0", incident="old", window_start=datetime(2026, 1, 1, tzinfo=UTC)),
        _consumer("h0", incident="new", window_start=datetime(2026, 1, 2, tzinfo=UTC)),
        _consumer("h0", incident="new", group="second", window_start=datetime(2026, 1, 2, tzinfo=UTC)),
        _consumer("h1", incident="lone"),
    ]
    found = _rows("latest_consumers", current_consumers=_table("consumers", rows))
    assert sorted((row["host"], row["incident"], row["consumer_group"]) for row in found) == [
        ("h0", "new", "g"),
        ("h0", "new", "second"),
        ("h1", "lone", "g"),
    ]


def test_outliers() -> None:
    rows = [_consumer(f"h{place}", messages=400 + place) for place in range(7)]
    rows.append(_consumer("sick", messages=9000))
    (found,) = _rows("outliers", latest_consumers=_table("consumers", rows))
    assert (found["host"], found["metric"], found["value"]) == ("sick", "messages", 9000)
    assert (found["median"], found["deviation"], found["instances"]) == (403.5, 2.0, 8)
    # Deviations of 2 are noise: the scale is the floor of 100 messages, not 1.4826 * 2.
    assert found["score"] == pytest.approx((9000 - 403.5) / 100)


def test_many_outliers_do_not_hide_each_other() -> None:
    """A mean and a standard deviation would be moved by the three and miss them."""
    rows = [_consumer(f"h{place}", messages=400) for place in range(7)]
    rows += [_consumer(f"sick{place}", messages=9000) for place in range(3)]
    found = _rows("outliers", latest_consumers=_table("consumers", rows))
    assert sorted(row["host"] for row in found) == ["sick0", "sick1", "sick2"]


def test_too_few_instances_have_no_outlier() -> None:
    rows = [_consumer("h0"), _consumer("h1"), _consumer("h2", messages=9000)]
    assert _rows("outliers", latest_consumers=_table("consumers", rows)) == []


def _finding(service: str, host: str, rule: str = "r", severity: str = "error", **more: Any) -> dict[str, Any]:
    cause = more.pop("cause", "c")
    return {
        "service": service,
        "host": host,
        "incident": f"{service}{host}",
        "rule": rule,
        "cause": cause,
        "severity": severity,
        "severity_rank": ("error", "warning", "info").index(severity),
        "consumer_group": "g",
        "weight": 0.5,
        "title": f"{rule} on {host}",
        "fingerprint": f"{rule}{host}",
        "document": f"{rule} {host}",
        **more,
    }


def test_causes_by_spread() -> None:
    rows = [
        *(_finding("orders", f"h{place}", "wide", "warning") for place in range(3)),
        _finding("pay", "h0", "wide", "error"),
        *(_finding("orders", f"h{place}", "deep") for place in range(9)),
    ]
    frame = _table("findings", rows)
    first, second = _rows("shared_causes", unrefuted_findings=frame, changes=_CHANGES.empty_table())
    assert (first["rule"], first["services"], first["hosts"], first["findings"], first["rank"]) == (
        "wide",
        2,
        4,
        4,
        0,
    )
    assert rows[first["finding"]]["document"] == "wide h0"
    assert (second["rule"], second["services"], second["hosts"]) == ("deep", 1, 9)
    by_rule, faults = (_rows(name, unrefuted_findings=frame) for name in ("hosts_by_rule", "service_faults"))
    cells = {(row["service"], row["rule"]): (row["hosts"], row["rank"]) for row in by_rule}
    assert cells == {("orders", "wide"): (3, 1), ("pay", "wide"): (1, 0), ("orders", "deep"): (9, 0)}
    lone = {(row["service"], rows[row["finding"]]["document"]): row["hosts"] for row in faults}
    assert lone == {("orders", "wide h0"): 3, ("pay", "wide h0"): 1, ("orders", "deep h0"): 9}


def test_a_root_cause_comes_before_its_effects() -> None:
    rows = [_finding("pay", "h0", "an-effect", caused_by=["of a-root"]), _finding("pay", "h0", "the-root")]
    faults = _rows("service_faults", unrefuted_findings=_table("findings", rows))
    assert [row["rule"] for row in faults] == ["the-root", "an-effect"]


def _incident(service: str, checked: list[str], status: str = "ok") -> dict[str, Any]:
    return {"service": service, "host": "h0", "incident": service, "checked": checked, "status": status}


def test_changes() -> None:
    before = [_finding("orders", "h0", "old"), _finding("orders", "h0", "kept"), _finding("gone", "h0", "old")]
    now = [
        _finding("orders", "h1", "kept"),
        _finding("orders", "h0", "new", thread="t1"),
        _finding("orders", "h0", "unseen"),
        _finding("fresh", "h0", "new"),
    ]
    incidents_before = [_incident("orders", ["old", "kept", "new"]), _incident("gone", ["old"])]
    incidents_now = [_incident("orders", ["old", "kept", "new", "unseen"]), _incident("fresh", ["new"])]
    earlier_findings = _table(
        "findings", [{**row, "window_start": datetime(2026, 1, 1, tzinfo=UTC)} for row in before]
    )
    incidents_now = [{**row, "window_start": datetime(2026, 1, 2, tzinfo=UTC)} for row in incidents_now]
    faults, earlier = (
        _asked("service_faults", unrefuted_findings=_table("findings", rows)) for rows in (now, before)
    )
    changed = _asked(
        "changes",
        service_faults=faults,
        current_incidents=_table("incidents", incidents_now),
        earlier_faults=earlier,
        earlier_findings=earlier_findings,
        earlier_checked_rules=_asked("checked_rules", current_incidents=_table("incidents", incidents_before)),
    )
    # "unseen" was not checked before, "fresh" was not there before, "gone" is not there now: nothing is known of them.
    assert [(row["kind"], row["service"], row["rule"]) for row in changed.to_pylist()] == [
        ("regression", "orders", "new"),
        ("recovery", "orders", "old"),
    ]
    states = pa.Table.from_pylist(
        [
            {"environment": "", "service": name, "errors": errors, "warnings": 0, "lost": 0}
            for name, errors in (("fresh", 1), ("orders", 2))
        ]
    )
    counted = _rows(
        "services", current_state=states, service_faults=faults, earlier_faults=earlier, changes=changed
    )
    assert [(row["service"], row["new"], row["known"], row["gone"]) for row in counted] == [
        ("orders", 1, 1, 1),
        ("fresh", 0, 0, 0),
    ]


def _found_at(day: int | None, **more: Any) -> dict[str, Any]:
    start = None if day is None else datetime(2026, 1, day, tzinfo=UTC)
    return {**_finding("orders", "h0", **more), "incident": f"i{day}", "window_start": start}


def _checked_at(day: int | None, *checked: str) -> dict[str, Any]:
    start = None if day is None else datetime(2026, 1, day, tzinfo=UTC)
    return {**_incident("orders", list(checked)), "incident": f"i{day}", "window_start": start}


def _open(findings: pa.Table, incidents: pa.Table) -> pa.Table:
    return _asked("unrefuted_findings", current_findings=findings, current_incidents=incidents)


def test_the_latest_evidence_that_could_show_a_fault_decides_whether_it_is_open() -> None:
    findings = [
        _found_at(1, rule="healed"),
        _found_at(1, rule="still"),
        _found_at(2, rule="still"),
        _found_at(1, rule="needs-a-heap"),
        _found_at(None, rule="dateless"),
    ]
    incidents = [
        _checked_at(None, "dateless"),
        _checked_at(1, "healed", "still", "needs-a-heap"),
        _checked_at(2, "healed", "still", "dateless"),
        _checked_at(3),  # nothing could be read then, so nothing is refuted
    ]
    frame = _table("findings", findings)
    still_open = _open(frame, _table("incidents", incidents))
    assert sorted((row["rule"], row["incident"]) for row in still_open.to_pylist()) == [
        ("dateless", "iNone"),
        ("needs-a-heap", "i1"),
        ("still", "i2"),
    ]
    changes = pa.table({"kind": ["regression", "recovery", "recovery"]})
    (counts,) = _rows(
        "finding_counts",
        current_findings=frame,
        unrefuted_findings=still_open,
        changes=changes,
        current_incidents=_table("incidents", incidents),
    )
    assert (counts["findings"], counts["errors"], counts["recovered"]) == (3, 3, 1)
    assert (counts["regressions"], counts["recoveries"]) == (1, 2)


def test_evidence_that_could_not_show_a_fault_does_not_refute_it() -> None:
    """The rule ran on it; but it is cut, of another kind, or of one moment."""
    frame = _table("findings", [_found_at(1, shown_by=["r/stacks"])])
    first = _checked_at(1, "r")
    for refutes, is_open in (([], True), (["r", "r/heap"], True), (["r", "r/stacks"], False)):
        later = {**_checked_at(2, "r"), "refutes": refutes}
        assert _open(frame, _table("incidents", [first, later])).num_rows == is_open, refutes


def test_evidence_of_the_same_time_does_not_refute_a_fault() -> None:
    """A manifest may have dates alone: which of two dumps of a day was the later one is not known."""
    frame = _table("findings", [{**_found_at(1), "incident": "b"}])
    faulty = {**_checked_at(1, "r"), "incident": "b"}
    for other in ("a", "c"):
        healthy = {**_checked_at(1, "r"), "incident": other}
        assert _open(frame, _table("incidents", [faulty, healthy])).num_rows == 1, other


def test_the_fault_of_one_group_does_not_refute_that_of_another() -> None:
    frame = _table("findings", [_found_at(1), _found_at(2, consumer_group="other")])
    later = {**_checked_at(2, "r"), "refutes": []}
    assert _open(frame, _table("incidents", [_checked_at(1, "r"), later])).num_rows == 2


def test_one_host_does_not_refute_the_fault_of_another() -> None:
    healthy = {**_checked_at(2, "r"), "host": "h1"}
    frame = _table("findings", [_found_at(1)])
    incidents = _table("incidents", [_checked_at(1, "r"), healthy])
    assert _open(frame, incidents).num_rows == 1


def _with_evidence(service: str, host: str, group: str | None = None, **evidence: Any) -> dict[str, Any]:
    document = json.dumps({"rule": "r", "evidence": evidence})
    return _finding(service, host, consumer_group=group, document=document)


def _common(
    rows: list[dict[str, Any]],
    versions: dict[str, str],
    limits: Mapping[str, float] | None = None,
    new: Sequence[dict[str, Any]] = (),
    incidents: Sequence[dict[str, Any]] = (),
    asked: str = "common_traits",
) -> list[Any]:
    consumers = [
        _consumer(host, service=place, version=version)
        for name, version in versions.items()
        for place, host in [name.split("/")]
    ]
    found = duckdb.from_arrow(_table("findings", rows)).project(f"*, {TOLD}").to_arrow_table()
    found = found.append_column("finding", pa.array(range(len(found))))
    given: dict[str, Any] = {"unrefuted_findings": found, "limits": limits}
    given["host_versions"] = _asked("host_versions", latest_consumers=_table("consumers", consumers))
    given["telling_versions"] = _asked("telling_versions", **given)
    given["shared_traits"] = _asked("shared_traits", **given)
    new = [
        {"kind": "regression", "rule": "r", "cause": "c", "rank": 0, "consumer_group": "", **row} for row in new
    ]
    given["changes"] = pa.Table.from_pylist(new or [{}], _CHANGES)
    given["common_traits"] = _asked("common_traits", **given)
    given["builds"] = given["earlier_builds"] = _asked(
        "builds", current_incidents=_table("incidents", list(incidents))
    )
    return _rows(asked, **given)


_CHANGES = pa.schema(
    [(name, pa.string()) for name in ("kind", "environment", "service", "rule", "cause", "consumer_group")]
    + [("rank", pa.int64()), ("hosts", pa.int64())]
)


def test_every_kind_of_trait_has_its_place() -> None:
    kinds = ", ".join(f"'{kind}'" for kind in get_args(TraitKind))
    assert f"[{kinds}]" in select("shared_traits")


def test_unrelated_calls_have_nothing_in_common() -> None:
    rows = [_with_evidence(name, "h", group=name, frame=f"com.{name}.Call.get(Call.java:1)") for name in "abcd"]
    assert _common(rows, {}) == []


def test_hosts_that_share_a_frame_have_it_in_common_whatever_the_line() -> None:
    frame = "com.acme.Client.get(Client.java:{})"
    rows = [_with_evidence(name, "h", frame=frame.format(line)) for line, name in enumerate("abc")]
    rows.append(_with_evidence("d", "h", frame="com.other.Client.get(Client.java:1)"))
    (found,) = _common(rows, {})
    assert (found["kind"], found["value"]) == ("frame", "com.acme.Client.get")
    assert (found["services"], found["hosts"], found["fault_hosts"]) == (3, 3, 4)
    assert found["example_hosts"] == ["a/h", "b/h", "c/h"]


@CHECK
def test_services_that_wait_for_one_server_have_its_address_in_common() -> None:
    """By calls and paths of their own."""
    rows = [
        _with_evidence(
            name, "h", group=name, frame=f"{name}.Call.get(Call.java:1)", peers=[url, "http://own/x"]
        )
        for name, url in zip(
            "abcd", ("http://pay:80/a?x=1", "http://u:p@pay:80/b", "pay:80", "http://pay/a"), strict=True
        )
    ]
    (found,) = _common(rows, {}, {"common-cause.hosts": 3})[:1]
    assert (found["kind"], found["value"], found["hosts"]) == ("address", "own", 4)
    assert {row["value"] for row in _common(rows, {})} == {"own", "pay:80"}
    hidden = [_with_evidence(name, "h", group=name, peers=["address-1"]) for name in "abcd"]
    assert _common(hidden, {}) == [], "a placeholder is numbered for each incident"


@CHECK
def test_what_is_new_in_most_services_comes_first_and_new_faults_name_it() -> None:
    rows = [
        _with_evidence(name, f"h{place}", group="g", frame="x.Old.get(O.java:1)")
        for name in "abcd"
        for place in range(3)
    ]
    rows += [_with_evidence(name, "h9", group="h", frame="x.New.get(N.java:1)") for name in "efg"]
    new = [{"environment": "", "service": name, "consumer_group": "h", "hosts": 1} for name in "efg"]
    found = _common(rows, {}, new=new)
    assert [(row["value"], row["new_services"], row["services"]) for row in found] == [
        ("x.New.get", 3, 3),
        ("x.Old.get", 0, 4),
    ]
    told = _common(rows, {}, new=[*new, {**new[0], "service": "z"}], asked="told_changes")
    assert [(row["service"], row["shared_value"], row["shared_services"]) for row in told] == [
        *((name, "x.New.get", 3) for name in "efg"),
        ("z", None, None),
    ]


@CHECK
def test_of_traits_with_the_same_hosts_the_most_specific_is_told() -> None:
    rows = [
        _with_evidence("a", f"h{place}", group="g", library="okhttp", frame="x.Y.z(Y.java:1)")
        for place in range(3)
    ]
    rows.append(_with_evidence("b", "h", library="okhttp", frame="x.Other.z(Other.java:1)"))
    found = {(row["kind"], row["value"]): row["hosts"] for row in _common(rows, {})}
    assert found == {("frame", "x.Y.z"): 3, ("library", "okhttp"): 4}


@CHECK
@pytest.mark.parametrize(
    ("with_it", "without", "faulty_with", "faulty_without"),
    [(8, 8, 4, 0), (8, 8, 6, 1), (30, 300, 9, 4), (5, 36, 3, 1), (12, 2000, 6, 40)],
)
def test_the_chance_of_a_version_is_that_of_fisher(
    with_it: int, without: int, faulty_with: int, faulty_without: int
) -> None:
    """One service of two versions: as many faulty hosts among those with the version, or more."""
    versions = {f"a/w{place}": "4.9.8" for place in range(with_it)}
    versions |= {f"a/o{place}": "4.9.2" for place in range(without)}
    faulty = [f"w{place}" for place in range(faulty_with)] + [f"o{place}" for place in range(faulty_without)]
    rows = [_with_evidence("a", host, group=f"g{host}") for host in faulty]
    found = {row["value"]: row for row in _common(rows, versions, {"common-cause.chance": 2.0})}
    ways = [
        math.comb(with_it, count) * math.comb(without, len(faulty) - count)
        for count in range(faulty_with, min(with_it, len(faulty)) + 1)
    ]
    exact = 2 * sum(ways) / math.comb(with_it + without, len(faulty))
    assert found["4.9.8"]["chance"] == pytest.approx(exact, rel=1e-6)
    of_others = (
        found["4.9.8"]["trait_hosts"],
        found["4.9.8"]["other_hosts"],
        found["4.9.8"]["other_fault_hosts"],
    )
    assert of_others == (with_it, without, faulty_without)


@CHECK
def test_a_version_is_common_only_if_the_fault_is_commoner_with_it() -> None:
    rows = [_with_evidence("a", f"h{place}", group=f"g{place}") for place in range(4)]
    old = {f"a/h{place}": "4.9.2" for place in range(4)}
    (found,) = _common(rows, old | {f"a/x{place}": "4.9.8" for place in range(4)})
    assert (found["kind"], found["value"], found["hosts"]) == ("client-version", "4.9.2", 4)
    assert (found["trait_hosts"], found["other_hosts"], found["other_fault_hosts"]) == (4, 4, 0)
    assert found["chance"] == pytest.approx(2 / 70), (
        "all four of eight by chance: 1 of 70, and there are two versions"
    )
    assert _common(rows, old) == [], "all hosts have this version"
    elsewhere = {f"{name}/x{place}": "4.9.8" for name in "bc" for place in range(4)}
    assert _common(rows, old | elsewhere) == [], "hosts of one service share more than a version"
    few = {f"{name}/h": "4.9.8" for name in "bcdefghijklmnopqrstuvwxyz"[:16]} | {"z1/h": "5.0", "z2/h": "5.0"}
    spread = [_with_evidence(name, "h", group=name) for name in "bcde"]
    assert _common(spread, few) == [], "4 of 16 against 0 of 2 is no more than chance"
    few |= {f"y{place}/h": "5.0" for place in range(40)}
    (found,) = _common(spread, few)
    assert (found["hosts"], found["trait_hosts"], found["other_hosts"], found["other_fault_hosts"]) == (
        4,
        16,
        42,
        0,
    )
    rolling = {f"a/h{place}": "4.9.8" for place in range(36)} | {f"a/x{place}": "4.9.2" for place in range(5)}
    assert _common(rows, rolling) == [], "4 of 36 against 0 of 5"
    as_often = {f"a/x{place}": "4.9.2" for place in range(8)} | {"b/h": "4.9.8"}
    rows.append(_with_evidence("b", "h", group="other"))
    assert _common(rows, old | as_often) == []


def test_service_states() -> None:
    incidents = [_incident("orders", []), _incident("pay", [], "failed")]
    findings = [_finding("orders", "h0"), _finding("orders", "h0", severity="warning")]
    failures = [{"service": "pay", "host": "h0", "path": path} for path in ("a", "b")]
    of_workloads = _asked(
        "workload_state",
        current_incidents=_table("incidents", incidents),
        unrefuted_findings=_table("findings", findings),
        current_failures=_table("failures", failures),
    )
    found = _rows("current_state", workload_state=of_workloads)
    assert sorted(
        (row["service"], row["errors"], row["warnings"], row["failed"], row["lost"]) for row in found
    ) == [("orders", 1, 1, 0, 0), ("pay", 0, 0, 1, 2)]


def test_a_service_whose_evidence_came_regularly_is_missed() -> None:
    """Each by its own interval; one that had evidence now and then is not missed, nor one with a night left out."""
    days = {
        "nightly": range(1, 8),
        "missed": (1, 2, 3, 4, 5, 6, 9),
        "weekly": (1, 4, 7, 10 - 1),
        "rare": (1, 3),
        "now": range(1, 11),
    }
    incidents = [
        {**_incident(service, []), "window_start": datetime(2026, 1, day, 23, tzinfo=UTC)}
        for service, of_days in days.items()
        for day in of_days
    ]
    (found,) = _rows(
        "silent_services",
        freshness=_asked("freshness", current_incidents=_table("incidents", incidents)),
    )
    assert (found["service"], found["silent_days"], found["usual_days"]) == ("nightly", 3, 1)
    assert (found["latest_day"], found["days_with_evidence"]) == ("2026-01-07", 7)


def test_capacity() -> None:
    mib = 1 << 20
    rows = [
        _consumer("h0", heap_bytes=1000 * mib, bound_bytes=400 * mib, threshold=100, queues=4),
        _consumer("h0", heap_bytes=1000 * mib, bound_bytes=700 * mib, threshold=1000, queues=4),
        _consumer("h1", heap_bytes=2000 * mib, bound_bytes=400 * mib, threshold=100, queues=6),
        _consumer("h2", group="unknown", heap_bytes=None, bound_bytes=None),
    ]
    groups = _asked("capacity", latest_consumers=_table("consumers", rows))
    known, unknown = _rows("capacities", capacity=groups)
    assert known["instances"] == 2
    assert known["heap_bytes_least"] == 1000 * mib
    assert known["bound_bytes_most"] == 1100 * mib
    assert known["bound_share_most"] == pytest.approx(1.1)
    assert (known["threshold_least"], known["threshold_most"], known["queues_most"], known["over_heap"]) == (
        100,
        1000,
        8,
        1,
    )
    assert (unknown["bound_bytes_most"], unknown["bound_share_most"], unknown["over_heap"]) == (None, None, 0)


def test_the_fullest_group_comes_first_and_an_unknown_one_last() -> None:
    groups = [
        {"consumer_group": "unknown", "bound_share_most": None, "held_bytes_most": 9},
        {"consumer_group": "roomy", "bound_share_most": 0.1, "held_bytes_most": 9},
        {"consumer_group": "full", "bound_share_most": 0.9, "held_bytes_most": 1},
        {"consumer_group": "fuller", "bound_share_most": 0.9, "held_bytes_most": 2},
        {"consumer_group": "empty", "bound_share_most": None, "held_bytes_most": None},
    ]
    capacity = pa.Table.from_pylist([{"environment": "", "over_heap": 0, **row} for row in groups])
    found = [row["consumer_group"] for row in _rows("capacities", capacity=capacity)]
    assert found == ["fuller", "full", "roomy", "unknown", "empty"]


def test_faults_of_mqdiag_come_before_lost_files() -> None:
    failures = [
        {"service": "a", "host": "h0", "kind": "unreadable", "path": "/1"},
        {"service": "b", "host": "h0", "kind": "unreadable", "path": "/2"},
        {"service": "b", "host": "h0", "kind": "memory", "path": None},
        {"service": "b", "host": "h0", "kind": "fault", "path": "/3"},
    ]
    found = _rows("lost_files", current_failures=_table("failures", failures))
    assert [row["path"] for row in found] == ["/3", "/1", None, "/2"]


@CHECK
def test_limits_of_the_rules_say_what_is_compared() -> None:
    """They have no second place in SQL: a lower limit finds more."""
    rows = [_consumer(f"h{place}", messages=400) for place in range(3)]
    table = _table("consumers", [*rows, _consumer("sick", messages=700)])
    limits = {"outlier-instance.instances": 4, "outlier-instance.score": 2}
    assert _rows("outliers", latest_consumers=table) == []
    (found,) = _rows("outliers", latest_consumers=table, limits=limits)
    assert (found["host"], found["score"]) == ("sick", 3)
    shared = [_with_evidence(name, "h", frame="x.Y.z(Y.java:1)") for name in "ab"]
    assert _common(shared, {}) == []
    (trait,) = _common(shared, {}, {"common-cause.hosts": 2})
    assert (trait["kind"], trait["hosts"]) == ("frame", 2)


def test_the_cores_of_an_executor_are_not_the_default_parallelism(context: SparkContext) -> None:
    conf = context._jsc.sc().conf()
    conf.set("spark.default.parallelism", "200")
    try:
        assert context.defaultParallelism == 200
        assert cores_of_executor(context) == 2
    finally:
        conf.remove("spark.default.parallelism")

"""Logs of several real brokers in one folder: each is judged by its own, and named."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.facts.logs import UNNAMED_BROKER, BrokerLogs, LogsFacts
from mqdiag.findings import Finding, Report
from mqdiag.logs.places import place_of
from mqdiag.rules.shared.write_times import writes_fast
from tests.folded import folded
from tests.layers import CHECK
from tests.logs.given import facts, line

ROOT = Path(__file__).parents[2] / "fixtures" / "logs"
SICK, WELL = "page-cache-busy-5.3.3", "healthy-5.3.3"


def logs_of(report: Report) -> LogsFacts:
    assert report.logs is not None
    return report.logs


def laid(
    case: str, folder: Path, *, renamed: str = "", processes: tuple[str, ...] = ("broker", "producer")
) -> None:
    """The logs of a case's processes in a folder, its broker by another name."""
    for path in sorted((ROOT / case).rglob("*.gz")):
        process = path.parent.name
        if process not in processes or path.name == "gc.log.gz":
            continue
        text = gzip.decompress(path.read_bytes())
        if renamed:
            text = text.replace(b"broker-a", renamed.encode()).replace(b":10911", b":20911")
        into = folder / process / path.stem
        into.parent.mkdir(parents=True, exist_ok=True)
        into.write_bytes(text)


def by_name(logs: LogsFacts) -> dict[str | None, BrokerLogs]:
    return {broker.name: broker for broker in logs.brokers}


@pytest.fixture
def two(tmp_path: Path) -> Path:
    laid(WELL, tmp_path / "one")
    laid(SICK, tmp_path / "two", renamed="broker-b")
    return tmp_path


def test_the_one_in_trouble_is_named_and_the_other_is_not(two: Path) -> None:
    report = diagnose_incident([two]).report
    assert report.findings
    assert {found.subject.broker for found in report.findings} == {"broker-b"}
    alone = diagnose_logs(sorted((two / "two").rglob("*.log"))).report
    assert {found.rule for found in report.findings} == {found.rule for found in alone.findings}


def test_the_healthy_one_does_not_dilute(two: Path) -> None:
    """Its numbers are those of a run without the other."""
    logs = logs_of(diagnose_incident([two]).report)
    alone = {
        name: logs_of(diagnose_logs(sorted((two / name).rglob("*.log"))).report) for name in ("one", "two")
    }
    both = by_name(logs)
    assert both["broker-a"].pagecachert == alone["one"].pagecachert
    assert both["broker-b"].pagecachert == alone["two"].pagecachert
    assert logs.pagecachert is None
    assert both["broker-a"].settings == alone["one"].settings
    busy = {event.kind: event.count for event in both["broker-b"].events if event.kind.startswith("busy")}
    assert busy == {event.kind: event.count for event in alone["two"].events if event.kind.startswith("busy")}
    assert not [event for event in both["broker-a"].events if event.kind.startswith("busy")]


@CHECK
def test_a_healthy_broker_writes_fast_beside_one_that_does_not(tmp_path: Path) -> None:
    laid("healthy-4.3.2", tmp_path / "one")
    laid("page-cache-busy-4.3.2", tmp_path / "two", renamed="broker-b")
    report = diagnose_incident([tmp_path]).report
    brokers = by_name(logs_of(report))
    assert writes_fast(brokers["broker-a"].pagecachert)
    assert not writes_fast(brokers["broker-b"].pagecachert)
    assert {found.subject.broker for found in report.findings} == {"broker-b"}


@CHECK
def test_two_incidents_of_brokers_of_one_name_stay_two(tmp_path: Path) -> None:
    """Both are broker-a at 127.0.0.1: folders and times tell them apart."""
    laid("pool-exhausted-4.3.2", tmp_path / "monday")
    laid(SICK, tmp_path / "thursday")
    report = diagnose_incident([tmp_path]).report
    by_rule: dict[str, set[str | None]] = {}
    for found in report.findings:
        assert found.subject.broker == "broker-a"
        by_rule.setdefault(found.rule, set()).add(found.subject.instance)
    assert by_rule["transient-pool-exhausted"] == {"monday/broker"}
    assert by_rule["send-busy"] == {"monday/broker", "thursday/broker"}
    assert len({found.fingerprint for found in report.findings}) == len(report.findings)


def linked(report: Report) -> set[tuple[str | None, str | None]]:
    own: dict[str, Finding] = {found.fingerprint: found for found in report.findings}
    return {
        (own[root].subject.instance, found.subject.instance)
        for found in report.findings
        for root in found.caused_by
    }


def test_no_cause_leads_from_one_broker_to_the_other(tmp_path: Path) -> None:
    laid("pool-exhausted-4.3.2", tmp_path / "monday")
    laid(SICK, tmp_path / "thursday")
    links = linked(diagnose_incident([tmp_path]).report)
    assert links == {("monday/broker", "monday/broker"), ("thursday/broker", "thursday/broker")}


@CHECK
def test_master_and_slave_are_two(tmp_path: Path) -> None:
    laid("sync-slave-stopped-4.3.2", tmp_path, processes=("broker", "slave", "producer"))
    report = diagnose_incident([tmp_path]).report
    assert {found.subject.instance for found in report.findings} == {"broker"}
    brokers = {broker.instance: broker for broker in logs_of(report).brokers}
    assert set(brokers) == {"broker", "slave"}
    assert {event.kind for event in brokers["slave"].events} == {"slave-settings-copied", "start-succeeded"}, (
        "senders are answered by the master"
    )


def test_logs_of_two_brokers_in_one_flat_folder(tmp_path: Path) -> None:
    for case, name in ((WELL, "broker-a"), (SICK, "broker-b")):
        laid(case, tmp_path / name, renamed="" if name == "broker-a" else name, processes=("broker",))
        for path in sorted((tmp_path / name / "broker").iterdir()):
            shutil.move(path, tmp_path / f"{name}-{path.name}")
        shutil.rmtree(tmp_path / name)
    report = diagnose_incident([tmp_path]).report
    assert {found.subject.broker for found in report.findings} == {"broker-b"}


def test_store_logs_of_one_time_are_of_two_brokers_whatever_they_are_called(tmp_path: Path) -> None:
    """store.log and store-2.log look like rotation, but a broker writes one line a minute."""
    minute = "[PAGECACHERT] TotalPut 9, PutMessageDistributeTime [<=0ms]:9 [0~10ms]:0 "
    both = [line(minute, second=second) for second in (1, 2)]
    apart = facts("".join(both), "".join(both), names=("x/store.log", "x/store.log.1"))
    assert not apart.brokers, "a minute apart at most: one follows the other"
    early = line(minute).replace("20:00:01", "19:00:01")
    apart = facts(early + both[0], early + both[1], names=("x/store.log", "x/store-2.log"))
    assert len(apart.brokers) == 2
    assert apart.pagecachert is None


def test_rotated_logs_of_one_broker_are_one(tmp_path: Path) -> None:
    minute = "[PAGECACHERT] TotalPut 9, PutMessageDistributeTime [<=0ms]:9 [0~10ms]:0 "
    early = line(minute).replace("20:00:01", "19:00:01")
    logs = facts(early, line(minute), names=("x/otherdays/store.1.log", "x/store.log"))
    assert not logs.brokers
    assert logs.pagecachert is not None
    assert logs.pagecachert.puts == 18


def test_answers_are_split_by_the_broker_that_senders_name() -> None:
    text = "MQBrokerException: CODE: 2  DESC: [OVERLOAD]system busy, start flow control for a while BROKER: {}"
    told = [line(text.format(f"10.0.0.{number}:10911"), second=number) for number in (1, 1, 2)]
    logs = facts("".join(told), names=("producer/rocketmq_client.log",))
    counts = {broker.name: [event.count for event in broker.events] for broker in logs.brokers}
    assert counts == {"10.0.0.1:10911": [2], "10.0.0.2:10911": [1]}


def test_answers_that_name_nobody_are_given_to_nobody(tmp_path: Path) -> None:
    """Where both brokers' logs lie equally near, and both wrote at that time."""
    started = "The broker[{}, 10.0.0.{}:10911] boot success."
    nameless = "MQBrokerException: CODE: 2  DESC: [OVERLOAD]system busy, start flow control for a while"
    logs = facts(
        line(started.format("broker-a", 1)),
        line(started.format("broker-b", 2)),
        "".join(line(nameless, second=second) for second in range(1, 20)),
        names=("i/broker-a/broker.log", "i/broker-b/broker.log", "i/app/app.log"),
    )
    by_instance = {(broker.name, broker.instance): len(broker.events) for broker in logs.brokers}
    assert by_instance == {("broker-a", None): 1, ("broker-b", None): 1, (None, UNNAMED_BROKER): 1}


@CHECK
def test_a_name_that_two_brokers_have_tells_neither(tmp_path: Path) -> None:
    """Their logs lie elsewhere and are of that time: what senders were told is joined with no broker's trouble."""
    laid("page-cache-busy-5.3.3", tmp_path / "x" / "one", processes=("broker",))
    laid("page-cache-busy-4.9.7", tmp_path / "x" / "two", processes=("broker",))
    for path in (tmp_path / "x" / "two").rglob("*.log"):
        # the clock of the other one's trouble
        path.write_bytes(re.sub(rb"20:\d\d:(\d\d)", rb"20:25:\1", path.read_bytes()))
    laid("page-cache-busy-5.3.3", tmp_path / "y", processes=("producer",))
    for path in (tmp_path / "y").rglob("*.log"):
        path.write_bytes(path.read_bytes().replace(b"127.0.0.1:10911", b"broker-a.lan:9999"))
    links = linked(diagnose_incident([tmp_path]).report)
    assert links == {("one/broker", "one/broker"), ("two/broker", "two/broker"), ("unnamed", "unnamed")}


@folded(
    "path, place",
    [
        ("logs/broker.log", "logs"),
        ("logs/otherdays/store.3.log.gz", "logs"),
        ("logs/store.log.2", "logs"),
        ("logs/store-2026-11-21.log.gz", "logs"),
        ("logs/broker-a-store.log", "logs/a"),
        ("logs/10.1.2.3-store.log", "logs/10.1.2.3"),
        ("a.tar.gz!logs/store.log", "a.tar.gz/logs"),
        ("store.log", ""),
    ],
)
def test_places(path: str, place: str) -> None:
    assert place_of(path) == place

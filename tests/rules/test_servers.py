"""Real proxies, controllers, brokers and clients in trouble and in order: each fault is found, and nothing else."""

from __future__ import annotations

import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Finding, Report, Severity

FOLDER = Path(__file__).parents[2] / "fixtures" / "servers"
CASES = sorted(path.parent.name for path in FOLDER.glob("*/truth.json"))
LONG = ("broker-heap-5.3.3", "pop-revive-late-5.3.3", "proxy-clients-5.3.3")
"""cases whose dumps take longer to read"""


def having(*names: str) -> list[Any]:
    """Cases with one of these files; those that take long only at night."""
    return [
        pytest.param(name, marks=pytest.mark.nightly) if name in LONG else name
        for name in CASES
        if any((FOLDER / name / file).is_file() for file in names)
    ]


def truth(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((FOLDER / name / "truth.json").read_text())
    return read


@cache
def heap_report(name: str) -> Report:
    return diagnose_heap(str(FOLDER / name / "dump.hprof.gz")).report


def serious(report: Report) -> list[Finding]:
    return [one for one in report.findings if one.severity in (Severity.ERROR, Severity.WARNING)]


@pytest.mark.parametrize("name", having("dump.hprof.gz"))
def test_heap(name: str) -> None:
    report = heap_report(name)
    assert report.heap is not None
    assert list(report.heap.servers) == truth(name)["servers"]
    assert sorted({one.rule for one in serious(report)}) == sorted(truth(name)["findings"])
    assert report.inputs[0].complete


@pytest.mark.parametrize("name", having("series.tar.gz"))
def test_threads(name: str, tmp_path: Path) -> None:
    """No fault of these cases stands in the threads, so nothing may be found there."""
    with tarfile.open(FOLDER / name / "series.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    report = diagnose_stacks([str(file) for file in sorted(tmp_path.iterdir())]).report
    assert report.stacks is not None
    assert list(report.stacks.servers) == truth(name)["servers"]
    assert serious(report) == []


@pytest.mark.parametrize("name", having("rocketmq-client.log.gz"))
def test_log_of_a_grpc_client(name: str) -> None:
    report = diagnose_logs([str(FOLDER / name / "rocketmq-client.log.gz")]).report
    (wanted,) = truth(name)["findings"]
    assert {f"{one.rule}:{one.cause}" for one in serious(report)} == {wanted}
    assert report.logs is not None
    assert report.logs.level_lines.unclassified == report.logs.level_lines.foreign == 0


@pytest.mark.parametrize("name", having("dledger.log.gz"))
def test_log_of_a_raft_member(name: str) -> None:
    report = diagnose_logs([str(FOLDER / name / "dledger.log.gz")]).report
    assert [one.rule for one in serious(report)] == truth(name)["findings"]


def test_receipt_handles_are_those_of_the_live_objects() -> None:
    for name in ("proxy-handles-5.3.3", "proxy-local-healthy-5.3.3"):
        heap, read = heap_report(name).heap, truth(name)["read"]["dump"]
        assert heap is not None
        assert heap.proxy is not None
        assert heap.proxy.handles == sum(owner.handles for owner in heap.proxy.handle_owners) == read["handles"]
        assert len(heap.proxy.handle_owners) == read["owners"]
        assert heap.proxy.clients == read["clients"]


def test_client_mistakes_are_those_of_the_live_objects() -> None:
    name = "client-mistakes-4.9.8"
    by_rule = {one.rule: one.evidence for one in serious(heap_report(name))}
    assert by_rule["dead-channels"]["dead_channels"] == truth(name)["read"]["closed_channels"]
    assert by_rule["duplicate-client-id"]["clients"] == 2

"""Real proxies, controllers, brokers and clients in trouble and in order: each fault is found, and nothing else."""

from __future__ import annotations

import gzip
import json
import lzma
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Finding, Report, Severity
from mqdiag.language import english
from mqdiag.rules import proxy_threads_busy
from tests.folded import folded
from tests.layers import NIGHTLY, one_in_each_run, some_later
from tests.rules.checks import findings
from tests.rules.examples import example_of

FOLDER = Path(__file__).parents[2] / "fixtures" / "servers"
CASES = sorted(path.parent.name for path in FOLDER.glob("*/truth.json"))
DUMP = "dump.hprof.xz"
LONG = frozenset(CASES) - {
    "controllers-5.3.3",
    "controller-alone-5.3.3",
    "proxy-handles-5.3.3",
    "name-server-5.3.3",
}
"""cases whose dumps take longer to read"""


def having(*names: str) -> list[Any]:
    """Cases with one of these files; those that take long only at night."""
    long = LONG if DUMP in names else ()
    having = [name for name in CASES if any((FOLDER / name / file).is_file() for file in names)]
    return some_later(having, long.__contains__)


def truth(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((FOLDER / name / "truth.json").read_text())
    return read


@cache
def heap_report(name: str) -> Report:
    with tempfile.NamedTemporaryFile(suffix=".hprof") as dump:
        dump.write(lzma.decompress((FOLDER / name / DUMP).read_bytes()))
        dump.flush()
        return diagnose_heap(dump.name).report


def serious(report: Report) -> list[Finding]:
    return [one for one in report.findings if one.severity in (Severity.ERROR, Severity.WARNING)]


@one_in_each_run(3)
@pytest.mark.parametrize("name", having(DUMP))
def test_heap(name: str) -> None:
    report = heap_report(name)
    assert report.heap is not None
    assert list(report.heap.servers) == truth(name)["servers"]
    assert sorted({one.rule for one in serious(report)}) == sorted(truth(name)["findings"])
    assert report.inputs[0].complete


@pytest.mark.parametrize("name", having("series.tar.gz"))
def test_threads(name: str, tmp_path: Path) -> None:
    """Nothing else is found than what stands in the threads."""
    with tarfile.open(FOLDER / name / "series.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    report = diagnose_stacks([str(file) for file in sorted(tmp_path.iterdir())]).report
    assert report.stacks is not None
    assert list(report.stacks.servers) == truth(name)["servers"]
    assert [one.rule for one in serious(report)] == truth(name).get("threads", [])


WINDOW_BYTES = 65_535
"""that HTTP/2 lets a server send of an answer before the client reads"""
SERVER_LOGS = ("pop.log.gz", "proxy.log.gz")


@folded("name", [name for name in CASES if any((FOLDER / name / log).is_file() for log in SERVER_LOGS)])
def test_log_of_a_proxy_or_of_pop(name: str) -> None:
    (path,) = [FOLDER / name / log for log in SERVER_LOGS if (FOLDER / name / log).is_file()]
    report = diagnose_logs([str(path)]).report
    assert report.logs is not None
    assert report.logs.files[0].kind == path.name.partition(".")[0]
    assert sorted(one.rule for one in serious(report)) == truth(name).get("logs", [])
    assert report.answer.state != "healthy" or "logs" not in truth(name)


def test_log_of_the_thread_pools_of_a_proxy() -> None:
    report = diagnose_logs([str(FOLDER / "proxy-cluster-healthy-5.3.3" / "proxy_watermark.log.gz")]).report
    assert report.logs is not None
    (file,) = report.logs.files
    assert (file.kind, file.utc_offset) == ("proxy-watermark", "+08:00")


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


@NIGHTLY
def test_requests_passed_on_are_those_of_the_live_objects() -> None:
    name = "proxy-relay-unanswered-5.3.3"
    heap = heap_report(name).heap
    assert heap is not None
    assert heap.proxy is not None
    assert heap.proxy.relayed == truth(name)["read"]["dump"]["relayed"]


@NIGHTLY
def test_answers_that_clients_do_not_read() -> None:
    """Those of the gRPC client wait in the streams of HTTP/2, those of the other client in its connection."""
    name = "proxy-unread-5.3.3"
    (found,) = [one for one in serious(heap_report(name)) if one.rule == "proxy-output-waits"]
    heap = heap_report(name).heap
    assert heap is not None
    assert heap.proxy is not None
    netty = heap.proxy.netty
    assert netty is not None
    unread = truth(name)["unread"]
    by_grpc, by_pull = (one.unsent_bytes for one in netty.unsent)
    assert netty.unsent_streams == unread["calls"]
    asked = unread["calls"] * (unread["body_bytes"] - WINDOW_BYTES)
    assert 0 <= by_grpc - asked < unread["calls"] * 1024
    assert unread["body_bytes"] < by_pull < unread["pulls"] * (unread["body_bytes"] + 1024)
    assert found.evidence["unsent_bytes"] == netty.unsent_bytes == by_grpc + by_pull
    assert len(set(found.evidence["peers"])) == 2
    assert netty.chunk_bytes >= netty.used_bytes >= netty.unsent_bytes


def test_busy_threads_that_do_not_wait_leave_the_answer_open() -> None:
    facts = example_of(proxy_threads_busy).fires()
    assert facts.heap is not None
    assert facts.heap.proxy is not None
    (pool,) = facts.heap.proxy.pools
    works = msgspec.structs.replace(pool, in_wait=1, name=None)
    proxy = msgspec.structs.replace(facts.heap.proxy, pools=(works,))
    facts = msgspec.structs.replace(facts, heap=msgspec.structs.replace(facts.heap, proxy=proxy))
    (found,) = findings(proxy_threads_busy, facts)
    assert (found.severity, found.undecides) == (Severity.INFO, True)
    assert english()(found.title) == "222 requests wait in the proxy for 2 threads, which are busy"


@NIGHTLY
def test_threads_of_a_proxy_that_stand() -> None:
    """Their pool, the requests that wait for them, and where they are; the other pools have nothing to do."""
    heap = heap_report("proxy-standing-5.3.3").heap
    assert heap is not None
    assert heap.proxy is not None
    (busy,) = [one for one in heap.proxy.pools if one.active]
    assert (busy.name, busy.threads, busy.active) == ("GrpcProducerThreadPool", 2, 2)
    assert busy.in_wait == 2
    assert busy.waiting > 100
    assert sorted(frame.partition("(")[0].rpartition(".")[0] for frame in busy.frames) == [
        "org.apache.rocketmq.store.PutMessageReentrantLock",
        "org.apache.rocketmq.store.TopicQueueLock",
    ]
    assert not any(one.waiting or one.frames for one in heap.proxy.pools if one is not busy)


@NIGHTLY
def test_receipt_handles_are_those_of_the_live_objects() -> None:
    for name in ("proxy-handles-5.3.3", "proxy-local-healthy-5.3.3"):
        heap, read = heap_report(name).heap, truth(name)["read"]["dump"]
        assert heap is not None
        assert heap.proxy is not None
        assert heap.proxy.handles == sum(owner.handles for owner in heap.proxy.handle_owners) == read["handles"]
        assert len(heap.proxy.handle_owners) == read["owners"]
        assert heap.proxy.clients == read["clients"]


@NIGHTLY
def test_the_limit_of_a_heap_by_a_share_of_the_memory() -> None:
    name = "broker-ram-percentage-5.3.3"
    heap = heap_report(name).heap
    assert heap is not None
    assert heap.heap_bytes is not None
    assert heap.heap_bytes_source == "container"
    # Runtime.maxMemory() leaves out a survivor space
    assert 0.95 <= truth(name)["read"]["max_memory_bytes"] / heap.heap_bytes <= 1


@NIGHTLY
def test_client_mistakes_are_those_of_the_live_objects() -> None:
    name = "client-mistakes-4.9.8"
    by_rule = {one.rule: one.evidence for one in serious(heap_report(name))}
    assert by_rule["dead-channels"]["dead_channels"] == truth(name)["read"]["closed_channels"]
    assert by_rule["duplicate-client-id"]["clients"] == 2


LOST = "controllers-lost-5.3.3"
JRAFT_LOST = "jraft-controllers-lost-5.3.3"


def logs_of_controllers(folder: Path, case: str, name: str, *members: str) -> Report:
    """What the logs of these members say, each in a folder of its own as on its own host; name may be a pattern."""
    paths = [path for member in members for path in sorted((FOLDER / case).glob(f"{member}-{name}.gz"))]
    logs = [folder / path.stem.replace("-", "/", 1) for path in paths]
    for path, log in zip(paths, logs, strict=True):
        log.parent.mkdir(exist_ok=True)
        log.write_bytes(gzip.decompress(path.read_bytes()))
    return diagnose_logs([str(log) for log in logs]).report


@pytest.mark.parametrize(
    ("case", "name", "cause"),
    [
        (LOST, "controller.log", "no-leader"),
        (LOST, "dledger.log", "no-majority"),
        (JRAFT_LOST, "controller.log", "no-leader"),
        (JRAFT_LOST, "jraft.log", "no-majority"),
    ],
)
def test_logs_of_all_controllers_when_two_were_killed(case: str, name: str, cause: str, tmp_path: Path) -> None:
    report = logs_of_controllers(tmp_path, case, name, "n0", "n1", "n2")
    assert report.logs is not None
    assert {file.kind for file in report.logs.files} == {name.partition(".")[0]}
    (found,) = serious(report)
    assert (found.rule, found.cause) == ("raft-without-leader", cause)
    assert sorted(found.evidence["ended"]) == sorted(truth(case)["killed"])
    assert found.evidence["members_read"] == 3
    assert 30_000 < found.evidence["without_leader_ms"] < 60_000
    assert report.logs.level_lines.unclassified == report.logs.level_lines.foreign == 0


@pytest.mark.parametrize("name", ["controller.log", "jraft.log", "*.log"])
def test_controllers_in_order_find_a_leader_when_they_start(name: str, tmp_path: Path) -> None:
    assert not logs_of_controllers(tmp_path, "jraft-controllers-5.3.3", name, "n0", "n1", "n2").findings


@pytest.mark.parametrize(
    ("case", "name"),
    [
        (LOST, "controller.log"),
        (LOST, "dledger.log"),
        (JRAFT_LOST, "controller.log"),
        (JRAFT_LOST, "jraft.log"),
    ],
)
def test_controllers_that_choose_another_leader_are_in_order(case: str, name: str, tmp_path: Path) -> None:
    """The logs of two members until the second one was killed: a new leader had followed the first."""
    killed = truth(case)["killed"]
    members = [f"n{truth(case)['members'].index(one)}" for one in killed] if case == JRAFT_LOST else killed
    report = logs_of_controllers(tmp_path, case, name, *members)
    assert not serious(report)
    assert {one.cause for one in report.findings} <= {"leader-lost"}

"""Rules over what people post: one thread dump, an answer of mqadmin, a crash report, a few lines of a GC log."""

from __future__ import annotations

import pytest

from mqdiag.facts import AdminFacts, CrashFacts, Facts, LogsFacts, StacksFacts
from mqdiag.facts.admin import BlockedQueue, ConnectedClient, ConsumerConnection, ConsumerState
from mqdiag.facts.collector_logs import SafepointPauses
from mqdiag.facts.crash import CrashReport
from mqdiag.facts.stacks import ThreadAt, ThreadFacts
from mqdiag.facts.thread_kinds import ThreadKind
from mqdiag.findings import Confidence, Severity
from mqdiag.rules import (
    client_leak,
    duplicate_client_id,
    jvm_crash,
    long_safepoints,
    offset_stuck_at_head,
    out_of_memory_thread,
)
from tests.folded import folded
from tests.rules.checks import findings, said


def _connected(*clients: tuple[str, str]) -> Facts:
    rows = tuple(ConnectedClient(client_id=client_id, address=address) for client_id, address in clients)
    connection = ConsumerConnection(source="connection.txt", group="CID_orders", clients=rows)
    return Facts(admin=AdminFacts(consumer_connections=(connection,)))


def test_one_client_id_at_two_hosts() -> None:
    (finding,) = findings(
        duplicate_client_id, _connected(("172.17.0.1@7", "10.0.0.1:4001"), ("172.17.0.1@7", "10.0.0.2:4001"))
    )
    assert finding.evidence["clients"] == 2
    assert finding.evidence["addresses"] == ("10.0.0.1:4001", "10.0.0.2:4001")
    assert finding.subject.group == "CID_orders"


def test_one_client_id_twice_at_one_host() -> None:
    """Two containers behind one address, or one process that has just connected again."""
    (finding,) = findings(
        duplicate_client_id, _connected(("172.17.0.1@7", "10.0.0.1:4001"), ("172.17.0.1@7", "10.0.0.1:4002"))
    )
    assert finding.confidence is Confidence.LOW


def test_client_ids_in_order() -> None:
    assert not findings(
        duplicate_client_id, _connected(("172.17.0.1@7", "10.0.0.1:4001"), ("172.17.0.1@8", "10.0.0.2:4001"))
    )


def _kinds(**counts: tuple[int, ...]) -> Facts:
    kinds = tuple(ThreadKind(thread=name, threads=threads) for name, threads in counts.items())
    return Facts(stacks=StacksFacts(samples=1, kinds=kinds))


def test_many_clients_in_one_dump() -> None:
    (finding,) = findings(client_leak, _kinds(RebalanceService=(61,), PullMessageService=(60,)))
    assert finding.evidence["instances"] == 60
    assert finding.confidence is Confidence.MEDIUM


def test_number_of_clients_grows() -> None:
    (finding,) = findings(client_leak, _kinds(RebalanceService=(61, 75), PullMessageService=(60, 75)))
    assert finding.confidence is Confidence.HIGH
    assert finding.evidence["first_thread_counts"] == (61, 60)


@pytest.mark.parametrize(
    "counts",
    [
        {"RebalanceService": (19,), "PullMessageService": (19,)},
        # a pool of the application with one of the names
        {"RebalanceService": (200,)},
        {"ConsumeMessageThread_CID_#": (200,), "http-nio-8080-exec-#": (200,)},
    ],
)
def test_few_clients(counts: dict[str, tuple[int, ...]]) -> None:
    assert not findings(client_leak, _kinds(**counts))


def _status(blocked_ms: int) -> Facts:
    row = BlockedQueue(client="c@1", topic="orders", broker="broker-a", queue_id=3, blocked_ms=blocked_ms)
    return Facts(admin=AdminFacts(consumers=(ConsumerState(source="status.txt", blocked=(row,)),)))


def test_mqadmin_says_that_a_queue_stands_still() -> None:
    (finding,) = findings(offset_stuck_at_head, _status(600_000))
    assert finding.severity is Severity.ERROR
    assert (finding.subject.topic, finding.subject.queue_id) == ("orders", 3)
    assert "10 min" in said(finding)


def test_mqadmin_says_that_a_queue_stands_still_for_a_short_time() -> None:
    assert not findings(offset_stuck_at_head, _status(59_000))


def test_thread_that_met_the_error_in_one_dump() -> None:
    thread = ThreadFacts(
        name="ConsumeMessageThread_CID_1",
        role="consume",
        group="CID",
        state="unknown",
        samples=(ThreadAt(state="RUNNABLE", top="java.lang.OutOfMemoryError.<init>"),),
        frame="com.acme.Tags.query(Tags.java:68)",
    )
    (finding,) = findings(out_of_memory_thread, Facts(stacks=StacksFacts(samples=1, threads=(thread,))))
    assert finding.evidence["frame"] == "com.acme.Tags.query(Tags.java:68)"
    assert finding.subject.group == "CID"


@folded(
    "report, cause, confidence",
    [
        (
            CrashReport(source="a", signal="SIGBUS", frame_kind="native", library="libc.so.6"),
            "disk-full",
            "medium",
        ),
        (
            CrashReport(source="a", signal="SIGSEGV", frame_kind="native", library="libagent.so"),
            "native-library",
            "medium",
        ),
        # the C library crashes for whoever called it
        (
            CrashReport(source="a", signal="SIGSEGV", frame_kind="native", library="libc.so.6"),
            "unknown",
            "high",
        ),
        (CrashReport(source="a", signal="SIGSEGV", thread="C2 CompilerThread1"), "jit", "medium"),
        (
            CrashReport(source="a", out_of_memory="committing reserved memory.", out_of_memory_bytes=12_288),
            "out-of-native-memory",
            "high",
        ),
        (CrashReport(source="a"), "unknown", "high"),
    ],
)
def test_crashes_told_apart(report: CrashReport, cause: str, confidence: str) -> None:
    (finding,) = findings(jvm_crash, Facts(crash=CrashFacts(reports=(report,))))
    assert (finding.cause, finding.confidence, finding.severity) == (cause, confidence, Severity.ERROR)


def _pause(longest_ms: float, reaching_ms: float | None) -> Facts:
    row = SafepointPauses(
        path="gc.log",
        pauses=1,
        total_ms=longest_ms,
        reaching_ms=reaching_ms,
        long=1,
        longest_ms=longest_ms,
        longest_reaching_ms=reaching_ms,
    )
    return Facts(logs=LogsFacts(safepoints=(row,)))


@pytest.mark.parametrize(
    ("reaching_ms", "cause", "confidence"),
    [
        (14_000.0, "time-to-safepoint", "high"),
        (2.0, "collection", "high"),
        (None, "collection", "medium"),
    ],
)
def test_pause_by_its_longer_part(reaching_ms: float | None, cause: str, confidence: str) -> None:
    (finding,) = findings(long_safepoints, _pause(14_188.0, reaching_ms))
    assert (finding.cause, finding.confidence) == (cause, confidence)

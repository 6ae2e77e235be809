"""A put lock whose holder changes, in series of real brokers: those who spin before it make no progress."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.language import english
from tests.folded import folded
from tests.threads.made import TAKE, At, facts, report
from tests.threads.real_series import CASES, diagnosis_of

MADE_BY = "AllocateMappedFileService"
WARMS = (
    "java.nio.MappedByteBuffer.force0(Native Method)",
    "java.nio.MappedByteBuffer.force(MappedByteBuffer.java:203)",
    "org.apache.rocketmq.store.MappedFile.warmMappedFile(MappedFile.java:480)",
    "org.apache.rocketmq.store.AllocateMappedFileService.mmapOperation(AllocateMappedFileService.java:190)",
    "org.apache.rocketmq.store.AllocateMappedFileService.run(AllocateMappedFileService.java:146)",
    "java.lang.Thread.run(Thread.java:840)",
)
STORES = (
    "org.apache.rocketmq.store.CommitLog.putMessage(CommitLog.java:590)",
    "org.apache.rocketmq.broker.processor.SendMessageProcessor.sendMessage(SendMessageProcessor.java:300)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
    "java.lang.Thread.run(Thread.java:840)",
)
HELD = ("broker-put-lock-held-4.3.2", "broker-put-lock-held-4.9.7", "broker-stalled")


def states(case: str) -> set[str]:
    stacks = diagnosis_of(CASES / case / "series.tar.gz").report.stacks
    assert stacks is not None
    return {thread.state for thread in stacks.threads if thread.name.startswith("SendMessageThread_")}


@pytest.mark.parametrize("case", ["broker-put-lock-held-4.3.2", "broker-put-lock-held-4.9.7"])
def test_all_are_blocked_while_the_next_file_is_not_made(case: str) -> None:
    assert states(case) <= {"blocked", "stuck"}
    first = diagnosis_of(CASES / case / "series.tar.gz").report.findings[0]
    assert (first.rule, first.cause, first.severity) == (
        "broker-send-blocked",
        "page-cache-busy",
        Severity.ERROR,
    )


@pytest.mark.parametrize("case", ["broker-spinning-4.3.2", "broker-flush-quick-4.3.2", "broker-healthy-5.3.3"])
def test_a_busy_broker_with_a_sound_disk_is_not(case: str) -> None:
    assert not states(case) & {"blocked", "stuck"}


def unpacked(archive: Path, folder: Path) -> list[Path]:
    """The samples of a series as files."""
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    return sorted(folder.rglob("*.log"))


def thread_named(name: str, threads: Iterable[ThreadFacts]) -> ThreadFacts:
    (found,) = (thread for thread in threads if thread.name == name)
    return found


@pytest.mark.parametrize("case", HELD)
def test_the_thread_that_makes_the_file_is_the_root(case: str) -> None:
    report = diagnosis_of(CASES / case / "series.tar.gz").report
    assert report.stacks is not None
    maker = thread_named(MADE_BY, report.stacks.threads)
    assert (maker.state, maker.confidence, maker.doing) == ("stuck", "high", "file-read")
    assert {still.holder for still in report.stacks.standstills} == {MADE_BY}
    first = report.findings[0]
    assert any("java.io.RandomAccessFile.open0" in english()(line) for line in first.remedy)
    assert "java.io.RandomAccessFile.open0 in 5 of 5 samples, using no CPU" in english()(first.explanation[-1])
    assert "for the next file of the commit log" in english()(first.title)


@pytest.mark.parametrize("case", HELD)
def test_without_cpu_time_the_thread_is_stuck_while_others_wait_for_its_file(case: str, tmp_path: Path) -> None:
    """As JDK 8 prints them."""
    samples = unpacked(CASES / case / "series.tar.gz", tmp_path)
    for sample in samples:
        sample.write_text(re.sub(r" cpu=\S+", "", sample.read_text()))
    report = diagnose_stacks(samples).report
    assert report.stacks is not None
    maker = thread_named(MADE_BY, report.stacks.threads)
    assert (maker.state, maker.confidence) == ("stuck", "medium")
    assert report.findings[0].evidence["holder"] == MADE_BY
    assert report.findings[0].confidence == Confidence.MEDIUM


def test_send_threads_are_no_surer_than_the_thread_that_they_wait_for(tmp_path: Path) -> None:
    """They spin, so only the thread that makes the file tells that nothing moves; here it uses a little CPU time."""
    samples = unpacked(CASES / "broker-put-lock-held-4.3.2" / "series.tar.gz", tmp_path)
    for number, sample in enumerate(samples):
        sample.write_text(
            re.sub(
                rf'("{MADE_BY}".* cpu=)[0-9.]+ms',
                lambda found, number=number: f"{found[1]}{5 + 0.08 * number:.2f}ms",
                sample.read_text(),
            )
        )
    report = diagnose_stacks(samples).report
    assert report.stacks is not None
    assert thread_named(MADE_BY, report.stacks.threads).confidence == "medium"
    assert {still.confidence for still in report.stacks.standstills} == {"medium"}
    assert report.findings[0].confidence == Confidence.MEDIUM


def test_a_thread_that_makes_a_file_for_which_nobody_waits_is_not_stuck(tmp_path: Path) -> None:
    """It warms a file in advance on a slow disk, while the send threads have nothing to do."""
    sample = [At(MADE_BY, 40, WARMS), At("SendMessageThread_1", 51, TAKE, "WAITING")]
    stacks = facts(tmp_path, [sample] * 5, every=3.0)
    maker = thread_named(MADE_BY, stacks.threads)
    assert (maker.state, maker.confidence) == ("unknown", None)
    assert not stacks.standstills


def test_the_report_says_where_the_thread_is_that_makes_the_file(tmp_path: Path) -> None:
    """It uses CPU time, so it is not stuck: it writes to each page of the file."""
    park = "jdk.internal.misc.Unsafe.park(Native Method)"
    holder = (
        park,
        "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:277)",
        "org.apache.rocketmq.store.AllocateMappedFileService.putRequestAndReturnMappedFile"
        "(AllocateMappedFileService.java:90)",
        *STORES,
    )
    waiter = (
        park,
        "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:285)",
        "org.apache.rocketmq.store.PutMessageReentrantLock.lock(PutMessageReentrantLock.java:29)",
        *STORES,
    )
    samples = [
        [
            At(MADE_BY, 40, WARMS, cpu=50.0 + 900 * number),
            At("SendMessageThread_1", 51, holder, "WAITING"),
            At("SendMessageThread_2", 52, waiter, "WAITING"),
            At("SendMessageThread_3", 53, waiter, "WAITING"),
        ]
        for number in range(5)
    ]
    first = report(tmp_path, samples, every=3.0).findings[0]
    assert first.rule == "broker-send-blocked"
    words = " ".join(map(english(), (*first.explanation, *first.remedy)))
    assert (
        f"Thread {MADE_BY} makes that file, and is in java.nio.MappedByteBuffer.force0 in 5 of 5 samples."
        in words
    )
    assert "warmMapedFileEnable=false" in words
    assert "does not make it" not in words


def test_a_dump_without_owners_is_neither_surer_nor_leads_elsewhere() -> None:
    plain, with_owners = (
        diagnosis_of(CASES / "broker-stalled" / f"{name}.tar.gz").report.findings[0]
        for name in ("series", "jstack-l")
    )
    assert english()(plain.title) == english()(with_owners.title)
    assert plain.confidence == with_owners.confidence
    assert [*map(english(), plain.remedy)] == [*map(english(), with_owners.remedy)]


def test_a_thread_that_made_a_file_in_between_is_not_stuck() -> None:
    stacks = diagnosis_of(CASES / "broker-stalled-for-a-while" / "series.tar.gz").report.stacks
    assert stacks is not None
    assert thread_named(MADE_BY, stacks.threads).state == "progressing"


@folded(
    "case",
    [
        "broker-busy",
        "broker-flush-quick-4.3.2",
        "broker-flush-slow-4.3.2",
        "broker-healthy-5.3.3",
        "broker-slave-waits-4.3.2",
        "broker-spinning-4.3.2",
    ],
)
def test_where_files_are_made_in_time_their_thread_rests(case: str) -> None:
    stacks = diagnosis_of(CASES / case / "series.tar.gz").report.stacks
    assert stacks is not None
    assert thread_named(MADE_BY, stacks.threads).state == "idle"

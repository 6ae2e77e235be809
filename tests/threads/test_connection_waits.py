"""Consume threads that wait for pooled connections again and again, in dumps of one JVM and of two."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Finding, Severity
from mqdiag.read.stacks.reader import read_stacks
from mqdiag.threads.facts import stacks_facts
from tests.threads.made import CONSUME, MYSQL, At, dump
from tests.threads.made import report as report_on

BORROW = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.SynchronousQueue.poll(SynchronousQueue.java:903)",
    "com.zaxxer.hikari.util.ConcurrentBag.borrow(ConcurrentBag.java:151)",
    "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:162)",
    "com.acme.Dao.find(Dao.java:33)",
    *CONSUME,
)
DRY = "\n".join(
    dump(
        [
            At(f"ConsumeMessageThread_CID_{number}", 30 + number, BORROW, "TIMED_WAITING", cpu=10.0 * sample)
            for number in (1, 2, 3)
        ],
        5.0 * sample,
    )
    for sample in range(5)
)
OTHER_JVM = "\n".join(
    dump([At("ConsumeMessageThread_CID_9", 30, MYSQL)], 5.0 * sample).replace("17.0.15+6", "21.0.1+1")
    for sample in range(5)
)


def test_all_threads_of_a_group_wait_again_and_again(tmp_path: Path) -> None:
    (tmp_path / "series.log").write_text(DRY)
    stacks = diagnose_stacks([tmp_path / "series.log"]).report.stacks
    assert stacks is not None
    (waits,) = stacks.connection_waits
    assert (waits.library, waits.waiting, waits.user) == ("HikariCP", (3,) * 5, None)


def test_a_thread_of_another_jvm_is_no_user_of_the_pool(tmp_path: Path) -> None:
    """As one series, dumps of two JVMs are not judged; each JVM is judged alone."""
    paths = [tmp_path / "a.log", tmp_path / "b.log"]
    for path, text in zip(paths, (DRY, OTHER_JVM), strict=True):
        path.write_text(text)
    mixed = stacks_facts([sample for path in paths for sample in read_stacks(str(path)).samples])
    assert (mixed.not_judged_because, mixed.connection_waits) == ("mixed-jvms", ())
    for report in (diagnose_stacks(paths).report, diagnose_incident([tmp_path]).report):
        (dry,) = [finding for finding in report.findings if finding.rule == "connection-pool-exhausted"]
        assert dry.evidence["user"] is None


IN_A_TASK = (
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
    "java.lang.Thread.run(Thread.java:840)",
)
ASKS = (*BORROW[: -len(CONSUME)], *IN_A_TASK)
QUERIES = (*MYSQL[: -len(CONSUME)], *IN_A_TASK)


def _told(folder: Path, samples: list[set[int]], threads: int = 12) -> list[Finding]:
    """What is said of a pool of threads, of which those with these numbers wait for a connection."""
    made = [
        [
            At(f"exec-{number}", 30 + number, ASKS if number in waiting else QUERIES, cpu=90.0 * (sample + 1))
            for number in range(threads)
        ]
        for sample, waiting in enumerate(samples)
    ]
    found = report_on(folder, made, every=30.0).findings
    return [one for one in found if one.rule == "connection-pool-exhausted"]


def test_a_pool_that_many_want_at_any_time_is_told_and_no_fault(tmp_path: Path) -> None:
    (one,) = _told(tmp_path, [set(range(7)), set(range(2, 12)), set(range(5, 10))])
    assert (one.severity, one.cause, one.is_fault) == (Severity.INFO, "pool-too-small", False)
    assert (one.evidence["waiting"], one.evidence["thread_count"]) == ((7, 10, 5), 5)


def test_a_queue_before_a_pool_that_comes_and_goes_is_not_told(tmp_path: Path) -> None:
    assert not _told(tmp_path, [set(range(7)), set(), set(range(5, 10))])
    assert not _told(tmp_path, [set(range(7)), set(range(4)), set(range(5, 10))])

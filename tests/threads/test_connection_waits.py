"""Consume threads that wait for pooled connections again and again, in dumps of one JVM and of two."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.read.stacks.reader import read_stacks
from mqdiag.threads.facts import stacks_facts
from tests.threads.made import CONSUME, MYSQL, At, dump

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

"""Locks that nobody gives back, and waits that nobody ends, in one dump; frames of real dumps."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Report, Severity
from tests.rules.checks import said
from tests.threads.made import RUN, TAKE, At, dump, report

PARKED = "WAITING (parking)"
MONITOR = "BLOCKED (on object monitor)"
NOTIFIED = "WAITING (on object monitor)"
PLAIN = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
FAIR = "java.util.concurrent.locks.ReentrantLock$FairSync"
SHARED = "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync"
LOCK, OTHER, JOINED = "0x00000000f0000010", "0x00000000f0000020", "0x00000000f0000030"
COMPUTES = ("com.acme.Job.compute(Job.java:70)", "com.acme.Job.run(Job.java:20)", RUN)


def wants(name: str, java_id: int, kind: str = PLAIN, state: str = PARKED) -> At:
    """A worker of a pool that wants a lock of java.util.concurrent."""
    outer = kind.rpartition("$")[0]
    method = f"{outer}$WriteLock.lock" if kind == SHARED else f"{outer}.lock"
    frames = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        f"- parking to wait for  <{LOCK}> (a {kind})",
        "java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
        "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire(AbstractQueuedSynchronizer.java:715)",
        f"{method}(Lock.java:322)",
        "com.acme.Stock.take(Stock.java:31)",
        "java.util.concurrent.FutureTask.run(FutureTask.java:264)",
        "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
        RUN,
    )
    return At(name, java_id, frames, state)


def rests(name: str, java_id: int, *held: str) -> At:
    return At(name, java_id, TAKE, PARKED, synchronizers=held)


def convoys(found: Report) -> list[tuple[str | None, Severity]]:
    return [(one.cause, one.severity) for one in found.findings if one.rule == "lock-convoy"]


LEFT = [("lock-not-given-back", Severity.WARNING)]


def test_an_owner_that_waits_for_its_next_task_gives_nothing_back(tmp_path: Path) -> None:
    """Whatever else goes on: the code that would give the lock back has returned."""
    sample = [
        rests("pool-1-thread-1", 21, f"<{LOCK}> (a {PLAIN})"),
        wants("pool-1-thread-2", 22),
        At("job", 23, COMPUTES),
    ]
    found = report(tmp_path, [sample])
    assert convoys(found) == LEFT
    (finding,) = [one for one in found.findings if one.rule == "lock-convoy"]
    assert finding.evidence["holder"] == "pool-1-thread-1"
    assert "has not given back" in said(finding)


@pytest.mark.parametrize("kind", [PLAIN, SHARED])
@pytest.mark.parametrize("waiters", [1, 4])
def test_nobody_at_work_can_have_the_lock(tmp_path: Path, kind: str, waiters: int) -> None:
    sample = [
        rests("pool-1-thread-9", 20),
        *(wants(f"pool-1-thread-{n}", 20 + n, kind) for n in range(1, 1 + waiters)),
    ]
    found = report(tmp_path, [sample])
    assert convoys(found) == LEFT
    assert ("held for reading" in said(found.findings[0])) is (kind == SHARED)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(At("job", 30, COMPUTES), id="works"),
        pytest.param(
            At("job", 30, ("java.lang.Thread.sleep(Native Method)", *COMPUTES), "TIMED_WAITING (sleeping)"),
            id="sleeps",
        ),
        pytest.param(
            At("job", 30, ("sun.nio.ch.Net.accept(Native Method)", *COMPUTES)), id="waits for work under a lock"
        ),
    ],
)
def test_whoever_may_have_the_lock_is_no_fault(tmp_path: Path, other: At) -> None:
    assert LEFT[0] not in convoys(report(tmp_path, [[wants("pool-1-thread-1", 21), other]]))


def test_a_wait_with_a_limit_ends(tmp_path: Path) -> None:
    sample = [rests("pool-1-thread-2", 22), wants("pool-1-thread-1", 21, state="TIMED_WAITING (parking)")]
    assert LEFT[0] not in convoys(report(tmp_path, [sample]))


def test_a_fair_lock_may_change_hands(tmp_path: Path) -> None:
    """In a real loop over a fair lock one of six dumps showed all eight threads before it, and none that had it."""
    sample = [wants(f"pool-1-thread-{n}", 20 + n, FAIR) for n in range(1, 9)]
    assert LEFT[0] not in convoys(report(tmp_path, [sample]))


@pytest.mark.parametrize(("cpu", "found"), [(50.0, LEFT), (9000.0, [])])
def test_few_busy_threads_may_hand_a_lock_on(tmp_path: Path, cpu: float, found: list[object]) -> None:
    """Nine seconds of a core in 100: the lock may be free while it wakes the next thread."""
    waiter = wants("pool-1-thread-1", 21)
    waiter.cpu = cpu
    faults = [one for one in convoys(report(tmp_path, [[rests("pool-1-thread-2", 22), waiter]])) if one in LEFT]
    assert faults == found


def test_a_thread_that_rested_a_moment_ago_is_no_fault(tmp_path: Path) -> None:
    samples = [[rests("pool-1-thread-1", 21)], [wants("pool-1-thread-1", 21)]]
    assert LEFT[0] not in convoys(report(tmp_path, samples))


JOINS = (
    "java.lang.Object.wait(Native Method)",
    f"- waiting on <{JOINED}> (a java.lang.Thread)",
    "java.lang.Thread.join(Thread.java:1304)",
    f"- locked <{JOINED}> (a java.lang.Thread)",
    "com.acme.Main.stop(Main.java:44)",
    f"- locked <{OTHER}> (a java.lang.Object)",
    "com.acme.Main.main(Main.java:12)",
)
WANTS_MONITOR = (
    "com.acme.Worker.work(Worker.java:50)",
    f"- waiting to lock <{OTHER}> (a java.lang.Object)",
    "com.acme.Worker.run(Worker.java:20)",
    RUN,
)


def test_a_thread_waits_for_the_end_of_one_that_wants_its_lock(tmp_path: Path) -> None:
    sample = [At("main", 1, JOINS, NOTIFIED), At("worker", 21, WANTS_MONITOR, MONITOR)]
    (finding,) = [one for one in report(tmp_path, [sample]).findings if one.rule == "deadlock"]
    assert (finding.cause, finding.severity) == ("hidden-deadlock", Severity.WARNING)
    assert "nobody is left" in said(finding)


def test_another_thread_may_be_what_it_waits_for(tmp_path: Path) -> None:
    sample = [At("main", 1, JOINS, NOTIFIED), At("worker", 21, WANTS_MONITOR, MONITOR), At("job", 22, COMPUTES)]
    assert "deadlock" not in {one.rule for one in report(tmp_path, [sample]).findings}


FOR_CHILD = "- waiting on the Class initialization monitor for com.acme.Child"
FOR_PARENT = "- waiting on the Class initialization monitor for com.acme.Parent"


@pytest.mark.parametrize("with_notes", [True, False])
def test_a_class_waits_for_its_super_class(tmp_path: Path, with_notes: bool) -> None:
    """No frame shows that a class initializes its super class first; JDK 16 and older name no classes either."""
    parent = ("com.acme.Parent.<clinit>(Parent.java:5)", FOR_CHILD, "com.acme.One.run(One.java:9)", RUN)
    child = ("com.acme.Two.run(Two.java:9)", FOR_PARENT, RUN)
    sample = [
        At(name, java_id, [line for line in frames if with_notes or not line.startswith("- ")])
        for name, java_id, frames in (("one", 21, parent), ("two", 22, child))
    ]
    path = tmp_path / "threads.txt"
    path.write_text(dump(sample, 0).replace(" runnable", " in Object.wait()"))
    found = diagnose_stacks([path]).report
    (finding,) = [one for one in found.findings if one.rule == "deadlock"]
    assert (finding.cause, finding.severity) == ("deadlock", Severity.ERROR)
    assert finding.evidence["thread_count"] == 2


def test_a_class_that_another_thread_initializes_closes_no_circle(tmp_path: Path) -> None:
    parent = ("com.acme.Parent.<clinit>(Parent.java:5)", FOR_CHILD, "com.acme.One.run(One.java:9)", RUN)
    child = ("com.acme.Two.run(Two.java:9)", FOR_PARENT, RUN)
    runs = ("com.acme.Child.read(Child.java:9)", "com.acme.Child.<clinit>(Child.java:5)", *COMPUTES)
    sample = [At("one", 21, parent), At("two", 22, child), At("three", 23, runs)]
    assert "deadlock" not in {one.rule for one in report(tmp_path, [sample]).findings}


EXITS = (
    "java.lang.Object.wait(Native Method)",
    f"- waiting on <{JOINED}> (a java.lang.Thread)",
    "java.lang.Thread.join(Thread.java:1304)",
    "java.lang.ApplicationShutdownHooks.runHooks(ApplicationShutdownHooks.java:107)",
    "java.lang.ApplicationShutdownHooks$1.run(ApplicationShutdownHooks.java:46)",
    "java.lang.Shutdown.runHooks(Shutdown.java:130)",
    "java.lang.Shutdown.exit(Shutdown.java:173)",
    "java.lang.Runtime.exit(Runtime.java:115)",
    "java.lang.System.exit(System.java:1860)",
    "com.acme.Main.end(Main.java:60)",
)
LATCH = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    f"- parking to wait for  <{LOCK}> (a java.util.concurrent.CountDownLatch$Sync)",
    "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:230)",
    "com.acme.Cleanup.run(Cleanup.java:15)",
    RUN,
)
AWAITS = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.ThreadPoolExecutor.awaitTermination(ThreadPoolExecutor.java:1464)",
    "com.acme.Cleanup.run(Cleanup.java:15)",
    RUN,
)
TASK = (
    "java.util.concurrent.FutureTask.run(FutureTask.java:264)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
    RUN,
)


def shutdown_cause(found: Report) -> str | None:
    return next((one.cause for one in found.findings if one.rule == "shutdown-hangs"), None)


def test_a_hook_waits_and_nobody_is_left(tmp_path: Path) -> None:
    hook = At("cleanup-hook", 22, LATCH, PARKED, cpu=None)
    main = At("main", 1, (*EXITS, "com.acme.Main.main(Main.java:9)"), NOTIFIED, cpu=None)
    alone, others = tmp_path / "alone", tmp_path / "others"
    alone.mkdir()
    others.mkdir()
    assert shutdown_cause(report(alone, [[main, hook]])) == "hook-waits"
    assert shutdown_cause(report(others, [[main, hook, At("job", 23, COMPUTES, cpu=None)]])) is None


def test_a_hook_waits_for_the_pool_whose_task_ends_the_process(tmp_path: Path) -> None:
    hook = At("cleanup-hook", 22, AWAITS, "TIMED_WAITING (parking)", cpu=None)
    runner = At("pool-1-thread-1", 21, (*EXITS, *TASK), NOTIFIED, cpu=None)
    busy = At("pool-2-thread-1", 23, (*COMPUTES[:1], *TASK), cpu=None)
    alone, others = tmp_path / "alone", tmp_path / "others"
    alone.mkdir()
    others.mkdir()
    assert shutdown_cause(report(alone, [[runner, hook]])) == "exit-waits-for-itself"
    assert shutdown_cause(report(others, [[runner, hook, busy]])) is None

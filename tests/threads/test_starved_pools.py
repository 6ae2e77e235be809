"""Pools that wait for tasks in their own queues."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.language import english
from tests.threads.made import CONSUME, HTTP, At, report

GET = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.FutureTask.awaitDone(FutureTask.java:447)",
    "java.util.concurrent.FutureTask.get(FutureTask.java:190)",
)
RUN = (
    "java.util.concurrent.FutureTask.run(FutureTask.java:264)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
    "java.lang.Thread.run(Thread.java:840)",
)
OUTER = (*GET, "com.acme.Quotes.lambda$all$0(Quotes.java:49)", *RUN)
RUNS_ONE = (*HTTP[:6], "com.acme.Quotes.lambda$one$1(Quotes.java:52)", *RUN)
WORKER = (*GET, "com.acme.Quotes.all(Quotes.java:49)", *CONSUME)


def sample(*pools: tuple[str, tuple[str, ...]]) -> list[At]:
    workers = [At(f"ConsumeMessageThread_CID_{n}", 26 + n, WORKER, "WAITING (parking)") for n in range(1, 5)]
    threads = [
        At(f"{name}-{n}", 40 + 10 * i + n, frames) for i, (name, frames) in enumerate(pools) for n in (1, 2)
    ]
    return [*workers, *threads]


def test_a_pool_that_waits_for_itself_is_the_root_cause(tmp_path: Path) -> None:
    root, wait = report(tmp_path, [sample(("quotes", OUTER))] * 5).findings
    assert (root.rule, root.cause, root.subject.thread) == ("stuck-wait", "pool-starved", "quotes")
    assert "tasks that no thread runs" in english()(root.title)
    assert (wait.cause, wait.caused_by) == ("missing-timeout", (root.fingerprint,))


def test_two_pools_that_wait_for_each_other(tmp_path: Path) -> None:
    found = report(tmp_path, [sample(("left", OUTER), ("right", OUTER))] * 5).findings
    starved = {each.subject.thread for each in found if each.cause == "pool-starved"}
    assert starved == {"left", "right"}


def test_a_task_that_runs_elsewhere_is_the_root_cause(tmp_path: Path) -> None:
    found = report(tmp_path, [sample(("left", OUTER), ("right", RUNS_ONE))] * 5).findings
    assert found[0].rule == "stuck-socket-read"
    assert "pool-starved" not in {each.cause for each in found}


def test_a_pool_with_a_free_thread_is_not_starved(tmp_path: Path) -> None:
    idle = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
        "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",
        "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)",
        "java.lang.Thread.run(Thread.java:840)",
    )
    threads = sample(("quotes", OUTER))
    threads.append(At("quotes-3", 60, idle, "WAITING (parking)"))
    assert "pool-starved" not in {each.cause for each in report(tmp_path, [threads] * 5).findings}


def _whole(folder: Path, frames: tuple[str, ...], state: str = "WAITING (parking)") -> list[str]:
    """Causes that one whole dump shows of a pool of two threads in these frames."""
    threads = "".join(
        f'"reports-{n}" #{30 + n} prio=5 tid=0x00007f001{n} nid=0x{30 + n} waiting on condition\n'
        f"   java.lang.Thread.State: {state}\n" + "".join(f"\tat {frame}\n" for frame in frames) + "\n"
        for n in (1, 2)
    )
    path = folder / "dump.txt"
    path.write_text(
        "2026-11-23 05:52:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
        + threads
        + '"Signal Dispatcher" #4 daemon prio=9 os_prio=0 tid=0x00007f00100400 nid=0x14 runnable\n\n'
        "JNI global refs: 5, weak refs: 0\n\n"
    )
    return [each.cause for each in diagnose_stacks([path]).report.findings if each.rule == "threads-stuck"]


def test_one_whole_dump_shows_a_pool_that_waits_for_itself(tmp_path: Path) -> None:
    assert _whole(tmp_path, OUTER) == ["pool-starved"]
    # one whose wait ends, one that does not get inside a task, and one whose tasks another thread may run
    assert "pool-starved" not in _whole(tmp_path, OUTER, "TIMED_WAITING (parking)")
    assert "pool-starved" not in _whole(tmp_path, (*GET, "com.acme.Quotes.all(Quotes.java:49)", RUN[-1]))
    assert "pool-starved" not in _whole(tmp_path, RUNS_ONE, "RUNNABLE")

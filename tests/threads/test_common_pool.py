"""Tasks that CompletableFuture.supplyAsync hands to the common pool, or to a thread of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.threads.made import CONSUME, READ, At, report

SUPPLY = (
    *READ,
    "sun.net.www.http.HttpClient.parseHTTPHeader(HttpClient.java:826)",
    "com.acme.Rates.fetch(Rates.java:15)",
    "com.acme.Pricing.lambda$price$0(Pricing.java:94)",
    "java.util.concurrent.CompletableFuture$AsyncSupply.run(CompletableFuture.java:1768)",
)
# up to JDK 21 a worker of the pool scans for its next task in the frame below the one it runs
FORK_JOIN = (
    *SUPPLY,
    "java.util.concurrent.CompletableFuture$AsyncSupply.exec(CompletableFuture.java:1760)",
    "java.util.concurrent.ForkJoinTask.doExec(ForkJoinTask.java:373)",
    "java.util.concurrent.ForkJoinPool$WorkQueue.topLevelExec(ForkJoinPool.java:1182)",
    "java.util.concurrent.ForkJoinPool.scan(ForkJoinPool.java:1655)",
    "java.util.concurrent.ForkJoinPool.runWorker(ForkJoinPool.java:1622)",
    "java.util.concurrent.ForkJoinWorkerThread.run(ForkJoinWorkerThread.java:165)",
)
OWN_THREAD = (*SUPPLY, "java.lang.Thread.run(Thread.java:840)")
JOIN = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.CompletableFuture$Signaller.block(CompletableFuture.java:1864)",
    "java.util.concurrent.CompletableFuture.waitingGet(CompletableFuture.java:1898)",
    "java.util.concurrent.CompletableFuture.join(CompletableFuture.java:2117)",
    "com.acme.Pricing.price(Pricing.java:94)",
    *CONSUME,
)


@pytest.mark.parametrize(
    ("name", "frames"), [("ForkJoinPool.commonPool-worker-", FORK_JOIN), ("Thread-", OWN_THREAD)]
)
def test_the_task_is_the_root_cause(tmp_path: Path, name: str, frames: tuple[str, ...]) -> None:
    sample = [At(f"ConsumeMessageThread_CID_{n}", 26 + n, JOIN, "WAITING (parking)") for n in range(1, 5)]
    sample += [At(f"{name}{n}", 60 + n, frames) for n in range(1, 4)]
    found = report(tmp_path, [sample] * 5)
    root, wait = found.findings
    assert (root.rule, root.cause, root.severity) == ("stuck-socket-read", "missing-http-timeout", "error")
    assert (wait.rule, wait.caused_by) == ("stuck-wait", (root.fingerprint,))
    assert found.stacks is not None
    assert {thread.state for thread in found.stacks.threads if thread.role == "consume-worker"} == {"blocked"}


PLAIN = (*SUPPLY[:-1], "java.lang.Thread.run(Thread.java:840)")


@pytest.mark.parametrize(
    "wait",
    [
        "java.lang.Thread.join(Thread.java:1313)",
        "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:230)",
    ],
)
@pytest.mark.parametrize("name", ["price-1", "pricing"])
def test_threads_that_the_listener_starts_itself(tmp_path: Path, wait: str, name: str) -> None:
    waits = ("java.lang.Object.wait(Native Method)", wait, "com.acme.Pricing.price(Pricing.java:94)", *CONSUME)
    sample = [At("ConsumeMessageThread_CID_1", 27, waits, "WAITING"), At(name, 61, PLAIN)]
    root, effect = report(tmp_path, [sample] * 5).findings
    assert (root.rule, root.cause, root.severity) == ("stuck-socket-read", "missing-http-timeout", "error")
    assert (effect.rule, effect.caused_by) == ("stuck-wait", (root.fingerprint,))


def test_a_thread_of_other_code_is_no_answer(tmp_path: Path) -> None:
    """A reader of another part hangs by itself: nobody is known to wait for it."""
    waits = (
        "java.lang.Object.wait(Native Method)",
        "java.lang.Thread.join(Thread.java:1313)",
        *JOIN[-len(CONSUME) - 1 :],
    )
    other = tuple(frame.replace("com.acme.Pricing", "com.acme.Feed") for frame in PLAIN)
    sample = [At("ConsumeMessageThread_CID_1", 27, waits, "WAITING"), At("feed-1", 61, other)]
    found = {finding.rule: finding for finding in report(tmp_path, [sample] * 5).findings}
    assert set(found) == {"stuck-wait", "threads-stuck"}
    assert not found["stuck-wait"].caused_by
    assert found["threads-stuck"].severity == "warning"


def test_a_task_that_a_moving_pool_leaves_behind_is_not_stuck(tmp_path: Path) -> None:
    """The common pool keeps no order: some callers wait for long while others come back all the time."""

    def sample(number: int, name: str) -> list[At]:
        workers = [
            At(
                f"ConsumeMessageThread_CID_{n}",
                26 + n,
                JOIN,
                "WAITING (parking)",
                1.0 if n > 6 else 1.0 + number,
            )
            for n in range(1, 9)
        ]
        return workers + [
            At(f"{name}{n}", 60 + n, FORK_JOIN, "RUNNABLE", 5.0 + 9 * number) for n in range(1, 4)
        ]

    found = report(tmp_path, [sample(number, "ForkJoinPool.commonPool-worker-") for number in range(5)])
    assert found.stacks is not None
    states = {
        thread.name[-1]: thread.state for thread in found.stacks.threads if thread.role == "consume-worker"
    }
    assert {states[each] for each in "123456"} == {"progressing"}
    assert {states[each] for each in "78"} == {"unknown"}
    assert "stuck-wait" not in {each.rule for each in found.findings}


def test_a_worker_that_looks_for_work_is_idle(tmp_path: Path) -> None:
    scans = (
        "java.util.concurrent.ForkJoinPool.scan(ForkJoinPool.java:1655)",
        "java.util.concurrent.ForkJoinPool.runWorker(ForkJoinPool.java:1622)",
        "java.util.concurrent.ForkJoinWorkerThread.run(ForkJoinWorkerThread.java:165)",
    )
    found = report(tmp_path, [[At("ForkJoinPool.commonPool-worker-1", 61, scans)]] * 5)
    assert found.stacks is not None
    assert [thread.state for thread in found.stacks.threads if thread.name.startswith("Fork")] == ["idle"]

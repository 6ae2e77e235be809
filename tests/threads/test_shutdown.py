"""A JVM that has begun to end: who asked for it, what its hooks wait for, and what keeps it alive."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts import StacksFacts
from mqdiag.findings import Confidence, Finding, Report, Severity
from tests.rules.checks import said
from tests.threads.made import SLEEP, TAKE, At
from tests.threads.made import report as made_report

FIXTURES = Path(__file__).parents[2] / "fixtures"


def samples(case: str, tmp_path: Path) -> list[Path]:
    with tarfile.open(FIXTURES / "stacks" / case / "series.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    return sorted(tmp_path.rglob("j*.log"))


def report(case: str, tmp_path: Path, most: int | None = None) -> Report:
    return diagnose_stacks(samples(case, tmp_path)[:most]).report


def stacks(found: Report) -> StacksFacts:
    assert found.stacks is not None
    return found.stacks


def hang(found: Report) -> Finding:
    (finding,) = (one for one in found.findings if one.rule == "shutdown-hangs")
    return finding


@pytest.mark.parametrize(
    ("case", "cause", "begun_by"),
    [
        ("shutdown-listener-stuck-4.9.7", "listener-does-not-end", "signal"),
        ("shutdown-listener-stuck-5.3.3", "listener-does-not-end", "signal"),
        ("shutdown-hook-waits-4.9.7", "hook-waits", "signal"),
        ("shutdown-exit-in-listener-4.9.7", "exit-waits-for-itself", "exit"),
    ],
)
@pytest.mark.parametrize("most", [1, None])
def test_a_shutdown_that_hangs(case: str, cause: str, begun_by: str, most: int | None, tmp_path: Path) -> None:
    """One dump of JDK 17 suffices: the thread that handles the signal is as old as the shutdown."""
    found = report(case, tmp_path, most)
    shutdown = stacks(found).shutdown
    assert shutdown is not None
    assert shutdown.begun_by == begun_by
    (hook,) = shutdown.hooks
    assert hook.thread.endswith("-shutdown")
    assert hang(found).cause == cause
    assert hang(found).severity is Severity.WARNING
    assert {one.cause for one in found.findings if one.rule == "shutdown-requested"} == {
        "application" if begun_by == "exit" else "signal"
    }


def test_one_dump_without_ages_shows_a_shutdown_and_no_hang(tmp_path: Path) -> None:
    """As of JDK 8: nothing tells for how long it has lasted."""
    (first, *_) = samples("shutdown-hook-waits-4.9.7", tmp_path)
    lines = first.read_text().splitlines()
    words = ([word for word in line.split(" ") if not word.startswith(("elapsed=", "cpu="))] for line in lines)
    first.write_text("\n".join(map(" ".join, words)))
    found = diagnose_stacks([first]).report
    assert {"shutdown-requested", "progress-not-judged"} <= {one.rule for one in found.findings}
    assert "shutdown-hangs" not in {one.rule for one in found.findings}
    assert found.answer.state == "undecided"


def test_the_stuck_listener_is_the_cause_of_the_hang(tmp_path: Path) -> None:
    found = report("shutdown-listener-stuck-4.9.7", tmp_path)
    (root,) = (one for one in found.findings if one.rule == "stuck-wait")
    assert hang(found).caused_by == (root.fingerprint,)
    assert hang(found).evidence["listeners"] == 4


def test_a_thread_in_system_exit_is_no_stuck_listener(tmp_path: Path) -> None:
    found = report("shutdown-exit-in-listener-4.9.7", tmp_path)
    assert hang(found).confidence is Confidence.HIGH
    assert "Ending.leave" in str(hang(found).evidence["exit_frame"])


def test_a_shutdown_in_order_is_no_hang(tmp_path: Path) -> None:
    found = report("shutdown-in-order-5.3.3", tmp_path)
    assert stacks(found).shutdown is not None
    assert "shutdown-hangs" not in {one.rule for one in found.findings}


def test_threads_that_are_left_when_main_has_ended(tmp_path: Path) -> None:
    """Alone they may be meant to live on; after the client was shut down they are not."""
    case = "shutdown-threads-left-4.9.7"
    alone = hang(report(case, tmp_path))
    assert (alone.cause, alone.severity) == ("non-daemon-threads", Severity.INFO)
    assert alone.undecides
    assert alone.evidence["threads"] == ("pool-1-thread-1", "pool-1-thread-2")
    log = FIXTURES / "logs" / case / "consumer" / "rocketmq_client.log.gz"
    (tmp_path / log.name).write_bytes(log.read_bytes())
    joined = hang(diagnose_incident([tmp_path]).report)
    assert (joined.cause, joined.severity) == ("non-daemon-threads", Severity.WARNING)
    assert joined.is_fault
    assert joined.seen_in == ("stacks", "logs")


@pytest.mark.parametrize("case", ["idle", "apache4-progressing", "broker-healthy-5.3.3"])
def test_a_process_that_works_is_not_ending(case: str, tmp_path: Path) -> None:
    found = report(case, tmp_path)
    assert stacks(found).shutdown is None
    assert not [one for one in found.findings if one.rule.startswith("shutdown-")]


def _after_main(*others: At) -> list[At]:
    return [At("DestroyJavaVM", 31, (), "RUNNABLE"), At("Finalizer", 3, (), "WAITING", daemon=True), *others]


@pytest.mark.parametrize("name", ["pool-1-thread-1", "CleanExpireMsgScheduledThread_1"])
def test_a_thread_that_only_waits_keeps_the_jvm_alive(name: str, tmp_path: Path) -> None:
    """3.5.8 does not end the second one."""
    found = made_report(tmp_path, [_after_main(At(name, 18, TAKE, "WAITING"))])
    assert hang(found).cause == "non-daemon-threads"


@pytest.mark.parametrize(
    ("threads", "words"), [(8, "all of them wait for work: pool-1"), (9, "the first are pool-1")]
)
def test_eight_threads_that_keep_the_jvm_alive_are_named(threads: int, words: str, tmp_path: Path) -> None:
    left = [At(f"pool-1-thread-{number}", 20 + number, TAKE, "WAITING") for number in range(1, threads + 1)]
    found = hang(made_report(tmp_path, [_after_main(*left)]))
    assert (found.evidence["keepers"], len(found.evidence["threads"])) == (threads, 8)
    assert words in said(found)


@pytest.mark.parametrize(
    "others",
    [
        pytest.param((At("Thread-2", 11, SLEEP),), id="it works"),
        pytest.param((At("pool-1-thread-1", 18, TAKE, "WAITING", daemon=True),), id="a daemon"),
        pytest.param(
            (At("RebalanceService", 7, TAKE, "WAITING"), At("ConsumeMessageThread_CID_1", 8, TAKE, "WAITING")),
            id="a consumer",
        ),
        pytest.param(
            (At("RebalanceService", 7, TAKE, "WAITING"), At("pool-1-thread-1", 8, TAKE, "WAITING")),
            id="a producer that a pool may use",
        ),
    ],
)
def test_a_program_that_lives_on(others: tuple[At, ...], tmp_path: Path) -> None:
    found = made_report(tmp_path, [_after_main(*others)])
    assert "shutdown-hangs" not in {one.rule for one in found.findings}


def test_a_producer_that_nobody_shut_down(tmp_path: Path) -> None:
    found = made_report(tmp_path, [_after_main(At("RebalanceService", 7, TAKE, "WAITING"))])
    assert (hang(found).cause, hang(found).severity) == ("client-not-shut-down", Severity.INFO)


def _hook(state: str, *frames: str) -> At:
    return At("app-shutdown", 32, (*frames, "java.lang.Thread.run(Thread.java:840)"), state, None)


HANDLER = At(
    "SIGTERM handler",
    33,
    (
        "java.lang.Object.wait(Native Method)",
        "java.lang.Thread.join(Thread.java:1304)",
        "java.lang.ApplicationShutdownHooks.runHooks(ApplicationShutdownHooks.java:107)",
        "java.lang.Shutdown.runHooks(Shutdown.java:130)",
        "java.lang.Terminator$1.handle(Terminator.java:51)",
        "jdk.internal.misc.Signal$1.run(Signal.java:219)",
        "java.lang.Thread.run(Thread.java:840)",
    ),
    "WAITING (on object monitor)",
    None,
)
PARKED = ("jdk.internal.misc.Unsafe.park(Native Method)", "com.acme.App.close(App.java:7)")


@pytest.mark.parametrize(
    ("state", "severity"), [("WAITING (parking)", "warning"), ("TIMED_WAITING (parking)", None)]
)
def test_a_wait_without_a_limit_is_told_sooner(state: str, severity: str | None, tmp_path: Path) -> None:
    """Seven and a half seconds: a hook with a timeout may still end in time."""
    found = made_report(tmp_path, [[HANDLER, _hook(state, *PARKED)]] * 4)
    hangs = [one for one in found.findings if one.rule == "shutdown-hangs"]
    assert [str(one.severity) for one in hangs] == ([severity] if severity else [])


def test_a_hook_that_wants_a_lock_of_the_thread_that_called_exit_never_ends(tmp_path: Path) -> None:
    exits = At(
        "worker",
        34,
        (
            "java.lang.Object.wait(Native Method)",
            "java.lang.ApplicationShutdownHooks.runHooks(ApplicationShutdownHooks.java:107)",
            "java.lang.Runtime.exit(Runtime.java:115)",
            "com.acme.App.fail(App.java:30)",
            "- locked <0x00000000f0000009> (a com.acme.App)",
            "java.lang.Thread.run(Thread.java:840)",
        ),
        "WAITING (on object monitor)",
    )
    hook = _hook(
        "BLOCKED (on object monitor)",
        "com.acme.App.close(App.java:7)",
        "- waiting to lock <0x00000000f0000009> (a com.acme.App)",
    )
    found = hang(made_report(tmp_path, [[exits, hook]]))
    assert (found.cause, found.confidence) == ("exit-waits-for-itself", Confidence.HIGH)


def test_the_application_has_a_handler_of_its_own_that_waits(tmp_path: Path) -> None:
    handler = At(
        "SIGTERM handler", 33, (*PARKED, "jdk.internal.misc.Signal$1.run(Signal.java:219)"), "WAITING (parking)"
    )
    found = hang(made_report(tmp_path, [[handler]] * 5))
    assert (found.cause, found.evidence["exit_frame"]) == ("handler-waits", "com.acme.App.close(App.java:7)")


def test_a_dump_without_ages_shows_which_hook_waits(tmp_path: Path) -> None:
    """The handler of the signal joins the hook, whose class is that of the lock it waits on."""
    hook = "org.springframework.context.support.AbstractApplicationContext$1"
    handler = (
        "java.lang.Object.wait(Native Method)",
        f"- waiting on <0x00000000f0000011> (a {hook})",
        "java.lang.Thread.join(Thread.java:1252)",
        "java.lang.ApplicationShutdownHooks.runHooks(ApplicationShutdownHooks.java:106)",
        "java.lang.Shutdown.runHooks(Shutdown.java:123)",
        "java.lang.Terminator$1.handle(Terminator.java:52)",
        "sun.misc.Signal$1.run(Signal.java:212)",
        "java.lang.Thread.run(Thread.java:748)",
    )
    stops = (
        "sun.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:231)",
        "org.springframework.cloud.Container.doStop(Container.java:90)",
        f"{hook}.run(AbstractApplicationContext.java:900)",
    )
    dump = [
        At("SIGINT handler", 20, handler, "WAITING (on object monitor)", None),
        At("Thread-1", 21, stops, "WAITING (parking)", None),
    ]
    (hook_found,) = stacks(made_report(tmp_path, [dump])).shutdown.hooks
    assert hook_found.thread == "Thread-1"
    assert "Container.doStop" in str(hook_found.frame)


ENDS = (
    "java.lang.Shutdown.exit(Shutdown.java:172)",
    "- waiting to lock <0x00000000f0000012> (a java.lang.Class for java.lang.Shutdown)",
)
BLOCKED = "BLOCKED (on object monitor)"


@pytest.mark.parametrize(("name", "found"), [("SpringApplicationShutdownHook", True), ("worker", False)])
def test_a_hook_that_asks_for_the_end_waits_for_itself(name: str, found: bool, tmp_path: Path) -> None:
    exits = (
        *ENDS,
        "java.lang.Runtime.exit(Runtime.java:115)",
        "java.lang.System.exit(System.java:1864)",
        "com.acme.Window.closed(Window.java:29)",
        "java.lang.Thread.run(Thread.java:840)",
    )
    report_of_one = made_report(tmp_path, [[At(name, 22, exits, BLOCKED, None)]])
    hangs = [one for one in report_of_one.findings if one.rule == "shutdown-hangs"]
    assert [one.cause for one in hangs] == ["exit-waits-for-itself"] * found
    if found:
        assert "calls System.exit at com.acme.Window.closed" in said(hangs[0])


def test_a_signal_that_waits_for_an_end_that_is_under_way(tmp_path: Path) -> None:
    handles = (
        *ENDS,
        "java.lang.Terminator$1.handle(Terminator.java:52)",
        "java.lang.Thread.run(Thread.java:748)",
    )
    found = hang(made_report(tmp_path, [[At("SIGTERM handler", 23, handles, BLOCKED, None)]]))
    assert (found.cause, found.confidence) == ("hook-waits", Confidence.MEDIUM)
    assert "while an end was already under way" in said(found)

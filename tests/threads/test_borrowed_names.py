"""Threads of an application that have the names of RocketMQ's or the JVM's own: a name alone accuses nobody."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Severity
from mqdiag.read.stacks.records import Sample, Stack, ThreadRecord
from mqdiag.threads.roles import NAMES
from mqdiag.threads.series import make_series
from mqdiag.threads.stack_meaning import StackMeanings
from mqdiag.threads.tracks import align

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize("name", ["RebalanceService", "SIGTERM handler", "SIGHUP handler"])
def test_a_thread_of_the_application(name: str, tmp_path: Path) -> None:
    samples = _renamed("idle", "main", name, tmp_path)
    report = diagnose_stacks(samples).report
    assert [found.rule for found in report.findings if found.severity is not Severity.INFO] == []
    assert report.answer is not None
    assert report.answer.state == "healthy"


@pytest.mark.parametrize("name", ["ConsumeMessageThread_1", "ConsumeMessageThread_CID_x_1"])
@pytest.mark.parametrize("of", ["main", "Reference Handler", "event-writer"])
def test_a_name_of_a_consume_thread_over_a_whole_stack_that_consumes_nothing(
    name: str, of: str, tmp_path: Path
) -> None:
    report = diagnose_stacks(_renamed("jdk8-idle", of, name, tmp_path)).report
    assert [found.rule for found in report.findings if found.severity is not Severity.INFO] == []
    assert report.answer is not None
    assert report.answer.state == "healthy"


_SLEEP = ("java.lang.Thread.sleep(Native Method)", "com.shop.Orders.work(Orders.java:24)")
_POOL = (
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1149)",
    "java.util.concurrent.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:624)",
    "java.lang.Thread.run(Thread.java:748)",
)
_TASK = "java.util.concurrent.FutureTask.run(FutureTask.java:266)"


@pytest.mark.parametrize(
    ("frames", "role"),
    [
        # cut: what it was called by is unknown
        (_SLEEP, "consume-worker"),
        ((), "consume-worker"),
        # a service of another version, and a client that was moved and whose classes have other names
        (
            (*_SLEEP, "com.x.rmq.impl.consumer.ConsumeMessageBatchService$Run.run(R.java:8)", _TASK, *_POOL),
            "consume-worker",
        ),
        ((*_SLEEP, "com.x.a.b.consumeMessage(Unknown Source)", _TASK, *_POOL), "consume-worker"),
        # between two tasks, or before the next one
        (("java.util.HashSet.remove(HashSet.java:235)", *_POOL), "consume-worker"),
        (
            (
                "sun.misc.Unsafe.park(Native Method)",
                "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:442)",
                "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1074)",
                *_POOL,
            ),
            "consume-worker",
        ),
        ((*_SLEEP, _TASK, *_POOL), "pool"),
        ((*_SLEEP, "java.lang.Thread.run(Thread.java:748)"), "pool"),
    ],
)
def test_a_name_counts_where_the_stack_does_not_deny_it(frames: tuple[str, ...], role: str) -> None:
    methods = tuple(frame.partition("(")[0] for frame in frames)
    stack = Stack("TIMED_WAITING", "sleeping", frames, methods)
    sample = Sample(source="a", format="jstack", threads=[ThreadRecord("ConsumeMessageThread_CID_x_1", stack)])
    [track] = align(make_series([sample]), StackMeanings())
    assert track.role == role


def _renamed(series: str, of: str, name: str, folder: Path) -> list[Path]:
    with tarfile.open(FIXTURES / "stacks" / series / "series.tar.gz") as tar:
        tar.extractall(folder, filter="data")
    samples = sorted(folder.rglob("j*.log"))
    for sample in samples:
        text = sample.read_text()
        assert f'"{of}" ' in text
        sample.write_text(text.replace(f'"{of}" ', f'"{name}" '))
    return samples


_RUN = "java.lang.Thread.run(Thread.java:748)"
_READ = (
    "java.net.SocketInputStream.socketRead0(Native Method)",
    "java.net.SocketInputStream.read(SocketInputStream.java:150)",
    "com.shop.Feed.next(Feed.java:41)",
    "com.shop.Feed.run(Feed.java:20)",
    _RUN,
)


def _dumps(tmp_path: Path, names: list[str], frames: tuple[str, ...] = _READ) -> list[Path]:
    """Four samples of threads that all stand at the same frames."""
    paths = []
    for sample in range(4):
        threads = "".join(
            f'"{name}" #{number} prio=5 os_prio=0 cpu=10.00ms elapsed={100 + 3 * sample}.00s tid=0x{number:x}'
            f" nid=0x{number:x} runnable [0x1000]\n   java.lang.Thread.State: RUNNABLE\n"
            + "".join(f"\tat {frame}\n" for frame in frames)
            + "\n"
            for number, name in enumerate(names, 11)
        )
        paths.append(tmp_path / f"{sample}.txt")
        paths[-1].write_text(
            f"2026-11-29 10:00:{3 * sample:02d}\n"
            f"Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode, sharing):\n\n{threads}"
            '"VM Thread" os_prio=0 cpu=1.0ms elapsed=1.0s tid=0x9 nid=0x9 runnable\n\n'
            "JNI global refs: 15, weak refs: 0\n\n"
        )
    return paths


@pytest.mark.parametrize("role", sorted({role for _, role in NAMES.beginnings}))
@pytest.mark.parametrize("many", [1, 4])
def test_a_name_of_rocketmq_over_a_whole_stack_of_an_application(role: str, many: int, tmp_path: Path) -> None:
    for name in (beginning for beginning, own in NAMES.beginnings if own == role):
        report = diagnose_stacks(_dumps(tmp_path, [f"{name}{number}" for number in range(many)])).report
        assert [found.rule for found in report.findings if found.severity is not Severity.INFO] == []
        assert report.answer is not None
        assert report.answer.state != "healthy"


@pytest.mark.parametrize(
    "frames", [(*_READ[:2], _RUN), _READ[:3], (*_READ[:2], "a.rocketmq.B.c(B.java:1)", _RUN)]
)
def test_a_stack_that_denies_no_name(frames: tuple[str, ...], tmp_path: Path) -> None:
    """One that is cut, one of the JDK alone, and one with a frame of RocketMQ's."""
    report = diagnose_stacks(_dumps(tmp_path, ["SendMessageThread_1"], frames)).report
    assert report.stacks is not None
    assert [one.role for one in report.stacks.threads if one.role != "jvm"] == ["broker-send"]


def test_borrowed_names_are_no_leak_of_clients(tmp_path: Path) -> None:
    names = [f"{name}_{number}" for name in ("RebalanceService", "PullMessageService") for number in range(25)]
    names += [f"RocketmqClientScheduler-{number}-1" for number in range(25)]
    rules = {found.rule for found in diagnose_stacks(_dumps(tmp_path, names)).report.findings}
    assert "client-leak" not in rules
    of_client = (*_READ[:2], "org.apache.rocketmq.X.run(X.java:1)", _RUN)
    rules = {found.rule for found in diagnose_stacks(_dumps(tmp_path, names, of_client)).report.findings}
    assert "client-leak" in rules

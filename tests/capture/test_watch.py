"""`--watch`: what ends the taking of samples, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mqdiag.capture import watch
from mqdiag.capture.jdk import Tool
from mqdiag.capture.run import CaptureOptions, capture
from mqdiag.capture.target import Target, find_target
from mqdiag.errors import UsageError
from mqdiag.language import english
from tests.capture.conftest import Jvm
from tests.capture.watched_log import capture_until_line
from tests.folded import folded
from tests.layers import CHECK

JCMD = Tool(name="jcmd", path="/nowhere/jcmd")
TARGET = Target(
    pid=1, inner_pid=1, uid=0, gid=0, command=("java",), program=None, own_files=False, container=None,
    in_pod=False, catches_sigquit=True,
)  # fmt: skip
WORKING = (
    '"ConsumeMessageThread_CID_1" #12\n   java.lang.Thread.State: RUNNABLE\n'
    "\tat com.example.Shop.call{n}(Shop.java)\n\n"
)

IDLE = (
    '"ConsumeMessageThread_CID_2" #13\n   java.lang.Thread.State: WAITING (parking)\n'
    "\tat java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)\n\n"
)


@CHECK
def test_a_stuck_consumer_ends_it_and_the_last_dumps_are_kept(jvm: Jvm, tmp_path: Path) -> None:
    told: list[str] = []
    taken = capture(
        jvm.pid,
        CaptureOptions(
            samples=2, interval_seconds=0.6, folder=tmp_path / "taken", watch=("stuck=2s", "log=never")
        ),
        lambda text: told.append(english()(text)),
        lambda *_: True,
    )
    assert (taken.samples, taken.logs > 0) == (2, True)
    assert any("has stood at the same frames for 2 s" in line for line in told)
    steps = json.loads((tmp_path / "taken" / "manifest.json").read_text())["steps"]
    dumps = [step["file"] for step in steps if step["what"].startswith("thread dump")]
    assert sorted(f"stacks/{path.name}" for path in (tmp_path / "taken" / "stacks").iterdir()) == dumps
    assert len(dumps) == 2
    assert "stacks/01.txt" not in dumps


@CHECK
def test_a_line_of_a_log_ends_it(jvm: Jvm, tmp_path: Path) -> None:
    log = jvm.console.parent / "own-gc.log"
    command = ("capture", str(jvm.pid), "-n", "1", "-i", "0.2", "--watch", "log=BROKER BUSY")
    assert "own-gc.log has the text" in capture_until_line(command, log, "BROKER BUSY", tmp_path)


@CHECK
def test_old_lines_of_a_log_are_no_reason(jvm: Jvm) -> None:
    with (jvm.console.parent / "own-gc.log").open("a") as file:
        file.write("old TEXT\n")
    looked = watch.LogLine(watch.OnThisHost(find_target(jvm.pid), None), "TEXT")
    assert looked(Path()) is None
    with (jvm.console.parent / "own-gc.log").open("a") as file:
        file.write("new TE")
    assert looked(Path()) is None
    with (jvm.console.parent / "own-gc.log").open("a") as file:
        file.write("XT\n")
    assert looked(Path()) is not None
    assert looked(Path()) is None


def test_idle_threads_and_moving_ones_are_not_stuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dump, now = tmp_path / "dump.txt", [0.0]
    monkeypatch.setattr(watch.time, "monotonic", lambda: now[0])
    looked = watch.Unchanged(10)

    def at(second: float, call: int) -> str | None:
        now[0] = second
        dump.write_text(WORKING.replace("{n}", str(call)) + IDLE)
        held = looked(dump)
        return None if held is None else english()(held)

    assert [at(0, 1), at(9, 2), at(18, 2)] == [None, None, None]
    assert at(19, 2) == "thread ConsumeMessageThread_CID_1 has stood at the same frames for 10 s"


@pytest.mark.parametrize(
    ("frame", "is_held"),
    [
        ("com.shop.Feed.run(Feed.java:20)", False),
        ("app//com.shop.Feed.run(Feed.java:20)", False),
        ("com.shop.Orders.consumeMessage(Orders.java:20)", True),
        (
            "org.apache.rocketmq.client.impl.consumer.ConsumeMessageOrderlyService$ConsumeRequest.run(C.java:9)",
            True,
        ),
    ],
)
def test_a_thread_that_only_has_the_name_is_not_stuck(
    frame: str, is_held: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump, now = tmp_path / "dump.txt", [0.0]
    monkeypatch.setattr(watch.time, "monotonic", lambda: now[0])
    looked = watch.Unchanged(10)
    below = f"\tat {frame}\n\tat java.lang.Thread.run(java.base@17.0.1/Thread.java:833)\n\n"
    dump.write_text(WORKING.replace("{n}", "").rstrip("\n") + "\n" + below)
    assert looked(dump) is None
    now[0] = 11
    assert (looked(dump) is not None) is is_held


@pytest.mark.parametrize(("used_kib", "held"), [(70_000, None), (90_000, "88 % of the heap is in use")])
def test_the_heap_is_held_against_its_maximum(
    used_kib: int, held: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {
        "VM.flags": "1:\n-XX:MaxHeapSize=104857600 -XX:+UseSerialGC\n",
        "GC.heap_info": f" def new generation   total 100000K, used {used_kib}K [0x0, 0x0)\n",
    }
    monkeypatch.setattr(watch, "ask", lambda tool, target, word: answers[word])
    looked = watch.HeapAbove(watch.OnThisHost(TARGET, JCMD), 0.8)(Path())
    assert (None if looked is None else english()(looked)) == held


@folded("text", ["", "heap", "heap=0%", "heap=100%", "heap=x", "stuck=0", "stuck=-1s", "log=", "cpu=3"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not one of heap=80%, stuck=60s and log=TEXT"):
        watch.condition(text, watch.OnThisHost(TARGET, None))


def test_the_heap_is_not_watched_without_jcmd() -> None:
    with pytest.raises(UsageError, match="needs jcmd, and a JVM that reports its MaxHeapSize"):
        watch.condition("heap=80%", watch.OnThisHost(TARGET, None))

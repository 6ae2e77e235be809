"""Evidence of a JVM that hangs: taken, kept, and diagnosed."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mqdiag.capture.console import console_dump
from mqdiag.capture.folder import CaptureFolder
from mqdiag.capture.jdk import ToolFailed, find_tools
from mqdiag.capture.logs import FoundLog, copy_logs, find_logs
from mqdiag.capture.run import CaptureOptions, capture
from mqdiag.capture.samples import Sampler, console_of
from mqdiag.capture.target import TargetError, find_target
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english
from mqdiag.text import Text, say
from tests.capture.conftest import Jvm, Start
from tests.layers import CHECK
from tests.waiting import PATIENCE_S, wait_until

pytestmark = CHECK


QUICK = ("-n", "1")


def mqdiag(*arguments: object, **settings: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mqdiag", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        stdin=subprocess.DEVNULL,
        **settings,  # type: ignore[call-overload]
    )


def test_a_captured_consumer_is_diagnosed(jvm: Jvm, tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    done = mqdiag("capture", jvm.pid, "-n", "3", "-i", "5", "--heap", "--yes", "-o", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{folder}\n"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["complete"] is True
    assert manifest["process"]["pid"] == jvm.pid
    assert manifest["process"]["guess"] == "RocketMQ consumer"
    assert "hush" not in (folder / "manifest.json").read_text()
    assert {step["result"] for step in manifest["steps"]} == {"done"}
    files = {step["file"] for step in manifest["steps"] if "file" in step}
    assert {"stacks/01.txt", "stacks/03.txt", "logs/console.log", "logs/own-gc.log"} < files
    assert all((folder / name).stat().st_size for name in files)
    # each step was told before it was taken, the stop of the JVM with its price
    assert "a heap dump stops process" in done.stderr
    assert done.stderr.count("Thread.print -l") == 3

    report = diagnose_incident([str(folder)]).report
    first = report.findings[0]
    assert (first.rule, first.confidence) == ("stuck-socket-read", "high"), english()(first.confidence_reason)
    assert first.evidence["threads"] == tuple(f"ConsumeMessageThread_CID_orders_{i}" for i in (1, 2, 3))
    assert report.process is not None
    assert report.process.tied_by is not None
    assert english()(report.process.tied_by) == "names and addresses of their threads are the same"


PAGE = (Path(__file__).parents[2] / "docs" / "capture.md").read_text()


COMMANDS = [line.split("  #")[0] for line in re.findall(r"^mqdiag capture.*", PAGE, re.M)]
ELSEWHERE = re.compile(r"--(?:kube|ssh|watch) ")
"""options that test_remote.py and test_watch.py try"""


@pytest.mark.parametrize("command", [line for line in COMMANDS if not ELSEWHERE.search(line)])
def test_the_commands_of_the_page_run(command: str, jvm: Jvm, tmp_path: Path) -> None:
    """With the pid and the console of this JVM; one dump is enough, and nobody is there to say yes."""
    words = shlex.split(
        command.replace("4711", str(jvm.pid)).replace("/var/log/app/console.log", str(jvm.console))
    )[1:]
    short = ["-n", "1", *(["--yes"] if "--heap" in words else [])] if len(words) > 1 else []
    done = mqdiag(*words, *short, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(jvm.pid) in done.stdout or (tmp_path / done.stdout.strip() / "manifest.json").exists()


def test_jvms_are_listed_with_their_main_class_and_groups(jvm: Jvm) -> None:
    done = mqdiag("capture")
    (line,) = (line for line in done.stdout.splitlines() if line.split()[0] == str(jvm.pid))
    assert "consumer of group CID_orders " in line
    assert line.endswith(".StuckConsumer")
    assert "hush" not in line


def test_the_log_of_another_limit_is_cut_at_a_line(jvm: Jvm, tmp_path: Path) -> None:
    big = tmp_path / "big.log"
    big.write_text("".join(f"line {number} of many\n" for number in range(100_000)))
    folder = CaptureFolder(tmp_path / "taken", {})
    said: list[Text] = []
    assert (
        copy_logs(
            folder, find_target(jvm.pid), [FoundLog(path=str(big), why=say("given"))], 10_000, said.append
        )
        == 1
    )
    kept = (tmp_path / "taken" / "logs" / "big.log").read_text()
    assert 9_900 < len(kept) <= 10_000
    assert kept.startswith("line ")
    assert kept.endswith("line 99999 of many\n")
    assert "its last" in english()(said[0])


def test_rotated_logs_come_along_and_stores_do_not(jvm: Jvm, tmp_path: Path) -> None:
    beside = jvm.console.parent
    (beside / "console.log.1").write_text("2026-11-21 08:00:00 older\n")
    (beside / "own-gc.log.0").write_bytes(b"\1\0\0binary")
    (beside / "console.txt").write_text("another file\n")
    found = {Path(log.path).name: english()(log.why) for log in find_logs(find_target(jvm.pid), None)}
    assert found == {
        "console.log": "open for writing",
        "own-gc.log": "open for writing",
        "console.log.1": "rotated from console.log",
    }


def test_the_heap_dump_is_asked_for_on_a_terminal(jvm: Jvm, tmp_path: Path) -> None:
    """On a terminal of its own: first no, then yes."""
    for answer, taken in (("n", 0), ("y", 1)):
        folder = tmp_path / answer
        pid, terminal = pty.fork()
        if pid == 0:
            arguments = ["capture", str(jvm.pid), "-n", "1", "--heap", "-o", str(folder)]
            os.execv(sys.executable, [sys.executable, "-m", "mqdiag", *arguments])
        seen = b""
        with contextlib.suppress(OSError):
            while chunk := os.read(terminal, 4096):
                seen += chunk
                if seen.endswith(b"Take it? [y/N]: "):
                    os.write(terminal, f"{answer}\n".encode())
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        os.close(terminal)
        assert b"a heap dump stops process" in seen
        assert len(list(folder.glob("heap/*.hprof"))) == taken


def test_sigquit_is_the_way_where_there_is_no_tool(jvm: Jvm, tmp_path: Path) -> None:
    target = find_target(jvm.pid)
    assert console_of(target) == jvm.console
    folder = CaptureFolder(tmp_path / "taken", {})
    said: list[Text] = []
    assert Sampler(target, {}, jvm.console, said.append).take(folder, 2, 1.0) == 2
    dumps = [(tmp_path / "taken" / "stacks" / name).read_text() for name in ("01.txt", "02.txt")]
    for dump in dumps:
        assert dump.count("Full thread dump") == 1
        assert dump.count('"ConsumeMessageThread_CID_orders_') == 3
        assert dump.rstrip().splitlines()[-1].strip()
    assert "kill -QUIT" in english()(said[0])


def test_the_wrong_console_is_told(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.log"
    other.write_text("nothing to see\n")
    monkeypatch.setattr("mqdiag.capture.console.MOST_SECONDS", 0.5)
    with pytest.raises(ToolFailed, match="not this JVM's console"):
        console_dump(other, 0)


def test_a_jvm_that_does_not_catch_sigquit_is_spared(start: Start, tmp_path: Path) -> None:
    spared = start("-Xrs")
    target = find_target(spared.pid)
    said: list[Text] = []
    assert Sampler(target, {}, spared.console, said.append).take(CaptureFolder(tmp_path / "a", {}), 1, 1.0) == 0
    assert "would be ended by it; nothing was sent" in english()(said[-1])
    subprocess.run(["jcmd", str(spared.pid), "VM.version"], check=True, stdout=subprocess.DEVNULL)


def test_a_stopped_jvm_is_told_apart(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = start()
    os.kill(stopped.pid, signal.SIGSTOP)
    monkeypatch.setattr("mqdiag.capture.samples.ATTACH_SECONDS", 2.0)
    try:
        with pytest.raises(TargetError, match="it is stopped") as told:
            capture(
                stopped.pid, CaptureOptions(samples=1, folder=tmp_path / "a"), lambda _: None, lambda *_: True
            )
        assert f"kill -CONT {stopped.pid}" in english()(told.value.hint)
    finally:
        os.kill(stopped.pid, signal.SIGCONT)
    manifest = json.loads((tmp_path / "a" / "manifest.json").read_text())
    assert manifest["complete"] is False
    assert not list((tmp_path / "a").glob("stacks/*"))


def test_what_was_taken_before_an_interrupt_is_kept(jvm: Jvm, tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    with subprocess.Popen(
        [sys.executable, "-m", "mqdiag", "capture", str(jvm.pid), "-i", "60", "-o", str(folder)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        taken = re.compile(r'"what": "thread dump 1"[^}]*"result": "done"')
        wait_until(lambda: taken.search(_text(folder / "manifest.json")) is not None, "the first thread dump")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "mqdiag: interrupted"
    assert json.loads(_text(folder / "manifest.json"))["complete"] is False
    report = diagnose_incident([str(folder)]).report
    assert report.stacks is not None
    assert report.stacks.samples == 1
    (manifest,) = (given for given in report.inputs if given.kind == "capture")
    assert manifest.format == "cut short"


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_the_jvm_of_somebody_else(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.capture.target.os.geteuid", lambda: 65534)
    with pytest.raises(TargetError, match="belongs to user") as told:
        find_target(jvm.pid)
    assert english()(told.value.hint).startswith("sudo ")
    assert english()(told.value.hint).endswith(f" mqdiag capture {jvm.pid}")


# Without root a namespace of users would come with them, in which nobody else's rights are looked at.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make namespaces")
def test_a_jvm_in_its_own_namespaces(classes: Path, tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    probe = [unshare or "unshare", "--pid", "--mount", "--fork", "--mount-proc"]
    if unshare is None or subprocess.run([*probe, "true"], check=False, capture_output=True).returncode:
        # a container or a kernel's settings can refuse them to root too
        pytest.skip("no namespaces here")
    from tests.capture.conftest import NAME

    command = ["java", "-Xmx32m", "-XX:+UseSerialGC", "-cp", str(classes), NAME]
    with subprocess.Popen(
        [*probe, "--kill-child", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as outer:
        try:
            assert outer.stdout is not None
            assert outer.stdout.readline() == "@@ready\n"
            children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
            target = find_target(int(children[0]))
            assert target.inner_pid == 1
            assert target.own_files
            done = mqdiag("capture", target.pid, *QUICK, "--heap", "--yes", "-o", tmp_path / "taken")
            assert done.returncode == 0, done.stderr
            assert (tmp_path / "taken" / "stacks" / "01.txt").read_text().count('"ConsumeMessageThread_') == 3
            (dump,) = (tmp_path / "taken" / "heap").iterdir()
            assert dump.read_bytes()[:12] == b"JAVA PROFILE"
            assert not list(Path("/tmp").glob(f"mqdiag-*-{target.pid}.hprof"))
        finally:
            outer.kill()


def test_no_dump_where_the_disk_is_too_small(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.capture.heap_dump.free_bytes", lambda *_: 50 << 20)
    said: list[Text] = []
    taken = capture(
        jvm.pid,
        CaptureOptions(samples=1, heap=True, folder=tmp_path / "a"),
        said.append,
        lambda *_: pytest.fail("was asked"),
    )
    assert taken.heap is None
    assert any("50 MiB are free" in english()(line) for line in said)
    steps = json.loads((tmp_path / "a" / "manifest.json").read_text())["steps"]
    assert steps[-1]["result"].startswith("not done: it needs about")


def test_no_dump_without_a_yes(jvm: Jvm, tmp_path: Path) -> None:
    said: list[Text] = []
    taken = capture(
        jvm.pid, CaptureOptions(samples=1, heap=True, folder=tmp_path / "a"), said.append, lambda *_: False
    )
    assert taken.heap is None
    assert not list((tmp_path / "a").rglob("*.hprof*"))
    assert not any("GC.heap_dump" in english()(line) for line in said)
    assert english()(said[-1]) == "no heap dump: you declined it"
    done = mqdiag("capture", jvm.pid, "--heap", "-o", tmp_path / "b")
    assert done.returncode == 2
    assert "--heap --yes" in done.stderr
    assert not (tmp_path / "b").exists()


def test_tools_are_those_of_the_targets_own_jdk(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    target = find_target(jvm.pid)
    assert target.program is not None
    found = find_tools(target, {"PATH": "/nowhere", "JAVA_HOME": "/nowhere"})
    assert Path(found["jcmd"].path) == Path(target.program).with_name("jcmd")

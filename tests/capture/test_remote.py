"""Evidence of a JVM in a pod or on another host; here both are this machine."""

from __future__ import annotations

import io
import json
import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mqdiag.capture.jdk import ToolFailed
from mqdiag.capture.remote import logs, scripts
from mqdiag.capture.remote.fetched import SizedFile
from mqdiag.capture.remote.jvms import RemoteJvm
from mqdiag.capture.remote.reach import Host, answer, host, pod, stream
from mqdiag.capture.remote.watched import OnOtherSide
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.errors import UsageError
from tests.capture.conftest import Jvm
from tests.capture.other_side import Kubectl, sshd
from tests.capture.watched_log import capture_until_line
from tests.layers import CHECK, NIGHTLY
from tests.waiting import PATIENCE_S

pytestmark = CHECK


NO_JDK = [["jcmd)", "no-jcmd)"], ["jstack)", "no-jstack)"]]
NO_DISK = [["df -P -k /tmp", "echo tmpfs 1000 1000 0 100% /tmp"]]
ONE = ("--samples", "1")


@pytest.fixture
def kubectl(tmp_path: Path) -> Kubectl:
    (tmp_path / "programs").mkdir()
    return Kubectl(tmp_path / "programs")


def capture(environment: dict[str, str], folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mqdiag", "capture", *map(str, arguments), "-o", str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
        check=False,
    )


def in_pod(
    kubectl: Kubectl, folder: Path, jvm: Jvm, *arguments: object, **fault: object
) -> subprocess.CompletedProcess[str]:
    (kubectl.folder / "fault.json").write_text(json.dumps(fault))
    return capture(kubectl.environment, folder, jvm.pid, "--kube", "consumer-0/app", *arguments)


def manifest(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())


def left_there(jvm: Jvm) -> list[Path]:
    return list(Path("/tmp").glob(f"mqdiag-{jvm.pid}-*"))


def test_a_consumer_in_a_pod_is_diagnosed(jvm: Jvm, kubectl: Kubectl, tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    done = in_pod(kubectl, folder, jvm, "-n", "orders", "--samples", "3", "-i", "3", "--heap", "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{folder}\n"
    taken = manifest(folder)
    assert taken["complete"] is True
    assert taken["process"]["guess"] == "RocketMQ consumer"
    assert "hush" not in (folder / "manifest.json").read_text()
    files = {step["file"] for step in taken["steps"] if "file" in step}
    assert {"stacks/01.txt", "stacks/03.txt", "logs/console.log", "logs/own-gc.log"} < files
    assert all((folder / name).stat().st_size for name in files)
    assert left_there(jvm) == []
    calls = json.loads((kubectl.folder / "calls.json").read_text())
    assert {tuple(call[:5]) for call in calls} == {
        ("exec", "--namespace=orders", "consumer-0", "--container=app", "--")
    }
    report = diagnose_incident([str(folder)]).report
    assert report.findings[0].rule == "stuck-socket-read"
    assert report.heap is not None
    complete = {given.kind: given.complete for given in report.inputs}
    assert complete["capture"]
    assert complete["heap"]
    assert complete["stacks"]


def test_without_a_jdk_logs_are_taken(jvm: Jvm, kubectl: Kubectl, tmp_path: Path) -> None:
    done = in_pod(kubectl, tmp_path / "taken", jvm, *ONE, instead=NO_JDK)
    assert done.returncode == 0, done.stderr
    assert "no thread dump: there is no jcmd and no jstack there" in done.stderr
    assert {path.name for path in (tmp_path / "taken" / "logs").iterdir()} >= {"console.log", "own-gc.log"}
    assert not list((tmp_path / "taken").glob("stacks/*"))
    assert manifest(tmp_path / "taken")["complete"] is False


def test_nothing_at_all_is_an_input_that_cannot_be_read(jvm: Jvm, kubectl: Kubectl, tmp_path: Path) -> None:
    done = in_pod(kubectl, tmp_path / "taken", jvm, *ONE, lost_after=0)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        "mqdiag: consumer-0: kubectl: error: unable to upgrade connection: container not found"
    )
    done = in_pod(kubectl, tmp_path / "taken", jvm, *ONE, lost_after=2)
    assert done.returncode == 3
    assert "consumer-0: nothing could be taken: kubectl: error: unable" in done.stderr


def test_what_came_before_the_connection_was_lost_is_kept(jvm: Jvm, kubectl: Kubectl, tmp_path: Path) -> None:
    done = in_pod(kubectl, tmp_path / "taken", jvm, "--samples", "3", "-i", "0.1", lost_after=3)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "taken" / "stacks").iterdir()] == ["01.txt", "02.txt"]
    assert "the connection to consumer-0 is lost" in done.stderr
    assert manifest(tmp_path / "taken")["complete"] is False
    report = diagnose_incident([str(tmp_path / "taken")]).report
    assert report.stacks is not None
    assert report.stacks.samples == 2


def test_without_a_cluster_kubectl_says_so(jvm: Jvm, kubectl: Kubectl, tmp_path: Path) -> None:
    refused = (
        "E1122 13:00:00.000000 7 memcache.go:265] couldn't get current server API group list: Get \"http://localhost:8080"
        '/api?timeout=32s": dial tcp 127.0.0.1:8080: connect: connection refused\n'
        "The connection to the server localhost:8080 was refused - did you specify the right host or port?"
    )
    done = in_pod(kubectl, tmp_path / "taken", jvm, lost_after=0, error=refused)
    assert done.returncode == 3
    assert done.stderr == (
        "mqdiag: consumer-0: kubectl: The connection to the server localhost:8080 was refused - did you specify the"
        " right host or port?\n"
    )
    assert not (tmp_path / "taken").exists()


def test_a_stuck_consumer_over_there_ends_the_watch(jvm: Jvm, kubectl: Kubectl, tmp_path: Path) -> None:
    conditions = ("--watch", "heap=99%", "--watch", "stuck=1s", "--watch", "log=never")
    done = in_pod(kubectl, tmp_path / "taken", jvm, *ONE, "-i", "0.6", *conditions)
    assert done.returncode == 0, done.stderr
    assert "has stood at the same frames for 1 s" in done.stderr
    taken = manifest(tmp_path / "taken")
    assert taken["complete"] is True
    assert [step["result"][:7] for step in taken["steps"] if step["what"] == "watch"] == ["thread "]
    dumps = [step["file"] for step in taken["steps"] if step["what"].startswith("thread dump")]
    assert sorted(f"stacks/{path.name}" for path in (tmp_path / "taken" / "stacks").iterdir()) == dumps
    assert len(dumps) == 1
    assert dumps != ["stacks/01.txt"]
    assert any((tmp_path / "taken" / "logs").iterdir())


@NIGHTLY  # several seconds of JVMs
def test_dumps_from_before_the_connection_was_lost_are_kept(jvm: Jvm, kubectl: Kubectl, tmp_path: Path) -> None:
    # the list of JVMs, three calls for the logs, then a dump and a look at the logs each time
    done = in_pod(
        kubectl, tmp_path / "taken", jvm, "--samples", "2", "-i", "0.1", "--watch", "log=never", lost_after=9
    )
    assert done.returncode == 0, done.stderr
    assert "the connection to consumer-0 is lost" in done.stderr
    assert [path.name for path in sorted((tmp_path / "taken" / "stacks").iterdir())] == ["02.txt", "03.txt"]
    assert manifest(tmp_path / "taken")["complete"] is False


@NIGHTLY  # several seconds of JVMs
def test_a_line_of_a_log_on_another_host_ends_the_watch(jvm: Jvm, tmp_path: Path) -> None:
    log = jvm.console.parent / "own-gc.log"
    (tmp_path / "server").mkdir()
    with sshd(tmp_path / "server") as environment:
        command = ("capture", str(jvm.pid), "--ssh", "other", *ONE, "-i", "0.2", "--watch", "log=BROKER 'BUSY")
        errors = capture_until_line(command, log, "BROKER 'BUSY", tmp_path, environment)
    assert "own-gc.log has the text" in errors


class Here:
    """Runs scripts on this host."""

    name = "here"

    def command(self, script: str, *words: str) -> list[str]:
        return ["sh", "-c", script, "sh", *words]


def test_errors_without_an_end_are_not_kept(tmp_path: Path) -> None:
    script = "head -c 300000 /dev/zero | tr '\\0' x >&2; echo out"
    assert answer(Here(), script) == "out\n"
    with pytest.raises(ToolFailed):
        stream(Here(), "yes x >&2", out=io.BytesIO(), most_bytes=10, seconds=0.5)
    with pytest.raises(ToolFailed, match="last words"):
        stream(Here(), "echo last words >&2; exit 3", out=io.BytesIO(), most_bytes=10)


def test_new_bytes_of_a_log_over_there_are_searched(tmp_path: Path) -> None:
    log, other = tmp_path / "a log", tmp_path / "gone.log"
    log.write_text("old TEXT\n")
    watched = OnOtherSide(Here(), RemoteJvm(pid=7, user="app", denied=False), lambda text: None)
    read_to = {str(other): 5, str(log): log.stat().st_size}

    def found() -> str | None:
        return watched.log_with(b"TEXT", read_to)

    assert found() is None
    assert read_to == {str(other): 0, str(log): 9}
    log.write_text("old TEXT\nnew TE")
    assert found() is None
    log.write_text("old TEXT\nnew TEXT\n")
    assert found() == str(log)
    assert found() is None
    log.write_text("-e TEXT")
    assert found() == str(log), "a log that was started again"
    other.write_text("TEXT")
    assert found() == str(other)


@NIGHTLY  # several seconds of JVMs
def test_the_part_of_a_dump_that_came_is_kept_and_the_file_there_is_removed(
    jvm: Jvm, kubectl: Kubectl, tmp_path: Path
) -> None:
    done = in_pod(kubectl, tmp_path / "taken", jvm, *ONE, "--heap", "--yes", cut_after=100_000)
    assert done.returncode == 0, done.stderr
    (dump,) = (tmp_path / "taken" / "heap").iterdir()
    assert 90_000 < dump.stat().st_size < 100_000
    assert left_there(jvm) == []
    assert manifest(tmp_path / "taken")["complete"] is False


@NIGHTLY  # several seconds of JVMs
def test_no_dump_where_the_disk_there_is_full(jvm: Jvm, kubectl: Kubectl, tmp_path: Path) -> None:
    done = in_pod(kubectl, tmp_path / "taken", jvm, *ONE, "--heap", "--yes", instead=NO_DISK)
    assert done.returncode == 0, done.stderr
    assert "0 B are free there or here" in done.stderr
    assert not (tmp_path / "taken" / "heap").exists()


@NIGHTLY  # several seconds of JVMs
def test_a_dump_that_the_jvm_cannot_write_is_told_and_removed(
    jvm: Jvm, kubectl: Kubectl, tmp_path: Path
) -> None:
    subprocess.run(["prlimit", "--pid", str(jvm.pid), "--fsize=100000:"], check=True)
    try:
        done = in_pod(kubectl, tmp_path / "taken", jvm, *ONE, "--heap", "--yes")
    finally:
        subprocess.run(["prlimit", "--pid", str(jvm.pid), "--fsize=unlimited:"], check=True)
    assert done.returncode == 0, done.stderr
    assert "no heap dump: " in done.stderr
    assert (tmp_path / "taken" / "stacks" / "01.txt").exists()
    assert left_there(jvm) == []


# The stand-in for the pod runs with the rights of the test, and must lose some that the JVM has.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_jvm_of_another_user_there(jvm: Jvm, kubectl: Kubectl, tmp_path: Path) -> None:
    (kubectl.folder / "sh").write_text('#!/bin/sh\nexec setpriv --reuid=65534 --clear-groups /bin/sh "$@"\n')
    (kubectl.folder / "sh").chmod(0o755)
    done = in_pod(kubectl, tmp_path / "taken", jvm, *ONE)
    assert done.returncode == 3
    assert done.stderr == (
        f"mqdiag: consumer-0: process {jvm.pid} belongs to user root, and only root may look into it\n"
    )
    assert not (tmp_path / "taken").exists()


def test_a_consumer_on_another_host_is_captured_by_ssh(jvm: Jvm, tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    with sshd(tmp_path / "server") as environment:
        done = capture(environment, tmp_path / "taken", jvm.pid, "--ssh", "other", *ONE, "--heap", "--yes")
        assert done.returncode == 0, done.stderr
        files = {step.get("file") for step in manifest(tmp_path / "taken")["steps"]}
        assert {"stacks/01.txt", "logs/console.log", "logs/own-gc.log"} < files
        assert len(list((tmp_path / "taken" / "heap").iterdir())) == 1
        assert left_there(jvm) == []
        done = capture(environment, tmp_path / "none", 1, "--ssh", "other")
        assert (done.returncode, done.stderr) == (3, "mqdiag: other: process 1 is not a JVM there\n")
    done = capture(environment, tmp_path / "none", jvm.pid, "--ssh", "other")
    assert done.returncode == 3
    assert "Connection refused" in done.stderr


def test_names_that_the_other_side_gives_stay_in_the_folder_of_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {
        scripts.OPEN_FILES: "folder /srv\nfile 0100001 /x/app.log\nfile 0100001 /x/.log/..\nfile what /x/b.log\n",
        scripts.JCMD: "",
        scripts.FILES: "1|regular file|5|/x/app.log\n2|regular file|6|/x/app.log.1\n1|regular file|7|/x/..\n|\n",
    }
    monkeypatch.setattr(logs, "answer", lambda reach, script, *words: there[script])
    jvm = RemoteJvm(pid=7, user="app", denied=False, arguments=["java", "-Xloggc:/x/..", "com.example.Main"])
    found = logs.find_remote_logs(Host(name="h"), jvm, lambda text: None)
    assert [(log.path, size) for log, size in found] == [("/x/app.log", 5), ("/x/app.log.1", 6)]


@pytest.mark.parametrize("path", ["/x/\0.log", "/" + "x" * 300_000 + ".log"], ids=["NUL", "long"])
def test_paths_that_no_command_takes_are_left_out(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(reach: Host, script: str, *words: str) -> str:
        if script == scripts.FILES:
            asked.extend(words)
        open_files = f"folder /srv\nfile 0100001 {path}\nfile 0100001 /x/app.log\n"
        return open_files if script == scripts.OPEN_FILES else ""

    monkeypatch.setattr(logs, "answer", answer)
    jvm = RemoteJvm(pid=7, user="app", denied=False, arguments=["java", "com.example.Main"])
    logs.find_remote_logs(Host(name="h"), jvm, lambda text: None)
    assert asked == ["/x/app.log"]


def test_a_folder_with_more_files_than_a_command_takes_is_listed(tmp_path: Path) -> None:
    for number in range(1500):
        (tmp_path / f"app.log.{number:04}-{'x' * 100}").write_text("x")
    (tmp_path / "app.log").write_text("x")
    (tmp_path / "other.txt").write_text("x")

    def few_arguments() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 19, 1 << 19))  # a quarter of it is for arguments

    log = str(tmp_path / "app.log")
    done = subprocess.run(
        ["sh", "-c", scripts.FILES, "sh", log],
        capture_output=True,
        text=True,
        preexec_fn=few_arguments,
        check=True,
    )
    own, *beside = (line.split("|") for line in done.stdout.splitlines())
    assert own[1:] == ["regular file", "1", log]
    assert len(beside) == 100
    assert all(path.startswith(log) for *_, path in beside)


def test_values_stay_values() -> None:
    evil = "$(touch /tmp/x); 'a b"
    *_, line = Host(name="h").command('cat "$1"', evil)
    assert shlex.split(line) == ["sh", "-c", 'cat "$1"', "sh", evil]
    command = pod("consumer-0/app", "orders").command("cat", evil)
    assert command[-1] == evil
    assert "--namespace=orders" in command


@pytest.mark.parametrize("text", ["", "-v", "/app", "a/", "a/b/c"])
def test_what_is_no_pod_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        pod(text, None)


@pytest.mark.parametrize("text", ["", "-oProxyCommand=x"])
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        host(text)


def test_a_listing_that_fails_costs_the_logs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(reach: Host, script: str, *words: str) -> str:
        if script == scripts.FILES:
            raise ToolFailed("it printed more than 8 MiB")
        return ""

    monkeypatch.setattr(logs, "answer", answer)
    told: list[str] = []
    jvm = RemoteJvm(pid=7, user="app", denied=False, arguments=["java", "com.example.Main"])
    assert logs.find_remote_logs(Host(name="h"), jvm, lambda text: told.append(str(text))) == []
    assert len(told) == 1


@pytest.mark.parametrize("chunks", [[b"5\nhel", b"lo"], [b"5", b"\n", b"hello"]])
def test_the_size_of_a_dump_comes_before_its_bytes(chunks: list[bytes]) -> None:
    file = io.BytesIO()
    sized = SizedFile(file)
    for chunk in chunks:
        sized.write(chunk)
    assert (file.getvalue(), sized.left) == (b"hello", 0)


@pytest.mark.parametrize("sent", [b"JAVA PROFILE 1.0.2\0\0\0\0\x08", b"-5\nhello", b"9" * 5000, b"4\nhello"])
def test_a_dump_that_is_not_as_it_was_announced_is_refused(sent: bytes) -> None:
    file = io.BytesIO()
    with pytest.raises(ToolFailed):
        SizedFile(file).write(sent)
    assert file.getvalue() == b""

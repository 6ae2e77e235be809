"""A process that is hostile itself: what its tools print, which files its options name, and whose number it has."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mqdiag.capture import logs
from mqdiag.capture.folder import CaptureFolder
from mqdiag.capture.guess import consumer_of
from mqdiag.capture.heap_dump import HeapPlan, take_heap_dump
from mqdiag.capture.inside import opened_folder
from mqdiag.capture.jdk import MOST_ANSWER_BYTES, NoAnswer, Tool, ToolFailed, ask, quit_signal, write_answer
from mqdiag.capture.samples import Sampler
from mqdiag.capture.taken_over import take_over
from mqdiag.capture.target import Target, shown_command
from mqdiag.language import english
from mqdiag.text import say
from tests.kernel.other_user import NOBODY, as_root, open_folder_of_root
from tests.waiting import PATIENCE_S

LINE = "2026-11-21 10:00:00,000 WARN x - only for root\n"


def target(pid: int | None = None, **known: object) -> Target:
    """A process of this user, by default this one."""
    made = Target(
        pid=pid or os.getpid(), inner_pid=1, uid=os.geteuid(), gid=os.getegid(), command=("java",), program=None,
        own_files=False, container=None, in_pod=False, catches_sigquit=True,
    )  # fmt: skip
    return replace(made, **known)  # type: ignore[arg-type]


def tool(folder: Path, script: str) -> Tool:
    """A jcmd that does what the process's user likes."""
    path = folder / "jcmd"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return Tool(name="jcmd", path=str(path))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can write to."""
    with open_folder_of_root() as folder:
        folder.chmod(0o777)
        yield folder


def test_an_answer_without_an_end_is_neither_kept_nor_waited_for(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(ToolFailed, match="printed more than"):
        ask(tool(tmp_path, "yes"), target(), "VM.version")
    with pytest.raises(ToolFailed, match="printed more than"):
        ask(tool(tmp_path, f"head -c {MOST_ANSWER_BYTES + 1} /dev/zero; sleep 600"), target(), "VM.version")
    with pytest.raises(NoAnswer):
        ask(tool(tmp_path, "yes >&2"), target(), "VM.version", seconds=0.3)
    assert time.monotonic() - begun < 500


def test_a_thread_dump_without_an_end_does_not_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqdiag.capture.jdk.MOST_DUMP_BYTES", 1 << 20)
    with (tmp_path / "dump").open("wb") as file, pytest.raises(ToolFailed, match="printed more than"):
        write_answer(tool(tmp_path, "yes"), target(), file, "Thread.print")
    assert (tmp_path / "dump").stat().st_size <= 1 << 20


@as_root
def test_a_program_of_another_user_does_not_get_the_variables_of_root(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUD_TOKEN", "t0p-secret")
    said = ask(tool(open_folder, "id -u; env"), target(uid=NOBODY, gid=NOBODY), "VM.version")
    assert said.startswith(str(NOBODY))
    assert "PATH=" in said
    assert "t0p-secret" not in said


@as_root
def test_files_that_the_process_s_user_cannot_read_are_not_copied_for_root(open_folder: Path) -> None:
    """An option names any file, and the user can put a link in the place of a log."""
    secret, named = open_folder / "secret.log", open_folder / "own"
    secret.write_text(LINE)
    secret.chmod(0o600)
    named.mkdir()
    (named / "rocketmq_client.log").symlink_to(secret)
    command = ("java", f"-Drocketmq.client.logRoot={named}", f"-Xlog:gc:file={secret}")
    of_nobody = target(uid=NOBODY, gid=NOBODY, command=command)

    def found_there() -> list[logs.FoundLog]:
        """Without a file that this process's own output goes to."""
        return [log for log in logs.find_logs(of_nobody, None) if log.path.startswith(str(open_folder))]

    assert found_there() == []
    assert os.geteuid() == 0
    secret.chmod(0o644)
    assert len(found := found_there()) == 2
    secret.chmod(0o600)
    told = []
    folder = CaptureFolder(open_folder / "taken", {})
    assert logs.copy_logs(folder, of_nobody, found, 1 << 20, lambda text: told.append(english()(text))) == 0
    assert all("Permission denied" in line for line in told)


@as_root
@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("link", "heap.hprof: cannot be opened: "),
        ("file", "heap.hprof: belongs to another user; it is left there"),
    ],
)
def test_a_heap_dump_is_a_file_of_the_process_s_user(
    kind: str, says: str, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, written = open_folder / "secret", open_folder / "heap.hprof"
    secret.write_text("root's")
    (written.symlink_to if kind == "link" else written.hardlink_to)(secret)
    plan = HeapPlan(bytes_needed=1, free_bytes=1, written_to=str(written), packed=False, options=())
    folder = CaptureFolder(open_folder / "taken", {})
    with pytest.raises(ToolFailed, match=says):
        take_heap_dump(
            folder,
            target(uid=NOBODY, gid=NOBODY),
            tool(open_folder, "echo Heap dump file created"),
            plan,
            lambda text: None,
        )
    assert not list((folder.path / "heap").iterdir())
    assert secret.read_text() == "root's"


class Container:
    """Its files, which it changes at the worst moment: a folder becomes a link to the host's when a file is opened."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.host = folder / "container" / "tmp", folder / "host"
        for place, content in ((self.folder, "its own\n"), (self.host, "the host's\n")):
            place.mkdir(parents=True)
            (place / "app.log").write_text(content)
        self.target = target(own_files=True)
        monkeypatch.setattr(Target, "root", str(self.folder.parent))
        self._open = os.open
        monkeypatch.setattr(os, "open", self._exchange)

    def _exchange(self, path: str, *how: int, **where: int) -> int:
        if str(path).endswith("app.log") and not self.folder.is_symlink():
            self.folder.rename(self.folder.with_name("moved"))
            self.folder.symlink_to(self.host)
        return self._open(path, *how, **where)


def test_a_container_that_exchanges_a_folder_does_not_lead_to_a_log_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = Container(tmp_path, monkeypatch)
    taken = CaptureFolder(tmp_path / "taken", {})
    found = [logs.FoundLog(path="/tmp/app.log", why=say("given"))]
    assert logs.copy_logs(taken, container.target, found, 1 << 20, lambda text: None) == 1
    assert (taken.path / "logs" / "app.log").read_text() == "its own\n"


def test_a_container_that_exchanges_a_folder_does_not_move_a_file_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = Container(tmp_path, monkeypatch)
    plan = HeapPlan(bytes_needed=1, free_bytes=1, written_to="/tmp/app.log", packed=False, options=())
    dump = take_heap_dump(
        CaptureFolder(tmp_path / "taken", {}), container.target, tool(tmp_path, "true"), plan, lambda text: None
    )
    assert dump.read_text() == "its own\n"
    assert (container.host / "app.log").exists()


@pytest.mark.parametrize("same_disk", [True, False])
def test_a_heap_dump_of_the_process_is_moved(
    same_disk: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*names: object, src_dir_fd: int) -> None:
        raise OSError(18, "Invalid cross-device link")

    if not same_disk:
        monkeypatch.setattr(os, "rename", refuse)
    written, kept = tmp_path / "written", tmp_path / "kept"
    written.write_bytes(b"JAVA PROFILE")
    with opened_folder("", str(tmp_path)) as there:
        take_over(there, str(written), kept, target())
    assert kept.read_bytes() == b"JAVA PROFILE"
    assert not written.exists()


def test_a_new_process_with_the_old_number_gets_no_signal_and_no_question() -> None:
    """SIGQUIT ends a process that does not catch it."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        try:
            ended = target(other.pid, started="1")
            with pytest.raises(ToolFailed, match="is gone"):
                quit_signal(ended)
            told: list[str] = []
            sampler = Sampler(ended, {}, None, lambda text: told.append(english()(text)))
            assert not sampler._runs()
            assert told == [f"process {other.pid} is gone"]
            assert other.communicate(b"it still runs", PATIENCE_S)[0] == b"it still runs"
        finally:
            other.kill()


def test_a_name_of_a_process_does_not_hide_when_it_began() -> None:
    from mqdiag.capture.target import _started

    script = "import sys\nopen('/proc/self/comm','w').write('a) R 1 2 (x')\nprint(flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as named:
        assert named.stdout is not None
        named.stdout.readline()
        theirs, own = _started(Path(f"/proc/{named.pid}")), _started(Path("/proc/self"))
        assert theirs is not None
        assert own is not None
        assert int(theirs) >= int(own)
        named.communicate()


def test_long_names_of_threads_are_searched_for_groups_in_time() -> None:
    begun = time.process_time()
    consumer_of('"ConsumeMessageThread_' + "a_1" * 100_000 + "\n" + '"ConsumeMessageThread_' * 20_000)
    assert time.process_time() - begun < 2
    (group,) = consumer_of('"ConsumeMessageThread_CID_1_2" #1').values["groups"]  # type: ignore[misc]
    assert group == "CID_1"


@pytest.mark.parametrize(
    "command",
    [
        ("java", "-Durl=jdbc:mysql://h/db?user=u&password=hush"),
        ("java", "--password", "hush"),
        ("java", "-jar", "a.jar", "--spring.password=hush"),
    ],
)
def test_a_password_inside_an_argument_or_behind_one_is_hidden(command: tuple[str, ...]) -> None:
    assert "hush" not in " ".join(shown_command(command))


def test_controls_in_what_a_process_says_do_not_reach_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from mqdiag.cli.capture import _line, tell

    with pytest.raises(ToolFailed) as failed:
        ask(tool(tmp_path, r"printf '\033]0;x\007Error \r::error::x\n' >&2; exit 1"), target(), "VM.version")
    tell(failed.value.reason)
    line = _line(1, "me\x1b[2J", say("JVM"), ("java", "-cp", "x", "Main\x1b[31m\n"))
    shown = capfd.readouterr().err + line
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\r" not in shown
    assert not shown.startswith("::")
    assert io.StringIO(line).readlines() == [line]

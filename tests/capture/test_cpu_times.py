"""CPU times of threads beside the dumps: those that capture takes, and the line of shell for hosts without mqdiag."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from mqdiag.capture.cpu_times import cpu_times, shell_loop
from mqdiag.capture.folder import CaptureFolder, sample_file, times_file
from mqdiag.capture.remote.run import _TimesFirst
from mqdiag.capture.remote.scripts import THREAD_DUMP
from mqdiag.read.stacks.cpu_times import LEAST_ROWS, is_cpu_times, read_cpu_times
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(), reason="this kernel keeps no such times"
)


@pytest.fixture
def own_threads() -> object:
    """This process with four threads more."""
    end = threading.Event()
    threads = [threading.Thread(target=end.wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    yield [thread.native_id for thread in threads]
    end.set()
    for thread in threads:
        thread.join()


def test_rows_of_this_process(own_threads: list[int]) -> None:
    text = cpu_times(os.getpid()).decode()
    assert is_cpu_times(text)
    (found,) = read_cpu_times("x", text)
    assert set(own_threads) <= found.by_thread.keys()
    assert found.by_thread[threading.main_thread().native_id or 0] > 1.0
    assert all(len(row.split()) == 6 for row in text.splitlines())


def test_a_process_that_is_gone_gives_none() -> None:
    assert cpu_times(2**22 + 1) == b""


def test_the_line_of_shell_writes_what_is_read(own_threads: list[int], tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "jstack").write_text('#!/bin/sh\necho "dump of $2"\n')
    (programs / "jstack").chmod(0o755)
    subprocess.run(
        ["sh", "-c", shell_loop(os.getpid(), 2, 0.1)],
        cwd=tmp_path,
        env={"PATH": f"{programs}:{os.environ['PATH']}"},
        check=True,
        timeout=PATIENCE_S,
    )
    assert (tmp_path / "j2.log").read_text() == f"dump of {os.getpid()}\n"
    (found,) = read_cpu_times("x", (tmp_path / "proc2.txt").read_text())
    assert set(own_threads) <= found.by_thread.keys()


def test_the_other_side_sends_times_before_the_dump(own_threads: list[int], tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "jcmd").write_text('#!/bin/sh\necho "dump of $1"\n')
    (programs / "jcmd").chmod(0o755)
    done = subprocess.run(
        ["sh", "-c", THREAD_DUMP, "sh", str(os.getpid())],
        env={"PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        check=True,
        timeout=PATIENCE_S,
    )
    with (tmp_path / "times").open("wb") as times, (tmp_path / "dump").open("wb") as dump:
        parted = _TimesFirst(times, dump)
        for place in range(0, len(done.stdout), 7):
            parted.write(done.stdout[place : place + 7])
    assert (tmp_path / "dump").read_text() == f"dump of {os.getpid()}\n"
    (found,) = read_cpu_times("x", (tmp_path / "times").read_text())
    assert set(own_threads) <= found.by_thread.keys()
    assert len(found.by_thread) > LEAST_ROWS


def test_a_dump_is_forgotten_with_its_times(tmp_path: Path) -> None:
    folder = CaptureFolder(tmp_path / "taken", {})
    for name in (sample_file(1), times_file(1), sample_file(2)):
        with folder.new_file(name) as file:
            file.write(b"text")
    folder.forget(1)
    assert [path.name for path in tmp_path.glob("taken/*/*")] == ["02.txt"]

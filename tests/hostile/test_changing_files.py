"""Logs and thread dumps that shrink or grow while they are read, and media that give them slowly."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.progress import Silent
from mqdiag.text import NOTHING
from tests.hostile.crafted_texts import ring_of_locks
from tests.layers import CHECK, one_in_each_run
from tests.waiting import PATIENCE_S, wait_until

LINE = (
    b"2026-11-21 10:00:00,000 WARN BrokerFastFailure - [TIMEOUT_CLEAN_QUEUE]broker busy, start flow control\n"
)
READERS: dict[str, tuple[Callable[..., Report], bytes]] = {
    "logs": (lambda path, progress: diagnose_logs([path], progress=progress).report, LINE * 60_000),
    "stacks": (
        lambda path, progress: diagnose_stacks([path], progress=progress).report,
        ring_of_locks().encode(),
    ),
}


class Changing(Silent):
    """Progress of which one step changes the file."""

    def __init__(self, change: Callable[[], object]) -> None:
        self._change = change
        self._steps = 0

    def advance(self, share: float) -> None:
        self.check()

    def check(self) -> None:
        self._steps += 1
        if self._steps == 3:
            self._change()


@one_in_each_run(2)
@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_shrinks_is_read_so_far_and_the_report_says_so(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "evidence.log"
    read, data = READERS[reader]
    path.write_bytes(data)
    (given,) = read(path, Changing(lambda: os.truncate(path, len(data) // 2))).inputs
    assert (given.complete, given.error) == (False, None)
    assert "was cut while it was read" in english()(given.problem or NOTHING)
    assert 0 < (given.stopped_at_byte or 0) < len(data)


@one_in_each_run(2)
@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_grows_is_read_to_an_end(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "evidence.log"
    read, data = READERS[reader]
    path.write_bytes(data)

    def grow() -> None:
        with open(path, "ab") as file:
            file.write(LINE * 1_000)

    (given,) = read(path, Changing(grow)).inputs
    assert given.error is None
    assert given.problem is None or "cut while" not in english()(given.problem)


def started(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "mqdiag", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # a shell in the background ignores interrupts, and its children with it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def is_read(pipe: IO[bytes]) -> bool:
    """Whether nothing of what was written is still in the pipe."""
    return not int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@CHECK
@pytest.mark.parametrize("command", ["logs", "diagnose"])
def test_a_pipe_that_trickles_is_waited_for(command: str, tmp_path: Path) -> None:
    pipe = tmp_path / "evidence"
    os.mkfifo(pipe)
    running = started(command, str(pipe), "--format", "json")

    def trickle() -> None:
        with open(pipe, "wb", buffering=0) as out:
            for _ in range(10):
                out.write(LINE[:50])
                wait_until(lambda: is_read(out), "a reader")
                out.write(LINE[50:])

    writer = threading.Thread(target=trickle)
    writer.start()
    out, err = running.communicate(timeout=PATIENCE_S)
    writer.join()
    assert running.returncode in (0, 1), err
    (given,) = json.loads(out)["inputs"]
    assert (given["complete"], given["error"]) == (True, None)


@CHECK
def test_a_pipe_that_gives_nothing_more_is_left_by_an_interrupt(tmp_path: Path) -> None:
    pipe = tmp_path / "evidence"
    os.mkfifo(pipe)
    running = started("logs", str(pipe))
    with open(pipe, "wb", buffering=0) as out:
        out.write(LINE)
        wait_until(lambda: is_read(out), "a reader")
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE_S)
    assert running.returncode in (130, -signal.SIGINT)
    assert err.decode().strip() in ("", "mqdiag: interrupted")

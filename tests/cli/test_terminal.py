"""On a terminal: colour unless it is not wanted, the terminal's width, no leftovers of the progress line."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.layers import CHECK
from tests.text_width import too_wide

DUMP = Path(__file__).parents[2] / "fixtures" / "heap" / "oversized-oom-4.3.2" / "dump.hprof.gz"


def on_terminal(columns: int, *arguments: str, **environment: str) -> str:
    """Run with stdout and stderr on a pseudo terminal; what arrived there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "TERM")}
    with subprocess.Popen(
        [sys.executable, "-m", "mqdiag", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**kept, "TERM": "xterm-256color", **environment},
    ):
        os.close(theirs)
        received = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            received += piece
    os.close(ours)
    return received.decode()


def after_progress(text: str) -> str:
    """What stays on the screen: the last erased line is gone."""
    return text.rsplit("\r\x1b[K", 1)[-1]


@CHECK
def test_colour_on_a_terminal() -> None:
    text = after_progress(on_terminal(80, "heap", str(DUMP)))
    assert text.startswith("\x1b[1;31mERROR")


@CHECK
@pytest.mark.parametrize(
    ("arguments", "environment"),
    [((), {"NO_COLOR": "1"}), (("--no-color",), {}), ((), {"TERM": "dumb"})],
    ids=["NO_COLOR", "--no-color", "TERM=dumb"],
)
def test_no_colour_where_it_is_not_wanted(arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    text = after_progress(on_terminal(80, "heap", str(DUMP), *arguments, **environment))
    assert text.startswith("ERROR")
    assert "\x1b" not in text


@CHECK
@pytest.mark.parametrize(("columns", "widest"), [(60, 72), (100, 100), (300, 120)])
def test_the_report_takes_the_width_that_there_is(columns: int, widest: int) -> None:
    """Names of classes are whole, so a table can be wider than a narrow terminal."""
    text = after_progress(on_terminal(columns, "heap", str(DUMP), "--no-color"))
    text = text.replace("\r\n", "\n")
    assert too_wide(text, widest) == []
    assert any(widest - 15 < len(line) <= widest for line in text.splitlines())


@CHECK
def test_an_error_on_a_terminal_is_one_line() -> None:
    text = after_progress(on_terminal(80, "heap", "/no/such/file"))
    assert re.sub(r"\x1b\[K|\r", "", text).splitlines() == [
        "mqdiag: /no/such/file: no such file or folder; check the path; it is relative to the working directory"
    ]

"""Running command lines as a shell does: an empty folder, three streams, the exit code."""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from mqdiag.cli import run as run_here
from tests.waiting import PATIENCE_S


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line on stderr; more than one is a failure of its own."""
        (line,) = self.err.splitlines()
        return line


Run = Callable[..., Done]


def here(*arguments: object, stdin: bytes = b"", folder: Path | None = None, **environment: str) -> Done:
    """Run mqdiag in this process; standard input is a pipe, the other two streams are files."""
    given, end = os.pipe()

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), open(end, "wb", buffering=0) as pipe:
            pipe.write(stdin)

    feeder = threading.Thread(target=feed)
    with pytest.MonkeyPatch.context() as patch, TemporaryFile() as out, TemporaryFile() as err:
        if folder is not None:
            patch.chdir(folder)
        for name, value in environment.items():
            patch.setenv(name, value)
        feeder.start()
        with (
            open(given, encoding="utf-8", errors="surrogateescape") as patched_in,
            open(os.dup(out.fileno()), "w", encoding="utf-8", errors="surrogateescape") as patched_out,
            open(os.dup(err.fileno()), "w", encoding="utf-8", errors="backslashreplace") as patched_err,
        ):
            patch.setattr(sys, "stdin", patched_in)
            patch.setattr(sys, "stdout", patched_out)
            patch.setattr(sys, "stderr", patched_err)
            code = run_here([*map(str, arguments)])
        feeder.join()
        return Done(code, *(os.pread(file.fileno(), 1 << 30, 0).decode() for file in (out, err)))


@pytest.fixture
def mqdiag(tmp_path: Path) -> Run:
    """Run mqdiag in an empty folder, in this process."""
    return functools.partial(here, folder=tmp_path)


@pytest.fixture
def mqdiag_process(tmp_path: Path) -> Run:
    """Run mqdiag in an empty folder as a process of its own."""

    def run(*arguments: str, **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "mqdiag", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, **environment},
            timeout=PATIENCE_S,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run

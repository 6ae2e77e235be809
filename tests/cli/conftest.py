"""Running command lines as a shell does: a process of its own, its two streams, its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


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


@pytest.fixture
def mqdiag(tmp_path: Path) -> Run:
    """Run mqdiag in an empty folder."""

    def run(*arguments: str, stdin: bytes = b"", uid: int | None = None, **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "mqdiag", *arguments],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, **environment},
            user=uid,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run

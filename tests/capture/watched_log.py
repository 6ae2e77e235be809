"""A capture that waits for a line of a log, which is then written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.waiting import PATIENCE_S, wait_until


def capture_until_line(
    command: tuple[str, ...], log: Path, line: str, cwd: Path, env: Mapping[str, str] | None = None
) -> str:
    """Run `mqdiag capture` into the folder `taken`, write the line once that has samples; what stderr says.

    The log is as before afterwards. A run that fails is an AssertionError.
    """
    before = log.read_text()
    with subprocess.Popen(
        [sys.executable, "-m", "mqdiag", *command, "-o", "taken"],
        env=env,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_until((cwd / "taken" / "stacks").exists, "the first sample")
        with log.open("a") as file:
            file.write(f"[0.1s] {line}\n")
        _, errors = process.communicate(timeout=PATIENCE_S)
    log.write_text(before)
    assert process.returncode == 0, errors
    return errors

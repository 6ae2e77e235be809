"""Runs of `mqdiag` that may use so much time and memory, and no more: in this process, or in one of their own."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

from mqdiag.cli import run as run_command

MOST_CPU_S = 12
MOST_RESIDENT_MB = 300
_MOST_ADDRESSES = 6 << 30
"""bytes; where a broken reader asks for more it ends, and the machine stays usable"""
# A child's peak memory counts what its parent had when it was forked, and tests' workers are large: a small process
# starts mqdiag and measures it.
_MEASURED = """
import json, os, sys
child = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-m", "mqdiag", *sys.argv[2:]])
_, status, used = os.wait4(child, 0)
figures = [os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss]
os.write(int(sys.argv[1]), json.dumps(figures).encode())
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    code: int
    """exit code; minus the number of the signal that ended it"""
    out: bytes
    err: str
    cpu_s: float
    resident_mb: int | None
    """where the process was its own"""

    def check(self, *codes: int) -> None:
        """The run ended by itself, with one of these codes, within its limits and with at most one line of stderr."""
        assert self.code in codes, f"exit {self.code} after {self.cpu_s:.1f} s: {self.err[-500:]}"
        assert "Traceback" not in self.err
        assert (self.resident_mb or 0) <= MOST_RESIDENT_MB, f"{self.resident_mb} MB"


def run_here(*arguments: str | Path, most_cpu_s: int = MOST_CPU_S) -> Outcome:
    """Run a command line in this process, whose memory tells nothing."""
    out, err = TextIOWrapper(BytesIO(), "utf-8"), StringIO()
    begun = time.process_time()
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command([*map(str, arguments)])
        out.flush()
    cpu_s = time.process_time() - begun
    assert cpu_s <= most_cpu_s, f"{cpu_s:.1f} s"
    return Outcome(
        code=code,
        out=out.buffer.getvalue(),
        err=err.getvalue(),
        cpu_s=cpu_s,
        resident_mb=None,  # type: ignore[attr-defined]
    )


def run(*arguments: str | Path, stdin: Path | None = None, most_cpu_s: int = MOST_CPU_S) -> Outcome:
    """Run a command line; standard input is empty unless a file is given."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (most_cpu_s, most_cpu_s + 1))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_ADDRESSES, _MOST_ADDRESSES))

    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        tempfile.TemporaryFile() as measured,
        open(stdin or os.devnull, "rb") as given,
    ):
        subprocess.run(
            [sys.executable, "-S", "-c", _MEASURED, str(measured.fileno()), *map(str, arguments)],
            stdin=given,
            stdout=out,
            stderr=err,
            preexec_fn=limit,
            pass_fds=(measured.fileno(),),
            check=False,
        )
        for file in (out, err, measured):
            file.seek(0)
        code, cpu_s, resident_kib = json.load(measured)
        return Outcome(
            code=code,
            out=out.read(),
            err=err.read().decode(errors="replace"),
            cpu_s=cpu_s,
            resident_mb=resident_kib >> 10,
        )

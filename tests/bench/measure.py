"""A command timed as a whole process, with the memory it took."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class Run:
    """One run: seconds of wall clock and of CPU, peak of anonymous memory in bytes, exit code."""

    wall_s: float
    cpu_s: float
    anonymous_bytes: int
    code: int


def run(command: list[str], cwd: Path | None = None, env: dict[str, str] | None = None) -> Run:
    """Run a command to its end, output thrown away."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        # A dump that was kept by the run before would be measured as fast as a second question.
        env={**os.environ, "MQDIAG_CACHE_SIZE": "0", **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = [0]
    watcher = threading.Thread(target=_watch, args=(process.pid, peak))
    watcher.start()
    code = process.wait()
    wall = time.perf_counter() - started
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, peak[0], code)


def median(runs: list[Run]) -> Run:
    """Medians of seconds and of processor time, with the largest memory of any."""
    return Run(
        statistics.median(one.wall_s for one in runs),
        statistics.median(one.cpu_s for one in runs),
        max(one.anonymous_bytes for one in runs),
        max(one.code for one in runs),
    )


def least_cpu(command: list[str], times: int) -> Run:
    """The run with the least processor time, with the largest memory of any."""
    runs = [run(command) for _ in range(times)]
    least = min(runs, key=lambda one: one.cpu_s)
    return Run(least.wall_s, least.cpu_s, max(one.anonymous_bytes for one in runs), least.code)


def _watch(pid: int, peak: list[int]) -> None:
    """Sample what a process and its children take; a script of a JVM takes nothing itself."""
    while Path(f"/proc/{pid}").exists():
        peak[0] = max(peak[0], _anonymous_bytes(pid))
        time.sleep(POLL_S)


def _anonymous_bytes(pid: int) -> int:
    """RssAnon of a process and its children: a mapped dump is page cache, not memory of the program."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        children = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return 0  # it has ended
    own = sum(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon:"))
    return own + sum(map(_anonymous_bytes, children))

"""Times `mqdiag heap` against the bare import of its two heavy libraries, on dumps of the repository or your own.

Wall time, processor time and peak memory of whole processes; the least of several runs, because a busy machine only
ever adds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

RUNS = 5
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Cost:
    """One process from its start to its exit."""

    wall_s: float
    cpu_s: float
    peak_mib: float


def measure(arguments: list[str]) -> Cost:
    """Run a Python process once."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(process.pid, 0)
    return Cost(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def best(arguments: list[str]) -> Cost:
    """The least of several runs."""
    runs = [measure(arguments) for _ in range(RUNS)]
    return Cost(*(min(getattr(run, part) for run in runs) for part in ("wall_s", "cpu_s", "peak_mib")))


def main() -> None:
    """Print one line for each dump."""
    dumps = [Path(name) for name in sys.argv[1:]] or sorted(ROOT.glob("fixtures/heap/*/dump.hprof.gz"))
    subprocess.run([sys.executable, "-m", "mqdiag", "warm"], check=True, stdout=subprocess.DEVNULL)
    jobs = [
        ("import numba, numpy", ["-c", "import numba, numpy"]),
        ("mqdiag --help", ["-m", "mqdiag", "--help"]),
    ]
    jobs += [(dump.parent.name + "/" + dump.name, ["-m", "mqdiag", "heap", str(dump)]) for dump in dumps]
    print(f"{'wall s':>7} {'CPU s':>7} {'MiB':>6}")
    for name, arguments in jobs:
        cost = best(arguments)
        print(f"{cost.wall_s:7.2f} {cost.cpu_s:7.2f} {cost.peak_mib:6.0f}  {name}")


if __name__ == "__main__":
    main()

"""Times `mqdiag stacks` on a large series of thread dumps.

    python -m tests.bench.stacks [--times 5]

Five samples of 10,000 threads, 112 MB, in five files (`tests/bench/series.py`): hundreds of threads show the same, and
then each has locks and times of its own. Each run is one process. Prints megabytes for each second of processor time,
start of Python included, the time on the clock and the peak of memory; and the load before and after, for
a loaded machine is slower.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.bench.measure import least_cpu
from tests.bench.series import write_series


def main() -> int:
    """Write the series, read it several times, print the run with the least processor time."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.stacks", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="runs, default: %(default)s")
    times = parser.parse_args().times
    print("load average", *(f"{load:.1f}" for load in os.getloadavg()))
    print(f"{'MB/s':>6} {'CPU s':>7} {'wall s':>7} {'memory MB':>10}")
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as folder:
        command = [str(Path(sys.executable).parent / "mqdiag"), "stacks"]
        for apart in (False, True):
            samples = write_series(Path(folder), apart=apart)
            megabytes = sum(sample.stat().st_size for sample in samples) / 1e6
            run = least_cpu([*command, *map(str, samples)], times)
            memory_mb = run.anonymous_bytes / 1e6
            name = "threads apart" if apart else "threads alike"
            print(f"{megabytes / run.cpu_s:6.0f} {run.cpu_s:7.2f} {run.wall_s:7.2f} {memory_mb:10.0f}  {name}")
    print("load average", *(f"{load:.1f}" for load in os.getloadavg()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Times `mqdiag logs` on long logs of each kind, and shows that memory does not grow with them.

    python -m tests.bench.logs [--megabytes 100,1000] [--times 3] [KIND ...]

Each run is one process with one thread. Prints megabytes for each second of processor time, start of Python included,
and the peak of memory; and the load of the machine before and after, for a loaded machine is slower.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.long_logs import KINDS, write_log
from tests.bench.measure import Run, least_cpu


class MeasuredLog(NamedTuple):
    """A log, and how long it takes to read it."""

    kind: str
    size_bytes: int
    run: Run

    def __str__(self) -> str:
        """One line of the table: megabytes for each second of processor time, these seconds, and the memory."""
        speed = self.size_bytes / 1e6 / self.run.cpu_s
        memory = self.run.anonymous_bytes / 1e6
        return (
            f"{speed:6.0f} {self.run.cpu_s:7.2f} {memory:10.0f}  {self.kind}, {self.size_bytes / 1e6:,.0f} MB"
        )


def measure_logs(kinds: Iterable[str], sizes_mb: Sequence[int], times: int) -> Iterator[MeasuredLog]:
    """Write each kind of log in each size, and read it several times.

    Args:
        kinds: see `long_logs.KINDS`.
        sizes_mb: megabytes of each log.
        times: how often each is read.
    """
    print(f"{'MB/s':>6} {'CPU s':>7} {'memory MB':>10}  log")
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as folder:
        for kind in kinds:
            for megabytes in sizes_mb:
                path = Path(folder) / "a.log"
                write_log(path, kind, megabytes * 1_000_000)
                command = [str(Path(sys.executable).parent / "mqdiag"), "logs", str(path)]
                yield MeasuredLog(kind, path.stat().st_size, least_cpu(command, times))


def main() -> int:
    """Measure and print all."""
    options = _options()
    print(f"load average {_load()}")
    sizes_mb = [int(size) for size in options.megabytes.split(",")]
    for log in measure_logs(options.kinds or KINDS, sizes_mb, options.times):
        print(log, flush=True)
    print(f"load average {_load()}")
    return 0


def _load() -> str:
    return " ".join(f"{load:.1f}" for load in os.getloadavg())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.logs", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; default: all")
    parser.add_argument("--megabytes", default="100", help="sizes of the logs; default: %(default)s")
    parser.add_argument("--times", type=int, default=3, help="runs of each, default: %(default)s")
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    sys.exit(main())

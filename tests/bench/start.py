"""How much longer a short run takes than a fixed list of imports: `python -m tests.bench.start [RUNS]`.

The list is the yardstick: it stays as it is when a command imports less or more, so that figures can be compared.

Both programs run in turns, so that the load of the machine hits both. What counts is processor time, as median.
"""

from __future__ import annotations

import gzip
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.bench.measure import median, run

FIXTURES = Path(__file__).parents[2] / "fixtures"
DUMP = FIXTURES / "heap" / "oversized-oom-4.3.2" / "dump.hprof.gz"
SERIES = FIXTURES / "stacks" / "urlconnection-stuck" / "series.tar.gz"
"""five thread dumps of 47 threads each"""
RUNS = 15


class Start(NamedTuple):
    """A command, and the fixed imports that it is measured against."""

    name: str
    arguments: list[str]
    imports: str
    aim: float
    """times the imports"""


class Measured(NamedTuple):
    """Medians."""

    start: Start
    wall_s: float
    cpu_s: float
    imports_cpu_s: float

    @property
    def ratio(self) -> float:
        """How many times the imports the command takes."""
        return self.cpu_s / self.imports_cpu_s

    def __str__(self) -> str:
        """One line of the table."""
        return (
            f"{self.cpu_s:8.3f} {self.imports_cpu_s:10.3f} {self.ratio:6.2f}  mqdiag {self.start.name}"
            f" against python -c 'import {self.start.imports}' (aim: {self.start.aim})"
        )


def measure_starts(folder: Path, times: int = RUNS) -> list[Measured]:
    """Both commands.

    Args:
        folder: where the evidence is unpacked.
        times: runs of each program.
    """
    with tarfile.open(SERIES) as archive:
        archive.extractall(folder, filter="data")
    samples = sorted(str(path) for path in folder.rglob("*") if path.is_file())
    dump = folder / "dump.hprof"
    dump.write_bytes(gzip.decompress(DUMP.read_bytes()))
    starts = (
        Start("heap", ["heap", str(dump)], "numpy, llvmlite.binding, rich, click", aim=1.8),
        Start("stacks", ["stacks", *samples], "rich, click, msgspec", aim=2.5),
    )
    return [_measured(start, times) for start in starts]


def _measured(start: Start, times: int) -> Measured:
    command = [str(Path(sys.executable).parent / "mqdiag"), *start.arguments]
    imports = [sys.executable, "-c", f"import {start.imports}"]
    # An empty value counts as unset: without bytecode every run would compile all modules again.
    env = {"PYTHONDONTWRITEBYTECODE": ""}
    run(command, env=env)  # writes the bytecode
    pairs = [(run(command, env=env), run(imports, env=env)) for _ in range(times)]
    own, least = (median(list(runs)) for runs in zip(*pairs, strict=True))
    return Measured(start, own.wall_s, own.cpu_s, least.cpu_s)


def print_starts(times: int = RUNS) -> list[Measured]:
    """Measure and print both."""
    print("\nShort runs against a fixed list of imports")
    print(f"{'CPU s':>8} {'imports s':>10} {'ratio':>6}  program")
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as folder:
        measured = measure_starts(Path(folder), times)
    for start in measured:
        print(start, flush=True)
    return measured


if __name__ == "__main__":
    print_starts(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)

"""What each shortcut of a short run or of a large dump is worth: `python -m tests.bench.shortcuts [RUNS]`.

A shortcut is code that changes no result: threads beside the work, a loader of our own. Each is worth its lines while a
run without it takes `LEAST_S` longer at the start, or `LEAST_SHARE` longer as a whole. Runs with and without it go by
turns, so that the load of the machine hits both; medians and least values of wall clock and of processor time.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.bench.many_objects import write_dump
from tests.bench.measure import Run, median, run
from tests.bench.start import DUMP, RUNS

LEAST_S = 0.010
LEAST_SHARE = 0.03
OBJECTS = 3_000_000
_RUN = "from mqdiag.__main__ import start; start()"


class Shortcut(NamedTuple):
    """One of them."""

    name: str
    off: str
    """statements that take it away"""
    on: str
    """statements of the same cost that leave it"""
    dump: str
    """on which it is worth something: a small one shows the start"""
    kernels: bool = False
    """whether kernels are compiled anew without it"""


SHORTCUTS = (
    Shortcut(
        "a dump mapped ahead",
        "import mqdiag.read.mapped_ahead as m; m.map_ahead = lambda *given: None",
        "import mqdiag.read.mapped_ahead",
        "large",
    ),
    Shortcut(
        "a dump unmapped beside the report",
        "import mqdiag.diagnose.heap_facts as h; h.unmap_in_background = lambda source: None",
        "import mqdiag.diagnose.heap_facts",
        "large",
    ),
    Shortcut("kernels loaded without a linker", "", "", "small", kernels=True),
)


class Measured(NamedTuple):
    """Runs with and without a shortcut."""

    shortcut: Shortcut
    on: list[Run]
    off: list[Run]

    @property
    def pays(self) -> bool:
        """Whether it is worth its lines."""
        on, off = median(self.on).wall_s, median(self.off).wall_s
        return off - on >= (LEAST_S if self.shortcut.dump == "small" else LEAST_SHARE * on)

    def __str__(self) -> str:
        """One line of the table."""
        figures = " ".join(f"{figure:8.3f}" for runs in (self.on, self.off) for figure in _figures(runs))
        return f"{figures}  {'pays' if self.pays else '-':4}  {self.shortcut.dump:5}  {self.shortcut.name}"


def print_shortcuts(times: int = RUNS) -> list[Measured]:
    """Measure and print all of them."""
    print("\nShortcuts, by turns with runs that lack them")
    heads = " ".join(f"{head:>8}" for head in ("wall s", "least", "CPU s", "least"))
    print(f"{'with':>35} {'without':>35}\n{heads} {heads}  {'':4}  dump")
    measured = []
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as name:
        folder = Path(name)
        (folder / "small.hprof").write_bytes(gzip.decompress(DUMP.read_bytes()))
        write_dump(folder / "large.hprof", OBJECTS)
        unlinked = _unlinked_kernels(folder / "kernels")
        for shortcut in SHORTCUTS:
            dump = folder / f"{shortcut.dump}.hprof"
            measured.append(_measured(shortcut, dump, unlinked, times))
            print(measured[-1], flush=True)
    return measured


def _measured(shortcut: Shortcut, dump: Path, unlinked: Path, times: int) -> Measured:
    on, off = (
        [sys.executable, "-c", f"{prelude or 'pass'}; {_RUN}", "heap", str(dump)]
        for prelude in (shortcut.on, shortcut.off)
    )
    env = {"PYTHONDONTWRITEBYTECODE": ""}
    env_off = {**env, "MQDIAG_KERNELS": str(unlinked)} if shortcut.kernels else env
    pairs = [(run(on, env=env), run(off, env=env_off)) for _ in range(times + 1)][1:]
    with_it, without = (list(runs) for runs in zip(*pairs, strict=True))
    return Measured(shortcut, with_it, without)


def _figures(runs: list[Run]) -> tuple[float, float, float, float]:
    middle = median(runs)
    return middle.wall_s, min(one.wall_s for one in runs), middle.cpu_s, min(one.cpu_s for one in runs)


def _unlinked_kernels(folder: Path) -> Path:
    """A folder of kernels as LLVM made them, which its own loader must link in each run."""
    code = (
        "import mqdiag.kernel.link as l, mqdiag.kernel.ahead as a, mqdiag.kernel.worker as w;"
        "l.link = lambda *given: None;"
        # in this process, for others would link
        "a._compile = lambda wanted: all([w._is_kept(one.kernel, list(one.types)) for one in wanted]);" + _RUN
    )
    folder.mkdir(mode=0o700)
    subprocess.run(
        [sys.executable, "-c", code, "warm"],
        env={**os.environ, "MQDIAG_KERNELS": str(folder)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder


if __name__ == "__main__":
    print_shortcuts(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)

"""Times mqdiag against its peers on the same dumps, in one run, whole processes, page cache warm.

    make bench                     dumps of 1 and 12 million objects, and one like the first article's
    make bench OBJECTS=1,12,50     other sizes, in millions
    make bench MANY=1,3,12,50,200  sizes of the dumps that need no Java, in millions; the picture shows these
    make bench MINUTES=10          a shorter run
    make bench MAT=/opt/mat        with Eclipse MAT besides

The dumps are kept in the user's cache folder. The rig (Java, Maven) makes some; `many_objects.py` writes the others.
The peers are built once (cargo). All programs run by turns, Eclipse MAT and all on dumps above 4 GiB as often as
`--slow-times` says; medians, ratios and the picture go to docs/measurements (`record.py`). No turn begins when MINUTES
(30) are over, but each program has one. `--log-megabytes`, `--times` and `--no-peers` make a shorter run.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.bench import peers, record
from tests.bench.incident import write_incident
from tests.bench.long_logs import KINDS, write_log
from tests.bench.many_objects import write_dump
from tests.bench.measure import Run, median, run
from tests.bench.peers import Peer
from tests.bench.ratios import Compared, compared
from tests.bench.series import write_series
from tests.bench.shortcuts import print_shortcuts
from tests.bench.start import RUNS, Measured, print_starts

ROOT = Path(__file__).parents[2]
_MANY = "many-"
"""how the names of dumps begin that `many_objects.py` writes"""
_LARGE_BYTES = 4 << 30
"""each program reads a dump above this size `--slow-times` only"""
_AGAINST = {
    "hprof-analyzer 0.3.2": "mqdiag heap",
    "Eclipse MAT": "mqdiag heap",
    "hprof-slurp 0.10.0": "mqdiag heap --quick",
    "mqdiag heap --quick": "inflating with isal",
    "mqdiag stacks": "wc -l",
    "mqdiag logs": "wc -l",
    "mqdiag diagnose": "mqdiag heap",
}
"""what a program is compared with, where that runs on the same input"""


def main() -> int:
    """Make what is missing, run everything, print tables and write the record."""
    options = _options()
    dumps = [Path(name) for name in options.dumps] or _dumps(options)
    if not options.no_peers:
        peers.install(options.folder)
    # As an installation has it, even where PYTHONDONTWRITEBYTECODE is set.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(ROOT / "mqdiag")], check=True)
    subprocess.run([sys.executable, "-m", "mqdiag", "warm"], check=True, stdout=subprocess.DEVNULL)
    full, quick = [peers.ours()], [peers.ours("--quick")]
    if not options.no_peers:
        full.append(peers.analyzer(options.folder))
        quick.append(peers.slurp(options.folder))
    if options.mat:
        full.append(peers.mat(options.mat))
    form = (
        f"{options.times} turns, none begun after {options.minutes:g} minutes, logs of {options.log_megabytes:,} MB"
        + (", without peers" if options.no_peers else "")
    )
    options.record.mkdir(exist_ok=True)
    deadline = time.monotonic() + 60 * options.minutes
    bench = _Bench(options.times, options.slow_times, deadline)
    for dump in dumps:
        run(["cat", str(dump)])  # the page cache is warm for all of them
        bench.by_turns((peers.bare_import(), *full, *quick, peers.show("java.util.HashMap")), dump)
        record.write(bench.figures, bench.ratios, form, options.record)
    for dump in dumps:
        if not dump.name.startswith(_MANY) and not _is_large(dump):
            bench.by_turns((peers.inflate(), peers.ours("--quick")), _zipped(dump))
    for apart in (False, True):
        samples = write_series(options.folder, apart=apart)
        name = "5 thread dumps, threads apart" if apart else "5 thread dumps"
        bench.by_turns(_text_programs("stacks", samples), samples[0], name, _size(samples))
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as folder:
        for kind in KINDS:
            path = Path(folder) / "a.log"
            write_log(path, kind, options.log_megabytes * 1_000_000)
            bench.by_turns(_text_programs("logs", [path]), path, f"log of kind {kind}", _size([path]))
    small = next((dump for dump in dumps if not _is_large(dump)), None)
    if small is not None:
        folder_of_incident = write_incident(options.folder, small.resolve())
        given = sorted(folder_of_incident.iterdir())
        bench.by_turns(_incident(folder_of_incident), small, "incident", _size(given))
    bench.figures += map(_start, print_starts())
    record.write(bench.figures, bench.ratios, form, options.record)
    if time.monotonic() < deadline:
        print_shortcuts()
    return 0


def _text_programs(command: str, files: Sequence[Path]) -> tuple[Peer, ...]:
    """mqdiag, and what counts the lines of the same files."""
    paths = [str(file) for file in files]
    binary = str(Path(sys.executable).parent / "mqdiag")
    return (
        Peer(f"mqdiag {command}", lambda _: [binary, command, *paths]),
        Peer("wc -l", lambda _: ["wc", "-l", *paths]),
    )


def _incident(folder: Path) -> tuple[Peer, ...]:
    """The whole folder, and the longest of its files alone."""
    binary = str(Path(sys.executable).parent / "mqdiag")
    return (
        Peer("mqdiag diagnose", lambda _: [binary, "diagnose", str(folder)]),
        Peer("mqdiag heap", lambda _: [binary, "heap", str(folder / "heap.hprof")]),
    )


def _size(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def _start(start: Measured) -> record.Figure:
    """A short run; its imports stand in the name, because they are what it is measured against."""
    middle = Run(start.wall_s, start.cpu_s, 0, 0)
    name = (
        f"mqdiag {start.start.name}, {start.ratio:.2f} times the processor time of import {start.start.imports}"
    )
    return record.figure("start", 0, name, middle, RUNS, os.getloadavg()[0])


def _zipped(dump: Path) -> Path:
    """The same dump as one gzip stream, kept beside it."""
    path = dump.with_name(f"{dump.name}.gz")
    if not path.exists():
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            subprocess.run(["gzip", "-c", str(dump)], stdout=file, check=True)
        part.rename(path)
    run(["cat", str(path)])
    return path


class _Bench:
    """Runs programs by turns, and keeps what they took."""

    def __init__(self, times: int, slow_times: int, deadline: float) -> None:
        self._times, self._slow_times, self._deadline = times, slow_times, deadline
        self.figures: list[record.Figure] = []
        self.ratios: list[Compared] = []

    def by_turns(
        self, programs: Sequence[Peer], dump: Path, name: str | None = None, size_bytes: int | None = None
    ) -> None:
        """Run each program once, then each again; those that take long run `--slow-times` only.

        Args:
            programs: what runs.
            dump: what they read.
            name: of the input, where it is not that of the dump.
            size_bytes: of the input.
        """
        name, size_bytes = name or dump.name, size_bytes or dump.stat().st_size
        load = os.getloadavg()[0]
        print(f"\n{name}, {size_bytes / 1e9:.2f} GB, load {load:.1f}")
        print(f"{'wall s':>8} {'CPU s':>8} {'anonymous MB':>13}  program")
        runs: dict[str, list[Run]] = {program.name: [] for program in programs}
        for turn in range(max(self._times, self._slow_times)):
            if turn and time.monotonic() > self._deadline:
                break
            for program in programs:
                is_slow = _is_large(dump) or program.is_slow
                if turn < (self._slow_times if is_slow else self._times):
                    program.clean(dump)
                    runs[program.name].append(run(program.command(dump), env=program.env))
                    program.clean(dump)
        for program_name, found in runs.items():
            middle = median(found)
            note = "" if middle.code in (0, 1) else f"  (exit {middle.code})"
            anonymous = middle.anonymous_bytes / 1e6
            print(
                f"{middle.wall_s:8.2f} {middle.cpu_s:8.2f} {anonymous:13.0f}  {program_name}{note}", flush=True
            )
            objects = _objects(dump) if name == dump.name else None
            self.figures.append(
                record.figure(name, size_bytes, program_name, middle, len(found), load, objects)
            )
            other = _AGAINST.get(program_name, "")
            if other in runs:
                self.ratios.append(compared(name, program_name, found, other, runs[other]))


def _is_large(dump: Path) -> bool:
    return dump.stat().st_size > _LARGE_BYTES


def _objects(dump: Path) -> int | None:
    """The millions in the name."""
    match = re.search(r"-(\d+)m\.hprof$", dump.name)
    return int(match[1]) * 1_000_000 if match else None


def _dumps(options: argparse.Namespace) -> list[Path]:
    """The dumps, made where they are not there yet."""
    made = [
        (f"objects-{millions}m.hprof", ["--size", "small-objects", "--objects", f"{millions}000000"])
        for millions in options.objects.split(",")
        if millions
    ]
    made.append(("article-oom.hprof", ["--size", "article-oom"]))
    for name, arguments in made:
        if not (options.folder / name).exists():
            command = [sys.executable, str(ROOT / "fixtures/rig/make_heaps.py"), *arguments]
            subprocess.run([*command, "--out", str(options.folder)], check=True)
    many = [options.folder / f"{_MANY}{millions}m.hprof" for millions in options.many.split(",") if millions]
    for path in many:
        if not path.exists():
            part = path.with_suffix(".part")
            write_dump(part, int(path.stem.removeprefix(_MANY).rstrip("m")) * 1_000_000)
            part.rename(path)
    return [*(options.folder / name for name, _ in made), *many]


def _options() -> argparse.Namespace:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mqdiag-bench"
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("dumps", nargs="*", help="dumps of your own instead of those of the rig")
    parser.add_argument("--objects", default="1,12", help="sizes of the rig's dumps, in millions of objects")
    parser.add_argument(
        "--many", default="1,3,12", help="sizes of the dumps of the picture, in millions of objects"
    )
    parser.add_argument("--folder", type=Path, default=cache, help="where dumps and peers are kept")
    parser.add_argument("--mat", type=Path, help="folder of an Eclipse MAT installation")
    parser.add_argument("--times", type=int, default=5, help="runs of all others")
    parser.add_argument(
        "--slow-times", type=int, default=1, help="runs of Eclipse MAT, and of all on dumps above 4 GiB"
    )
    parser.add_argument("--no-peers", action="store_true", help="leave out what cargo builds")
    parser.add_argument("--minutes", type=float, default=30, help="after which no further turn begins")
    parser.add_argument("--log-megabytes", type=int, default=1000, help="size of each log")
    parser.add_argument("--record", type=Path, default=record.FOLDER, help="where medians and picture go")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    sys.exit(main())

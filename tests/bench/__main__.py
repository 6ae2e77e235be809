"""Times mqdiag against its peers on the same dumps, in one run, whole processes, page cache warm.

    make bench                     dumps of 1 and 12 million objects, and one like the first article's
    make bench OBJECTS=1,12,50     other sizes, in millions
    make bench MANY=1,3,12,50,200  sizes of the dumps that need no Java, in millions; the picture shows these
    make bench MAT=/opt/mat        with Eclipse MAT besides

The dumps are kept in the user's cache folder. The rig (Java, Maven) makes some; `many_objects.py` writes the others.
The peers are built once (cargo). All programs run by turns, Eclipse MAT and all on dumps above 4 GiB as often as
`--slow-times` says; medians and the picture go to docs/measurements (`record.py`). OBJECTS=12,50 MANY=1,3,12,50
takes about a quarter of an hour on 2 cores, without MAT.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench import peers, record
from tests.bench.incident import write_incident
from tests.bench.logs import measure_logs
from tests.bench.long_logs import KINDS
from tests.bench.many_objects import write_dump
from tests.bench.measure import Run, best, median, medians, run
from tests.bench.peers import Peer
from tests.bench.series import write_series
from tests.bench.shortcuts import print_shortcuts
from tests.bench.start import RUNS, Measured, print_starts

ROOT = Path(__file__).parents[2]
_MANY = "many-"
"""how the names of dumps begin that `many_objects.py` writes"""
_LARGE_BYTES = 4 << 30
"""each program reads a dump above this size `--slow-times` only"""
_LOG_MEGABYTES = 1000


def main() -> int:
    """Make what is missing, run everything, print tables and write the record."""
    options = _options()
    dumps = [Path(name) for name in options.dumps] or _dumps(options)
    peers.install(options.folder)
    # As an installation has it, even where PYTHONDONTWRITEBYTECODE is set.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(ROOT / "mqdiag")], check=True)
    subprocess.run([sys.executable, "-m", "mqdiag", "warm"], check=True, stdout=subprocess.DEVNULL)
    full = [peers.ours(), peers.analyzer(options.folder)]
    if options.mat:
        full.append(peers.mat(options.mat))
    quick = [peers.ours("--quick"), peers.slurp(options.folder)]
    figures = []
    for dump in dumps:
        run(["cat", str(dump)])  # the page cache is warm for all of them
        figures += _by_turns(
            (peers.bare_import(), *full, *quick, peers.show("java.util.HashMap")), dump, options
        )
        record.write(figures, options.record)
    for dump in dumps:
        if not dump.name.startswith(_MANY) and not _is_large(dump):
            figures += _by_turns((peers.inflate(), peers.ours("--quick")), _zipped(dump), options)
    figures += [_series(options, apart=apart) for apart in (False, True)]
    figures += _logs(options.times)
    figures += map(_start, print_starts())
    print_shortcuts()
    record.write(figures, options.record)
    small = next((dump for dump in dumps if not _is_large(dump)), None)
    if small is not None:
        _incident(options, small)
    return 0


def _series(options: argparse.Namespace, *, apart: bool) -> record.Figure:
    print("\n10,000 threads in 5 samples" + (", each with locks and times of its own" if apart else ""))
    samples = write_series(options.folder, apart=apart)
    load = os.getloadavg()[0]
    command = [str(Path(sys.executable).parent / "mqdiag"), "stacks", *map(str, samples)]
    middle = medians(command, options.times)
    print(f"{middle.wall_s:8.2f} {middle.cpu_s:8.2f} {middle.anonymous_bytes / 1e6:13.0f}  mqdiag stacks")
    size_bytes = sum(sample.stat().st_size for sample in samples)
    name = "5 thread dumps, threads apart" if apart else "5 thread dumps"
    return record.figure(name, size_bytes, "mqdiag stacks", middle, options.times, load)


def _logs(times: int) -> Iterator[record.Figure]:
    print(f"\nLogs of {_LOG_MEGABYTES:,} MB")
    for log in measure_logs(KINDS, [_LOG_MEGABYTES], times, medians):
        load = os.getloadavg()[0]
        print(log, flush=True)
        yield record.figure(f"log of kind {log.kind}", log.size_bytes, "mqdiag logs", log.run, times, load)


def _start(start: Measured) -> record.Figure:
    """A short run; its imports stand in the name, because they are what it is measured against."""
    middle = Run(start.wall_s, start.cpu_s, 0, 0)
    name = (
        f"mqdiag {start.start.name}, {start.ratio:.2f} times the processor time of import {start.start.imports}"
    )
    return record.figure("start", 0, name, middle, RUNS, os.getloadavg()[0])


def _incident(options: argparse.Namespace, dump: Path) -> None:
    folder = write_incident(options.folder, dump.resolve())
    run(["sh", "-c", f"cat {folder}/*"])
    print(f"\n{dump.name}, five thread dumps and 100 MB of logs")
    whole = best([str(Path(sys.executable).parent / "mqdiag"), "diagnose", str(folder)], options.times)
    print(f"{whole.wall_s:8.2f} {whole.cpu_s:8.2f} {whole.anonymous_bytes / 1e6:13.0f}  mqdiag diagnose")


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


def _by_turns(programs: Sequence[Peer], dump: Path, options: argparse.Namespace) -> list[record.Figure]:
    """Run each program once, then each again; those that take long run `--slow-times` only."""
    load = os.getloadavg()[0]
    print(f"\n{dump.name}, {dump.stat().st_size / 1e9:.2f} GB, load {load:.1f}")
    print(f"{'wall s':>8} {'CPU s':>8} {'anonymous MB':>13}  program")
    runs: dict[str, list[Run]] = {program.name: [] for program in programs}
    for turn in range(max(options.times, options.slow_times)):
        for program in programs:
            is_slow = _is_large(dump) or program.is_slow
            if turn < (options.slow_times if is_slow else options.times):
                program.clean(dump)
                runs[program.name].append(run(program.command(dump), env=program.env))
                program.clean(dump)
    figures = []
    for name, found in runs.items():
        middle = median(found)
        note = "" if middle.code in (0, 1) else f"  (exit {middle.code})"
        anonymous = middle.anonymous_bytes / 1e6
        print(f"{middle.wall_s:8.2f} {middle.cpu_s:8.2f} {anonymous:13.0f}  {name}{note}", flush=True)
        figures.append(
            record.figure(dump.name, dump.stat().st_size, name, middle, len(found), load, _objects(dump))
        )
    return figures


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
    parser.add_argument("--record", type=Path, default=record.FOLDER, help="where medians and picture go")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    sys.exit(main())

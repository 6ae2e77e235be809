"""Times mqdiag against its peers on the same dumps, in one run, whole processes, page cache warm.

    make bench                     dumps of 1 and 12 million objects, and one like the first article's
    make bench OBJECTS=1,12,50     other sizes, in millions
    make bench MANY=1,3,12,50,200  sizes of the dumps that need no Java, in millions; the picture shows these
    make bench MAT=/opt/mat        with Eclipse MAT besides

The dumps are kept in the user's cache folder. The rig (Java, Maven) makes some; `many_objects.py` writes the others.
The peers are built once (cargo). All programs run by turns; medians and the picture go to docs/measurements
(`record.py`).
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench import peers, record
from tests.bench.incident import write_incident
from tests.bench.many_objects import write_dump
from tests.bench.measure import Run, best, median, run
from tests.bench.peers import Peer
from tests.bench.series import write_series
from tests.bench.start import print_starts

ROOT = Path(__file__).parents[2]
_MANY = "many-"
"""how the names of dumps begin that `many_objects.py` writes"""


def main() -> int:
    """Make what is missing, run everything, print tables and write the record."""
    options = _options()
    dumps = [Path(name) for name in options.dumps] or _dumps(options)
    peers.install(options.folder)
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
        if not dump.name.startswith(_MANY):
            _by_turns((peers.inflate(), peers.ours("--quick")), _zipped(dump), options)
    print("\n10,000 threads in 5 samples")
    series = best(
        [str(Path(sys.executable).parent / "mqdiag"), "stacks", *_paths(options.folder)], options.times
    )
    print(f"{series.wall_s:8.2f} {series.cpu_s:8.2f} {series.anonymous_bytes / 1e6:13.0f}  mqdiag stacks")
    _incident(options, dumps[-1])
    print("\nShort runs against the imports that they cannot do without")
    print_starts()
    return 0


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


def _paths(folder: Path) -> list[str]:
    return [str(path) for path in write_series(folder)]


def _by_turns(programs: Sequence[Peer], dump: Path, options: argparse.Namespace) -> list[record.Figure]:
    """Run each program once, then each again; those that take long run `--slow-times` only."""
    load = os.getloadavg()[0]
    print(f"\n{dump.name}, {dump.stat().st_size / 1e9:.2f} GB, load {load:.1f}")
    print(f"{'wall s':>8} {'CPU s':>8} {'anonymous MB':>13}  program")
    runs: dict[str, list[Run]] = {program.name: [] for program in programs}
    for turn in range(max(options.times, options.slow_times)):
        for program in programs:
            is_slow = program.name.startswith(("hprof-analyzer", "Eclipse"))
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
            record.Figure(
                dump=dump.name,
                dump_bytes=dump.stat().st_size,
                objects=_objects(dump),
                program=name,
                runs=len(found),
                wall_s=round(middle.wall_s, 3),
                cpu_s=round(middle.cpu_s, 3),
                anonymous_bytes=middle.anonymous_bytes,
                exit_code=middle.code,
                load=round(load, 1),
            )
        )
    return figures


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
    parser.add_argument("--times", type=int, default=5, help="runs of the fast programs")
    parser.add_argument("--slow-times", type=int, default=1, help="runs of hprof-analyzer and MAT")
    parser.add_argument("--record", type=Path, default=record.FOLDER, help="where medians and picture go")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    sys.exit(main())

"""Times mqdiag against its peers on the same dumps, in one run, whole processes, page cache warm.

    make bench                     dumps of 1 and 12 million objects, and one like the first article's
    make bench OBJECTS=1,12,50     other sizes, in millions
    make bench MAT=/opt/mat        with Eclipse MAT besides

The dumps are made by the rig (Java, Maven) and kept in the user's cache folder; the peers are built once (cargo).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench import peers
from tests.bench.incident import write_incident
from tests.bench.measure import Run, best, run
from tests.bench.peers import Peer
from tests.bench.series import write_series
from tests.bench.start import print_starts

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Make what is missing, run everything, print a table and the JSON behind it."""
    options = _options()
    dumps = [Path(name) for name in options.dumps] or _dumps(options)
    peers.install(options.folder)
    subprocess.run([sys.executable, "-m", "mqdiag", "warm"], check=True, stdout=subprocess.DEVNULL)
    full = [peers.ours(), peers.analyzer(options.folder)]
    if options.mat:
        full.append(peers.mat(options.mat))
    quick = [peers.ours("--quick"), peers.slurp(options.folder)]
    figures = {}
    for dump in dumps:
        run(["cat", str(dump)])  # the page cache is warm for all of them
        print(f"\n{dump.name}, {dump.stat().st_size / 1e9:.2f} GB")
        print(f"{'wall s':>8} {'CPU s':>8} {'anonymous MB':>13}  program")
        for peer in (peers.bare_import(), *full, *quick, peers.show("java.util.HashMap")):
            figures[f"{dump.name} {peer.name}"] = _line(peer, dump, options.times).wall_s
        zipped = _zipped(dump)
        for peer in (peers.inflate(), peers.ours("--quick")):
            figures[f"{zipped.name} {peer.name}"] = _line(peer, zipped, options.times).wall_s
    print("\n10,000 threads in 5 samples")
    series = best(
        [str(Path(sys.executable).parent / "mqdiag"), "stacks", *_paths(options.folder)], options.times
    )
    print(f"{series.wall_s:8.2f} {series.cpu_s:8.2f} {series.anonymous_bytes / 1e6:13.0f}  mqdiag stacks")
    _incident(options, dumps[-1])
    print("\nShort runs against the imports that they cannot do without")
    print_starts()
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
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


def _line(peer: Peer, dump: Path, times: int) -> Run:
    peer.clean(dump)
    slow = peer.name.startswith(("hprof-analyzer", "Eclipse"))
    if slow:
        peer_run = run(peer.command(dump), env=peer.env)
        peer.clean(dump)
    else:
        peer_run = best(peer.command(dump), times)
    note = "" if peer_run.code in (0, 1) else f"  (exit {peer_run.code})"
    anonymous = peer_run.anonymous_bytes / 1e6
    print(f"{peer_run.wall_s:8.2f} {peer_run.cpu_s:8.2f} {anonymous:13.0f}  {peer.name}{note}", flush=True)
    return peer_run


def _dumps(options: argparse.Namespace) -> list[Path]:
    """The dumps, made by the rig where they are not there yet."""
    made = [
        (f"objects-{millions}m.hprof", ["--size", "small-objects", "--objects", f"{millions}000000"])
        for millions in options.objects.split(",")
    ]
    made.append(("article-oom.hprof", ["--size", "article-oom"]))
    for name, arguments in made:
        if not (options.folder / name).exists():
            command = [sys.executable, str(ROOT / "fixtures/rig/make_heaps.py"), *arguments]
            subprocess.run([*command, "--out", str(options.folder)], check=True)
    return [options.folder / name for name, _ in made]


def _options() -> argparse.Namespace:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mqdiag-bench"
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("dumps", nargs="*", help="dumps of your own instead of those of the rig")
    parser.add_argument("--objects", default="1,12", help="sizes of the rig's dumps, in millions of objects")
    parser.add_argument("--folder", type=Path, default=cache, help="where dumps and peers are kept")
    parser.add_argument("--mat", type=Path, help="folder of an Eclipse MAT installation")
    parser.add_argument("--times", type=int, default=5, help="runs of the fast programs; the fastest counts")
    parser.add_argument("--json", type=Path, help="write the seconds there")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    sys.exit(main())

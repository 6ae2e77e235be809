"""Times fleet runs: against a plain process pool on the same dumps, and over many small inputs.

    make fleet-bench                          200 dumps of 49 MB; 100 and 1,000 small inputs
    make fleet-bench DUMPS=40 SMALL=100       fewer
    make fleet-bench SMALL=100,1000,10000     the long curve

All dumps are hard links to one file on hosts of their own, so neither side waits for a disk. Pool and fleet run one
after the other on the same cores, and the pool's processes are warm before the clock starts, as the fleet's are.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from mqdiag.config import Settings
from mqdiag.fleet.work.analyse import Request, analyse, warm
from tests.fleet.made_fleet import FIXTURES, heap
from tests.fleet.runs import environment

CASE = "oversized-oom-4.3.2"


def main() -> int:
    """Run everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dumps", type=int, default=200)
    parser.add_argument("--small", default="100,1000", help="numbers of small inputs, with commas")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as name:
        folder = Path(name)
        if options.dumps:
            _against_pool(folder, options.dumps, cores)
        for count in (int(number) for number in options.small.split(",") if int(number)):
            _small(folder, count, cores)
    return 0


def _against_pool(folder: Path, count: int, cores: int) -> None:
    source = folder / "dump"
    source.write_bytes(heap(CASE))
    paths = [_link(source, folder / f"dumps/shop/h{place:05d}/20261121-080000.hprof") for place in range(count)]
    print(f"{count} dumps of {source.stat().st_size / 1e6:.0f} MB, {cores} cores")
    pool_s = _pool(paths, cores)
    print(f"  process pool               {pool_s:8.1f} s")
    timing, _ = _fleet(folder / "dumps", folder / "out-dumps", cores)
    whole_s = sum(value for key, value in timing.items() if key != "start_s")
    print(f"  mqdiag fleet, analysis     {timing['work_s']:8.1f} s   {timing['work_s'] / pool_s - 1:+.1%}")
    print(f"  plan, tables, comparison   {whole_s - timing['work_s']:8.1f} s")
    print(f"  all but the start          {whole_s:8.1f} s   {whole_s / pool_s - 1:+.1%}")
    print(f"  start of Spark             {timing['start_s']:8.1f} s")


def _small(folder: Path, count: int, cores: int) -> None:
    source = folder / "small"
    with_all = FIXTURES / "stacks/latch-stuck/series.tar.gz"
    source.write_bytes(with_all.read_bytes())
    root = folder / f"small-{count}"
    for place in range(count):
        _link(source, root / f"s{place % 50:02d}/h{place:05d}/20261121-080000.tar.gz")
    timing, peaks = _fleet(root, folder / f"out-{count}", cores)
    whole_s = sum(value for key, value in timing.items() if key != "start_s")
    print(
        f"{count:6d} small inputs: {whole_s:7.1f} s, {1000 * whole_s / count:6.1f} ms each;"
        f" plan {timing['plan_s']:.1f}, analysis {timing['work_s']:.1f}, tables {timing['tables_s']:.1f},"
        f" comparison {timing['fleet_s']:.1f} s; driver at most {peaks['python'] >> 20} MiB Python,"
        f" {peaks['java'] >> 20} MiB JVM with its executor (-Xmx1g)",
        flush=True,
    )


def _link(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    os.link(source, target)
    return target


def _one(path: str) -> int:
    request = Request(paths={path: path}, settings=Settings(), classes=200, scratch=tempfile.gettempdir())
    return len(analyse(request)["findings"])


def _start(_: int) -> None:
    warm()
    time.sleep(0.5)  # so that each process gets one


def _pool(paths: list[Path], cores: int) -> float:
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        pool.map(_start, range(cores), chunksize=1)
        for path in paths[:cores]:
            pool.apply(_one, (str(path),))
        started = time.monotonic()
        found = pool.map(_one, map(str, paths), chunksize=1)
        assert all(found)
        return time.monotonic() - started


def _fleet(root: Path, out: Path, cores: int) -> tuple[dict[str, float], dict[str, int]]:
    words = [
        sys.executable,
        "-m",
        "mqdiag",
        "fleet",
        str(root),
        "--out",
        str(out),
        "--master",
        f"local[{cores}]",
    ]
    words += ["--format", "json", "--conf", "spark.driver.memory=1g", "--fail-on", "never"]
    words += ["--template", "{service}/{host}/{time}.hprof", "--template", "{service}/{host}/{time}.tar.gz"]
    with tempfile.TemporaryFile() as report:
        process = subprocess.Popen(words, stdout=report, env=environment())
        peaks = {"python": 0, "java": 0}
        watch = threading.Thread(target=_watch, args=(process, peaks))
        watch.start()
        code = process.wait()
        watch.join()
        assert code == 0
        report.seek(0)
        timing: dict[str, Any] = json.load(report)["fleet"]["timing"]
    return timing, peaks


def _watch(process: subprocess.Popen[bytes], peaks: dict[str, int]) -> None:
    """The largest resident size of the driver, and of the JVM that it starts."""
    while process.poll() is None:
        for pid in (process.pid, *_children(process.pid)):
            name, size = _size(pid)
            kind = "python" if pid == process.pid else "java"
            if kind == "python" or name == "java":
                peaks[kind] = max(peaks[kind], size)
        time.sleep(0.2)


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _size(pid: int) -> tuple[str, int]:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return "", 0
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return fields["Name"].strip(), int(fields.get("VmHWM", "0").split()[0]) << 10


if __name__ == "__main__":
    sys.exit(main())

"""Times fleet runs: against a plain process pool on the same dumps, and over many small inputs.

    make fleet-bench                          200 dumps of 49 MB; 100 and 1,000 small inputs
    make fleet-bench DUMPS=40 SMALL=100       fewer
    make fleet-bench DUMPS=0 SMALL=500,2000,10000     how each phase grows
    make fleet-bench DUMPS=0 SMALL=0 LOGS=500,100000  the same with a packed log of 4 KB for each incident
    make fleet-bench DUMPS=0 SMALL=0 LISTED=1000000   what the driver needs for its lists
    make fleet-bench DUMPS=0 SMALL=0 COMPARED=100000  what it needs to compare two runs
    python -m tests.fleet.bench --dumps 0 --small 0 --each 20   what 1,000 incidents cost, by the median of 20

All dumps are hard links to one file on hosts of their own, so neither side waits for a disk. Pool and fleet run one
after the other on the same cores, and the pool's processes are warm before the clock starts, as the fleet's are. Where
others use the machine, compare processor seconds: they are those of all processes of the run, the JVM's included.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from mqdiag.config import Settings
from mqdiag.facts.fleet import LeftOut
from mqdiag.findings import Confidence, Finding, Severity, Subject
from mqdiag.fleet.analysis.database import comparisons
from mqdiag.fleet.analysis.gather import fleet_facts
from mqdiag.fleet.analysis.picture import Picture
from mqdiag.fleet.analysis.services import each_service
from mqdiag.fleet.files.incidents import Incident
from mqdiag.fleet.files.labels import Labels
from mqdiag.fleet.files.listing import EvidenceFile
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.work.analyse import Request, analyse, warm
from mqdiag.fleet.work.item import WorkItem
from mqdiag.fleet.work.plan import FINGERPRINTED_AT_ONCE, work_item
from mqdiag.fleet.work.worklist import WorkList
from mqdiag.report_json import finding_values
from mqdiag.rules.catalogue import rule_files
from mqdiag.text import say
from tests.fleet.made_fleet import FIXTURES, heap
from tests.fleet.made_output import Analysed, at, finding, write_output
from tests.fleet.runs import environment

CASE = "oversized-oom-4.3.2"
SERIES = FIXTURES / "stacks/latch-stuck/series.tar.gz"
DUMP = FIXTURES / "heap/stuck-one-4.9.8/dump.hprof.gz"
LOG = FIXTURES / "logs/client-flow-control-5.3.3/count/rocketmq_client.log.gz"
LINKS_OF_A_FILE = 50_000  # ext4 allows 65,000
RUNS = ("first", "second")
SETTINGS = {f"setting{number}": "1000" for number in range(40)}
CHECKED = 50
"""rules that run over a heap dump"""
DOCUMENT = msgspec.json.encode(
    finding_values(
        Finding(
            rule="r",
            severity=Severity.ERROR,
            cause="c",
            confidence=Confidence.HIGH,
            fingerprint="f",
            title=say("a finding"),
            subject=Subject(),
            evidence={
                "frame": "com.example.Client.get(Client.java:1)",
                "threads": [f"T{n}" for n in range(150)],
            },
            remedy=(),
        )
    )
).decode()
"""of 3 KB, as findings of heap dumps have; `T` becomes the group's own name"""
PHASES = {"plan": "plan_s", "analysis": "work_s", "tables": "tables_s", "comparison": "fleet_s"}


def main() -> int:
    """Run everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dumps", type=int, default=200)
    parser.add_argument("--small", default="100,1000", help="numbers of small inputs, with commas")
    parser.add_argument("--logs", default="0", help="numbers of incidents of one small log, with commas")
    parser.add_argument(
        "--listed", type=int, default=0, help="number of incidents that are listed and not analysed"
    )
    parser.add_argument(
        "--compared", type=int, default=0, help="number of incidents of two made runs that are compared"
    )
    parser.add_argument("--each", type=int, default=0, help="times that single incidents are analysed")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as name:
        folder = Path(name)
        if options.each:
            _each(folder, options.each)
        if options.listed:
            _listed(folder, options.listed)
        if options.compared:
            services, cpu_s, peak = compared(folder, options.compared)
            print(
                f"{options.compared} incidents compared with an earlier run, {services} services: processor"
                f" {cpu_s:.1f} s, driver's Python at most {peak >> 20} MiB"
            )
        if options.dumps:
            _against_pool(folder, options.dumps, cores)
        for source, counts in ((SERIES, options.small), (LOG, options.logs)):
            for count in (int(number) for number in counts.split(",") if int(number)):
                _small(folder, source, count, cores)
    return 0


def _against_pool(folder: Path, count: int, cores: int) -> None:
    source = folder / "dump"
    source.write_bytes(heap(CASE))
    paths = [_link(source, folder / f"dumps/shop/h{place:05d}/20261121-080000.hprof") for place in range(count)]
    print(f"{count} dumps of {source.stat().st_size / 1e6:.0f} MB, {cores} cores; wall and processor seconds")
    pool_s, pool_cpu_s = _pool(paths, cores)
    print(f"  process pool               {pool_s:8.1f} s            {pool_cpu_s:8.1f} s", flush=True)
    timing, cpu = _fleet(folder / "dumps", folder / "out-dumps", cores)
    whole_s = sum(value for key, value in timing.items() if key != "start_s")
    whole_cpu_s = cpu.after("start_s")
    work_cpu_s = cpu.after("start_s", "plan_s") - cpu.after("start_s", "plan_s", "work_s")
    for name, wall_s, cpu_s in (
        ("mqdiag fleet, analysis", timing["work_s"], work_cpu_s),
        ("all but the start", whole_s, whole_cpu_s),
    ):
        print(
            f"  {name:25}  {wall_s:8.1f} s {wall_s / pool_s - 1:+9.1%}  {cpu_s:8.1f} s {cpu_s / pool_cpu_s - 1:+9.1%}"
        )
    rest_s, rest_cpu_s = whole_s - timing["work_s"], whole_cpu_s - work_cpu_s
    print(f"  plan, tables, comparison   {rest_s:8.1f} s            {rest_cpu_s:8.1f} s")
    print(
        f"  start                      {timing['start_s']:8.1f} s            {cpu.total_s - whole_cpu_s:8.1f} s"
    )


def _small(folder: Path, source: Path, count: int, cores: int) -> None:
    root = folder / f"small-{source.name}-{count}"
    for place in range(count):
        if place % LINKS_OF_A_FILE == 0:
            copy = folder / f"{root.name}-{place}"
            copy.write_bytes(source.read_bytes())
        _link(copy, root / f"s{place % 50:02d}/h{place:05d}" / f"20261121-080000{''.join(source.suffixes)}")
    timing, cpu = _fleet(root, folder / f"out-{root.name}", cores)
    whole_cpu_s = cpu.after("start_s")
    print(f"{count} of {source.name}: {sum(timing.values()):.1f} s, processor {cpu.total_s:.1f} s", flush=True)
    print(f"  start            {cpu.total_s - whole_cpu_s:8.1f} s of processor time")
    for name, phase in PHASES.items():
        before = list(timing)[: list(timing).index(phase)]
        used_s = cpu.after(*before) - cpu.after(*before, phase)
        print(f"  {name:15}  {used_s:8.1f} s {1000 * used_s / count:8.2f} ms each")
    print(f"  all but start    {whole_cpu_s:8.1f} s {1000 * whole_cpu_s / count:8.2f} ms each")
    print(
        f"  driver at most {cpu.peaks['python'] >> 20} MiB Python, {cpu.peaks['java'] >> 20} MiB JVM",
        flush=True,
    )


def _each(folder: Path, count: int) -> None:
    """Analyse single incidents, read and from kept facts; processor time without Spark's own."""
    facts = folder / "facts"
    for source in (SERIES, DUMP):
        asked = Request(paths={str(source): str(source)}, settings=Settings(), classes=200, scratch=str(folder))
        for what, request in (
            ("read", replace(asked, keep=str(facts))),
            ("kept", replace(asked, kept=str(facts))),
        ):
            analyse(request)
            seconds = []
            for _ in range(count):
                before = time.process_time()
                analyse(request)
                seconds.append(time.process_time() - before)
            cpu_s, kept_mb = 1000 * statistics.median(seconds), facts.stat().st_size >> 10
            print(f"1,000 of {source.name}, {what}: processor {cpu_s:.0f} s, facts {kept_mb} MB")


def _listed(folder: Path, count: int) -> None:
    """The lists of the driver for so many incidents of one file each, which do not exist: nothing reads them."""
    began = time.process_time()

    def files() -> Iterator[EvidenceFile]:
        for place in range(count):
            service, host = f"service-{place % 1000:03d}", f"host-{place // 4:06d}"
            labels = Labels(service=service, host=host, time_ns=(1_700_000_000 + 3600 * place) * 10**9)
            uri = f"/mnt/dumps/{service}/{host}/{place:07d}.hprof"
            yield EvidenceFile(uri=uri, bytes=500_000_000 + place, modified_ns=place, labels=labels)

    def keyed(incident: str) -> bytes:
        one = msgspec.json.decode(incident, type=Incident)
        return msgspec.json.encode(work_item(one, [file.uri for file in one.files], "s"))

    with contextlib.closing(WorkList(folder)) as work:
        work.add_files(files())
        work.group(600)
        for batch in work.fresh(FINGERPRINTED_AT_ONCE):
            found = [keyed(incident) for incident in batch]  # as they come back from a Spark job
            work.add(msgspec.json.decode(item, type=WorkItem) for item in found)
        assert sum(1 for _ in work.items()) == sum(1 for _ in work.in_order()) == count
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    disk = (folder / "work.sqlite").stat().st_size
    print(
        f"{count} incidents listed: processor {time.process_time() - began:.1f} s, driver's Python at most"
        f" {peak >> 10} MiB, {disk >> 20} MiB of disk"
    )


def compared(folder: Path, count: int) -> tuple[int, float, int]:
    """Compare two runs of made rows, as the driver does, in a process of its own.

    Args:
        folder: for the tables.
        count: incidents of each run.

    Returns:
        Services, processor seconds, and bytes of memory at most.
    """
    layout = Layout(*storage(str(folder / "compared")))
    rules = tuple(rule.name for rule in rule_files())[:CHECKED]
    for run in RUNS:
        write_output(layout, run, [_made(place, rules) for place in range(count)])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_comparison, (layout.root,))


def _made(place: int, rules: tuple[str, ...]) -> Analysed:
    """One of four incidents of a host."""
    host = place // 4
    group = f"group-{host % 3_000}"
    document = DOCUMENT.replace('"T', f'"{group}-')
    found = (
        finding(rules[(host * step) % len(rules)], consumer_group=group, document=document) for step in (7, 11)
    )
    consumer = {
        "consumer_group": group,
        "client_version": "4.9.8",
        "settings": {**SETTINGS, "setting7": str(host % 2)},
        "messages": place % 50,
        "body_bytes": 1 << 20,
        "queues": 4,
        "heap_bytes": 1 << 30,
        "bound_bytes": 1 << 29,
    }
    return Analysed(
        incident=f"{place:032x}",
        service=f"service-{host % 10_000:05d}",
        host=f"host-{host:07d}",
        window_start=at(1 + place % 4),
        checked=rules,
        findings=tuple(found),
        consumers=(consumer,),
    )


def _comparison(root: str) -> tuple[int, float, int]:
    layout = Layout(*storage(root))
    began = time.process_time()
    with comparisons() as base:
        before, now = (Picture(base, layout, run) for run in RUNS)
        facts, *_ = fleet_facts(now, before, now.totals(LeftOut()), root, Settings())
        services = sum(1 for _ in each_service(now, facts))
    return services, time.process_time() - began, _size(os.getpid())[1]


def _link(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    os.link(source, target)
    return target


def _one(path: str) -> int:
    request = Request(paths={path: path}, settings=Settings(), classes=200, scratch=tempfile.gettempdir())
    return len(analyse(request)["findings"])


def _start(_: int) -> int:
    warm()
    time.sleep(0.5)  # so that each process gets one
    return os.getpid()


def _pool(paths: list[Path], cores: int) -> tuple[float, float]:
    """Wall and processor seconds of the analysis."""
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        pids = set(pool.map(_start, range(cores), chunksize=1))
        for path in paths[:cores]:
            pool.apply(_one, (str(path),))
        started, cpu_s = time.monotonic(), sum(map(_cpu_s, pids))
        found = pool.map(_one, map(str, paths), chunksize=1)
        assert all(found)
        return time.monotonic() - started, sum(map(_cpu_s, pids)) - cpu_s


def _fleet(root: Path, out: Path, cores: int) -> tuple[dict[str, float], Watch]:
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
    for suffix in ("hprof", "tar.gz", "log.gz"):
        words += ["--template", f"{{service}}/{{host}}/{{time}}.{suffix}"]
    with tempfile.TemporaryFile() as report:
        watch = Watch(subprocess.Popen(words, stdout=report, env=environment()))
        assert watch.wait() == 0
        report.seek(0)
        timing: dict[str, Any] = json.load(report)["fleet"]["timing"]
    watch.timing = timing
    return timing, watch


class Watch(threading.Thread):
    """Looks at a run from outside: processor time of all its processes, and the largest sizes of the driver's."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__()
        self._process = process
        self.peaks = {"python": 0, "java": 0}
        """resident bytes of the driver, and of the JVM that it starts"""
        self.timing: dict[str, float] = {}
        self._used: dict[int, float] = {}
        self._curve: list[tuple[float, float]] = []
        self._began: float | None = None
        """when the driver started the JVM"""
        self.start()

    def wait(self) -> int:
        """The exit code, at the end."""
        code = self._process.wait()
        self.join()
        return code

    @property
    def total_s(self) -> float:
        """Processor seconds of the whole run."""
        return self._curve[-1][1]

    def after(self, *phases: str) -> float:
        """Processor seconds that were used after these phases."""
        assert self._began is not None
        moment = self._began + sum(self.timing[phase] for phase in phases)
        return self.total_s - max((used for when, used in self._curve if when <= moment), default=0.0)

    def run(self) -> None:
        """Look, until the run has ended."""
        while self._process.poll() is None:
            self._look()
            time.sleep(0.1)

    def _look(self) -> None:
        for pid in _family(self._process.pid):
            self._used[pid] = max(_cpu_s(pid), self._used.get(pid, 0.0))
            name, size = _size(pid)
            is_driver = pid == self._process.pid
            if is_driver or (name == "java" and self._is_own(pid)):
                kind = "python" if is_driver else "java"
                self.peaks[kind] = max(self.peaks[kind], size)
                if not is_driver and self._began is None:
                    self._began = time.monotonic()
        self._curve.append((time.monotonic(), sum(self._used.values())))

    def _is_own(self, pid: int) -> bool:
        return pid in _children(self._process.pid)


def _family(pid: int) -> list[int]:
    return [pid, *(one for child in _children(pid) for one in _family(child))]


def _cpu_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    """Of all its threads: the JVM starts processes from any of them."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, task.read_text().split())
    return found


def _size(pid: int) -> tuple[str, int]:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return "", 0
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return fields["Name"].strip(), int(fields.get("VmHWM", "0").split()[0]) << 10


if __name__ == "__main__":
    sys.exit(main())

"""What one run of `make bench` measured, kept as a page, as JSON and as a picture."""

from __future__ import annotations

import json
import os
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from tests.bench.measure import Run
from tests.bench.picture import picture
from tests.bench.ratios import LEAST_PAIRS, Compared, table
from tests.commit import commit

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "measurements"


class Figure(NamedTuple):
    """Medians of the runs of one program on one dump."""

    dump: str
    dump_bytes: int
    objects: int | None
    """None where the name of the dump does not tell"""
    program: str
    runs: int
    wall_s: float
    cpu_s: float
    anonymous_bytes: int
    """the largest of all runs"""
    exit_code: int
    load: float
    """average load of the machine in the minute before the first run"""


def figure(
    dump: str, size_bytes: int, program: str, middle: Run, runs: int, load: float, objects: int | None = None
) -> Figure:
    """What is kept of the medians of some runs.

    Args:
        dump: name of what was read.
        size_bytes: of it.
        program: name of the program.
        middle: the medians.
        runs: how many there were.
        load: see `Figure`.
        objects: see `Figure`.
    """
    return Figure(
        dump=dump,
        dump_bytes=size_bytes,
        objects=objects,
        program=program,
        runs=runs,
        wall_s=round(middle.wall_s, 3),
        cpu_s=round(middle.cpu_s, 3),
        anonymous_bytes=middle.anonymous_bytes,
        exit_code=middle.code,
        load=round(load, 1),
    )


def write(figures: list[Figure], ratios: list[Compared], form: str, folder: Path = FOLDER) -> None:
    """Write bench.json, bench.md and objects.svg.

    Args:
        figures: of each program.
        ratios: of programs that ran in the same turns.
        form: how much was run.
        folder: where they go.
    """
    machine = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "llvmlite")},
        "commit": commit(),
        "form": form,
        "load": max((figure.load for figure in figures), default=0.0),
    }
    kept = {"machine": machine, "figures": [figure._asdict() for figure in figures]}
    kept["ratios"] = [
        {**one._asdict(), "wall": one.wall._asdict(), "cpu": one.cpu._asdict(), "verdict": one.verdict}
        for one in ratios
    ]
    (folder / "bench.json").write_text(json.dumps(kept, indent=1) + "\n")
    (folder / "bench.md").write_text(_page(machine, figures, ratios))
    (folder / "objects.svg").write_text(picture(figures))


def _page(machine: dict[str, object], figures: list[Figure], ratios: list[Compared]) -> str:
    load = float(str(machine["load"]))
    lines = [
        "# Measured: one run of `make bench`",
        "",
        "`make bench` writes this page, [the same values as JSON](bench.json) and [the picture](objects.svg). Values",
        "are medians of whole processes that ran by turns, with the dump in the page cache. Memory is the peak of",
        "anonymous memory.",
        "",
        f"- {machine['date']}, commit {machine['commit']}",
        f"- {machine['processor']}, {machine['cores']} cores,"
        f" {int(str(machine['memory_bytes'])) / 1e9:.0f} GB of memory, Linux {machine['kernel']}",
        f"- Python {machine['python']}, numpy {machine['numpy']}, numba {machine['numba']},"
        f" llvmlite {machine['llvmlite']}",
        f"- {machine['form']}",
        f"- load average up to {load:.1f}",
    ]
    if load > int(str(machine["cores"])):
        lines += [
            "",
            "**Other programs used the processor during this run.** Compare processor time, not seconds on the clock.",
        ]
    lines += [
        "",
        "| dump | program | runs | seconds | processor seconds | anonymous memory | bytes for each object | load |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for figure in figures:
        each = "" if figure.objects is None else f"{figure.anonymous_bytes / figure.objects:.1f}"
        ended = "" if figure.exit_code in (0, 1) else f" (exit code {figure.exit_code})"
        lines.append(
            f"| {figure.dump}, {figure.dump_bytes / 1e9:.2f} GB | {figure.program}{ended} | {figure.runs} |"
            f" {figure.wall_s:.2f} | {figure.cpu_s:.2f} | {figure.anonymous_bytes / 1e6:,.0f} MB | {each} |"
            f" {figure.load:.1f} |"
        )
    lines += [
        "",
        "How many times as long one program takes as another one that ran in the same turn: the median, the least and",
        f"the greatest of all turns. Nothing is judged of fewer than {LEAST_PAIRS} turns, or where these are further",
        "apart than the median is from 1.",
        "",
        *table(ratios),
    ]
    return "\n".join(lines) + "\n"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")

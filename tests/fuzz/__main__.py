"""`python -m tests.fuzz --minutes 30`: every reader of text by turns, and the kernels; figures on standard output.

Four fifths of the time go to the readers of text, the rest to the kernels. Exit code 1 means findings: they lie in the
folder `--findings`, each with the traceback beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from tests.commit import commit
from tests.fuzz.readers import LONGEST_CPU_S, OF_TEXT
from tests.fuzz.seeds import write_dictionary, write_seeds

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "build" / "fuzz-kernels"
"""compiled with bounds checks, and kept for the next run"""
PAGE = ROOT / "docs" / "measurements" / "fuzzing.md"
READERS = (*OF_TEXT, "diagnose")
SHARE_OF_TEXTS = 0.8
MOST_SEEDS = 250
LONGEST_INPUT = 32 << 10
MOST_MEMORY_MB = 2048
HANG_SECONDS = 60
_FIRST = re.compile(r"INITED cov: (\d+)")
_COVERED = re.compile(r"cov: (\d+) ft: (\d+)")
_RUNS = re.compile(r"number_of_executed_units: *(\d+)|Done (\d+) runs")


@dataclass(frozen=True, slots=True)
class TextRun:
    """What one reader was given."""

    reader: str
    seconds: float
    executions: int
    covered_by_seeds: int
    covered: int
    """branches of `mqdiag` that were taken"""
    ended: str
    """"in time", or how libFuzzer ended it"""


def fuzz_text(reader: str, seconds: float, folder: Path, findings: Path) -> TextRun:
    """Fuzz one reader for so many seconds."""
    corpus = folder / reader
    corpus.mkdir()
    begun = time.monotonic()
    done = subprocess.run(
        [
            sys.executable, "-m", "tests.fuzz.texts", reader, str(findings),
            f"-max_total_time={max(int(seconds), 1)}", f"-max_len={LONGEST_INPUT}", f"-timeout={HANG_SECONDS}",
            f"-rss_limit_mb={MOST_MEMORY_MB}", f"-dict={folder / 'words'}", f"-artifact_prefix={findings}/{reader}-",
            "-print_final_stats=1", str(corpus), str(folder / "seeds"),
        ],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )  # fmt: skip
    said = done.stderr
    first, covered = _FIRST.search(said), _COVERED.findall(said)
    runs = [int(one or other) for one, other in _RUNS.findall(said)]
    if not covered:
        raise SystemExit(said[-4000:])
    return TextRun(
        reader=reader,
        seconds=time.monotonic() - begun,
        executions=max(runs, default=0),
        covered_by_seeds=int(first[1]) if first else 0,
        covered=max(int(branches) for branches, _ in covered),
        ended="in time" if done.returncode == 0 else said.strip().splitlines()[-1][:200],
    )


def fuzz_kernels(seconds: float, findings: Path, seed: int) -> dict[str, dict[str, int]]:
    """Compile the kernels with bounds checks, and give them changed dumps for so many seconds."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.kernels", str(seconds), str(findings), str(seed)],
        cwd=ROOT,
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "MQDIAG_KERNELS": str(KERNELS)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        (findings / "kernels.why").write_text(done.stderr[-20_000:])
        return {"mutations": {}, "ends": {"ended the process": 1}}
    counted: dict[str, dict[str, int]] = json.loads(done.stdout)
    return counted


def page(minutes: float, texts: list[TextRun], kernels: dict[str, dict[str, int]], found: list[str]) -> str:
    """The figures as a page of the documentation."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("atheris", "numba", "mqdiag"))
    rows = "".join(
        f"| {run.reader} | {run.seconds:.0f} s | {run.executions:,} | {run.covered_by_seeds:,} | {run.covered:,} |"
        f" {run.ended} |\n"
        for run in texts
    )
    ends = "".join(f"| {end} | {number:,} |\n" for end, number in sorted(kernels["ends"].items()))
    return f"""# Measured: fuzzing

`make fuzz MINUTES={minutes:g}` wrote this page on {time.strftime("%Y-%m-%d")} from commit {commit()}, with
Python {platform.python_version()}, {versions}, on {platform.machine()} with {os.cpu_count()} cores that other processes
used too. New findings of this run: {len(found)}.

## Readers of text

atheris chooses the next input by the branches of `mqdiag` that the inputs before it have taken. Each reader has a
process of its own. An input has at most {LONGEST_INPUT >> 10} KiB. A finding is every error but a refusal of the input,
more than {LONGEST_CPU_S:g} s of CPU time, and more than {MOST_MEMORY_MB:,} MB of memory. `diagnose` goes from the
file to the report in text and JSON.

| reader | time | inputs | branches taken by the seeds | branches taken | ended |
|---|---|---|---|---|---|
{rows}
All readers together had {sum(run.executions for run in texts):,} inputs.

## Kernels

The kernels are compiled with bounds checks (`NUMBA_BOUNDSCHECK=1`). Each dump is a real one with one to three fields
changed by `tests/hostile/typed_mutations.py`; all that the graph can answer is asked, and the dump is diagnosed.
Compiled code tells no coverage. {sum(kernels["mutations"].values()):,} dumps ended so:

| end | dumps |
|---|---|
{ends}"""


def main() -> int:
    """Fuzz, print the figures, and tell by the exit code whether there are findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--findings", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--page", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    given = parser.parse_args()
    if find_spec("atheris") is None:
        parser.error("atheris is missing: make fuzz installs it (Linux, Python 3.11 to 3.13)")
    given.findings.mkdir(parents=True, exist_ok=True)
    before = set(given.findings.iterdir())
    seconds = given.minutes * 60
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "seeds").mkdir()
        write_seeds(folder / "seeds", MOST_SEEDS)
        write_dictionary(folder / "words")
        texts = []
        for reader in READERS:
            texts.append(fuzz_text(reader, SHARE_OF_TEXTS * seconds / len(READERS), folder, given.findings))
            print(texts[-1], flush=True)
        kernels = fuzz_kernels((1 - SHARE_OF_TEXTS) * seconds, given.findings, given.seed)
        print(kernels, flush=True)
    found = sorted(file.name for file in set(given.findings.iterdir()) - before)
    if given.page:
        PAGE.write_text(page(given.minutes, texts, kernels, [one for one in found if one.endswith(".why")]))
    for one in found:
        print(f"finding: {given.findings / one}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())

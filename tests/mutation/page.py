"""Writes docs/measurements/mutation.md from the records of runs."""

from __future__ import annotations

import subprocess
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.mutation.covered import PACKAGES, ROOT
from tests.mutation.server import rows_of

PAGE = ROOT / "docs" / "measurements" / "mutation.md"
SAME = Path(__file__).with_name("equivalents.toml")
"""mutants that no test can notice, by the reason"""
Row = dict[str, Any]


def equivalents() -> dict[str, str]:
    """The reason by key."""
    return {key: one["reason"] for one in tomllib.loads(SAME.read_text())["same"] for key in one["mutants"]}


def write_page(record: Path, head: str, earlier: Path | None, earlier_head: str) -> None:
    """Write the page.

    Args:
        record: of this run.
        head: how it was run.
        earlier: of a run of the same mutants with other tests.
        earlier_head: how that was run.
    """
    same = equivalents()
    rows = [row for row in rows_of(record).values() if row["ended"] != "not loaded"]
    lines = ["# Measured: mutation", "", *_ABOUT, ""]
    if earlier is not None:
        before = {key: row for key, row in rows_of(earlier).items() if row["ended"] != "not loaded"}
        both = [row for row in rows if row["ended"] != "not here" and row["key"] in before]
        lines += ["## The same mutants before and now", "", earlier_head, head, ""]
        lines += _table([before[row["key"]] for row in both], same, "before")
        lines += ["", *_table(both, same, "now"), ""]
        lost = sorted(row["key"] for row in both if _lost(row, before[row["key"]]))
        lines += [f"Killed before and not now: {len(lost)}.", "", *(f"- `{_shown(key)}`" for key in lost), ""]
        left = sorted(row["key"] for row in both if row["ended"] != "killed" and row["key"] not in same)
        lines += [f"Left alive now: {len(left)}.", "", *(f"- `{_shown(key)}`" for key in left), ""]
        rows = [*before.values()]
        head = earlier_head
    lines += [
        "## All mutants",
        "",
        head,
        "",
        *_table(rows, same, "mutants"),
        "",
        "## By kind",
        "",
        *_kinds(rows, same),
    ]
    lines += ["", "## Which tests kill", "", *_killers(rows)]
    lines += ["", "## Equivalent", "", *_equivalent({row["key"] for row in rows})]
    PAGE.write_text("\n".join(lines) + "\n")


_ABOUT = [
    "A mutant is one small fault in the code: a comparison, a limit, a sign, a condition or a number is changed, a",
    "statement is removed, or a function returns None. A mutant is killed when a test fails because of it, or needs",
    "several times its processor time. The score is the share of killed mutants among all that are not equivalent.",
    "",
    "`make mutation SEED=1 MUTANTS=900` draws lines of each package by a seed, as many of each, and one mutant of each",
    "line. No file changes: a process collects all tests, and each mutant gets a forked child, in which the function",
    "has other code; kernels that have it are compiled anew. A child runs the tests that reach the line, as coverage",
    "by test tells, fastest first, and ends at the first failure, or after some seconds of them. A run can be",
    "ended and goes on where it was. Processes that tests start have no mutant, so the scores are lower bounds.",
    "",
    "Kept tools did not fit: mutmut changes whole files and draws no sample, cosmic-ray runs one command, here all",
    "tests, for each mutant, and neither reaches code that numba compiles.",
]


def _lost(row: Row, before: Row) -> bool:
    return before["ended"] == "killed" and row["ended"] != "killed"


def _shown(key: str) -> str:
    return key.replace("`", "'")[:180]


def _table(rows: list[Row], same: dict[str, str], what: str) -> Iterator[str]:
    yield f"| package, {what} | mutants | killed | survived | cut short | unreached | equivalent | score |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for package in PACKAGES:
        of = [row for row in rows if row["package"] == package]
        if of:
            able = [row for row in of if row["key"] not in same or row["ended"] == "killed"]
            ends = Counter(row["ended"] for row in able)
            cut = sum(bool(row.get("cut")) for row in able)
            score = f"{ends['killed'] / len(able):.0%}" if able else ""
            cells = (
                len(of),
                ends["killed"],
                ends["survived"],
                cut,
                ends["unreached"],
                len(of) - len(able),
                score,
            )
            yield f"| {package} | {' | '.join(map(str, cells))} |"


def _kinds(rows: list[Row], same: dict[str, str]) -> Iterator[str]:
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        kinds[row["kind"]]["all"] += 1
        kinds[row["kind"]]["left"] += row["ended"] != "killed" and row["key"] not in same
    yield "| kind | mutants | left alive |"
    yield "|---|---:|---:|"
    for kind, one in sorted(kinds.items(), key=lambda item: -item[1]["all"]):
        yield f"| {kind} | {one['all']} | {one['left']} |"


def _killers(rows: list[Row]) -> Iterator[str]:
    files = Counter(row["killer"].partition("::")[0] for row in rows if row.get("killer"))
    tests = {row["killer"] for row in rows if row.get("killer")}
    yield f"{len(tests):,} tests of {len(files)} files were the first to fail; these files most often:"
    yield ""
    yield "| file | mutants |"
    yield "|---|---:|"
    for file, count in files.most_common(15):
        yield f"| {file} | {count} |"


def _equivalent(keys: Iterable[str]) -> Iterator[str]:
    known = set(keys)
    for one in tomllib.loads(SAME.read_text())["same"]:
        met = [key for key in one["mutants"] if key in known]
        if met:
            yield f"- {one['reason']}"
            yield from (f"  - `{_shown(key)}`" for key in met)


def commit() -> str:
    """Of this tree, and the day."""
    asked = ["git", "rev-parse", "--short=8", "HEAD"]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return f"commit {told}, {time.strftime('%Y-%m-%d')}"

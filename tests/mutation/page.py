"""Writes docs/measurements/mutation.md from the record of a run."""

from __future__ import annotations

import json
import subprocess
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.mutation.covered import PACKAGES, ROOT
from tests.mutation.mutants import drawn

PAGE = ROOT / "docs" / "measurements" / "mutation.md"
SAME = Path(__file__).with_name("equivalents.toml")
"""mutants that no test can notice, each with the reason"""
_LEFT = ("survived", "unreached")


def results(record: Path) -> dict[str, dict[str, Any]]:
    """The last answer for each mutant."""
    return {one["key"]: one for one in map(json.loads, record.read_text().splitlines())}


def equivalents() -> dict[str, str]:
    """The reason by key."""
    return {key: reason for reason, keys in tomllib.loads(SAME.read_text()).items() for key in keys}


def scores(rows: Iterable[dict[str, Any]], same: dict[str, str]) -> dict[str, Counter[str]]:
    """Of each package, how many mutants ended how."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["ended"] not in ("not loaded", "not here"):
            counts[row["package"]]["equivalent" if row["key"] in same else row["ended"]] += 1
    return counts


def share(count: Counter[str]) -> str:
    """Killed of all that can be."""
    able = count.total() - count["equivalent"]
    return f"{count['killed'] / able:.1%}" if able else ""


def write_page(record: Path, seed: int, mutants: int) -> None:
    """Write the page, with the base's scores of the same mutants where they are kept beside the record."""
    same = equivalents()
    of = results(record)
    rows = [of[mutant.key] for mutant in drawn(seed, mutants) if mutant.key in of]
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout
    counts = scores(rows, same)
    lines = [
        "# Measured: mutation",
        "",
        f"`make mutation SEED={seed} MUTANTS={mutants}` wrote this page on {time.strftime('%Y-%m-%d')}, at commit",
        f"{commit.strip()}. A mutant is one small fault in the code. It is killed when a test fails because of it.",
        "",
        "| package | mutants | killed | survived | no test reaches it | equivalent | score |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for package in PACKAGES:
        one = counts[package]
        cells = (one.total(), one["killed"], one["survived"], one["unreached"], one["equivalent"])
        lines.append(f"| {package} | {' | '.join(map(str, cells))} | {share(one)} |")
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        kinds[row["kind"]]["all"] += 1
        kinds[row["kind"]]["left"] += row["ended"] in _LEFT and row["key"] not in same
    lines += ["", "## By kind", "", "| kind | mutants | left alive |", "|---|---:|---:|"]
    lines += [f"| {kind} | {one['all']} | {one['left']} |" for kind, one in sorted(kinds.items())]
    lines += ["", "## Left alive", ""]
    lines += [
        f"- `{row['key'][:160].replace('`', '')}`"
        for row in sorted(rows, key=lambda one: one["key"])
        if row["ended"] in _LEFT and row["key"] not in same and row["package"] in PACKAGES
    ]
    PAGE.write_text("\n".join(lines) + "\n")

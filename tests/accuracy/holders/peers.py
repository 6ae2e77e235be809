"""What the leak suspects of hprof-analyzer say of the same dumps, by the same truth.

Its suspects follow the rules of Eclipse MAT. MAT itself is on no registry of packages and was not run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tests.accuracy.holders.truth import Case
from tests.accuracy.page import table
from tests.bench.peers import install

Named = Literal["holder", "class", "other", "nothing"]
"""holder: field, frame, thread or pool; class: only the class that has it; other: something else is accused"""
NAMED: tuple[Named, ...] = ("holder", "class", "other", "nothing")


def part(cases: Sequence[Case], folder: Path) -> str:
    """The table of docs/accuracy.md.

    Args:
        cases: those with a dump.
        folder: where hprof-analyzer is installed, or is to be.
    """
    install(folder)
    rows: list[tuple[object, ...]] = []
    for name, leaking in (("one holder or more", True), ("no single holder", False)):
        chosen = [case for case in cases if bool(case.leaks) is leaking]
        found = [named(case, suspects(folder, case)) for case in chosen]
        for case, one in zip(chosen, found, strict=True):
            print(f"{one:8}{case.name}", file=sys.stderr, flush=True)
        rows.append((name, len(chosen), *(found.count(one) for one in NAMED)))
    return table(("programs", "dumps", *NAMED), rows)


def suspects(folder: Path, case: Case) -> list[str]:
    """Each suspect with its paths, as the JSON text that hprof-analyzer writes; fields of paths included.

    Raises:
        ValueError: the case has no dump.
    """
    if case.dump is None:
        raise ValueError(f"{case.name} has no dump")
    with tempfile.TemporaryDirectory() as room:
        report = Path(room) / "report.json"
        command = [str(folder / "bin" / "hprof-analyzer"), "--ref-paths", str(case.dump), str(report)]
        subprocess.run(command, check=True, capture_output=True)
        leaks = json.loads(report.read_text())["leaks"]["suspects"]
    return [json.dumps(one) for one in leaks]


def named(case: Case, told: Sequence[str]) -> Named:
    """How well the suspects name all holders of a case; in favour of the peer, words may be far apart.

    Args:
        case: the truth.
        told: each suspect as a text.
    """
    if not told:
        return "nothing"
    if not case.leaks:
        return "other"
    if all(any(_all_words(leak, one) for one in told) for leak in case.leaks):
        return "holder"
    if all(any(_class_of(name) in one for one in told for name in leak.split("|")) for leak in case.leaks):
        return "class"
    return "other"


def _all_words(leak: str, suspect: str) -> bool:
    return any(all(word in suspect for word in name.split(".")) for name in leak.split("|"))


def _class_of(name: str) -> str:
    return name.rpartition(".")[0] or name

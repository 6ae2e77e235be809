"""Sets the suspects of other programs beside ours, on the same dumps and by one mechanical criterion.

python -m tests.accuracy.holders.suspects HPROF_ANALYZER MAT            prints what each names, case by case
python -m tests.accuracy.holders.suspects HPROF_ANALYZER MAT --pages    writes the table of docs/accuracy.md

HPROF_ANALYZER is the program: `cargo install hprof-analyzer --version 0.3.2 --locked`. MAT is the folder of an
installation of Eclipse MAT, with ParseHeapDump.sh. Dumps that were not made are left out; `python -m
tests.accuracy.holders` makes them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tests.accuracy.holders.mat_suspects import run_mat
from tests.accuracy.holders.outcome import Outcome, outcome_of
from tests.accuracy.holders.told import SECONDS, Told
from tests.accuracy.holders.truth import Case, cases
from tests.accuracy.page import fill, table

PEERS = ("hprof-analyzer 0.3.2", "Eclipse MAT 1.17")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A case, and what the programs told."""

    case: Case
    ours: Told
    theirs: tuple[Told, ...]
    """in the order of `PEERS`"""


def holder_classes(leak: str) -> tuple[str, ...]:
    """The class of each name that the expert allows, for a program that names no fields.

    "ReportCache" of "ReportCache.ENTRIES", and a name without a dot as it is: a thread, a class, a word.
    """
    return tuple(name.rpartition(".")[0] or name for name in leak.split("|"))


def names_all(case: Case, texts: Sequence[str]) -> bool:
    """Whether each holder's class is in one of the texts, in any case: "arena" is in "PoolArena$DirectArena"."""
    lower = [text.lower() for text in texts]
    return all(
        any(name.lower() in text for name in holder_classes(leak) for text in lower) for leak in case.leaks
    )


def told_by_us(outcome: Outcome) -> Told:
    """Findings that accuse: warnings and errors."""
    accused = [said for said in outcome.findings if said.level >= 1]
    return Told(
        headlines=tuple(said.title for said in accused),
        texts=tuple(" ".join((said.title, *said.explanation, *said.remedy)) for said in accused),
    )


def told_by_hprof_analyzer(report: dict[str, Any]) -> Told:
    """Its leak suspects, from `--format json`: the headline has the suspect's class and the accumulation point's."""
    suspects = report["leaks"]["suspects"]
    return Told(
        headlines=tuple(f"{one['pretty_class']} {one['accumulation_class']}" for one in suspects),
        texts=tuple(msgspec.json.encode(one).decode() for one in suspects),
    )


def run_hprof_analyzer(program: Path, dump: Path) -> Told:
    """Run it with an empty cache folder of its own.

    Raises:
        subprocess.SubprocessError: it failed, or took too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run(
            [str(program), "--format", "json", "--progress", "never", str(dump), str(report)],
            env={**os.environ, "HOME": folder, "XDG_CACHE_HOME": folder},
            check=True,
            capture_output=True,
            timeout=SECONDS,
        )
        return told_by_hprof_analyzer(msgspec.json.decode(report.read_bytes()))


def rows(peers: Sequence[Callable[[Path], Told]], chosen: Sequence[Case]) -> Iterator[Row]:
    """All programs over each dump that is there, one after the other."""
    for case in chosen:
        if case.dump is None:
            print(f"{case.name}: no dump", file=sys.stderr)
            continue
        dump = case.dump
        yield Row(case=case, ours=told_by_us(outcome_of(case)), theirs=tuple(peer(dump) for peer in peers))


def part(found: Sequence[Row]) -> str:
    """The table of the page."""
    leaking = [row for row in found if row.case.leaks]
    healthy = [row for row in found if not row.case.leaks]

    def counted(tool: str, told: Sequence[Told]) -> tuple[object, ...]:
        pairs = list(zip(leaking, told, strict=False))
        return (
            tool,
            len(leaking),
            sum(names_all(row.case, one.headlines) for row, one in pairs),
            sum(names_all(row.case, one.texts) for row, one in pairs),
            len(healthy),
            sum(bool(one.headlines) for one in told[len(leaking) :]),
        )

    ordered = [*leaking, *healthy]
    return table(
        ("program", "dumps with a holder", "headline", "anywhere", "dumps without", "accused"),
        [
            counted("mqdiag heap", [row.ours for row in ordered]),
            *(counted(name, [row.theirs[at] for row in ordered]) for at, name in enumerate(PEERS)),
        ],
    )


def _in_words(case: Case, told: Told) -> str:
    if not case.leaks:
        return f"{len(told.headlines)} accused"
    words = {True: "names", False: "misses"}
    return f"{words[names_all(case, told.headlines)]}/{words[names_all(case, told.texts)]}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy.holders.suspects")
    parser.add_argument("hprof_analyzer", type=Path, metavar="HPROF_ANALYZER")
    parser.add_argument("mat", type=Path, metavar="MAT")
    parser.add_argument("--batch", type=int, help="programs of this batch only")
    parser.add_argument("--pages", action="store_true", help="write the table of the page")
    options = parser.parse_args()
    found = []
    chosen = [case for case in cases() if options.batch in (None, case.batch)]
    peers = (partial(run_hprof_analyzer, options.hprof_analyzer), partial(run_mat, options.mat))
    for row in rows(peers, chosen):
        found.append(row)
        told = zip(("mqdiag", *PEERS), (row.ours, *row.theirs), strict=True)
        print(
            f"{row.case.name}: {'; '.join(f'{name} {_in_words(row.case, one)}' for name, one in told)}",
            flush=True,
        )
    if options.pages:
        fill("suspects", part(found))
    else:
        print(part(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())

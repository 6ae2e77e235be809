"""Judges mqdiag by evidence that stays where it is published: fixtures/elsewhere has its truths alone.

python -m tests.accuracy.elsewhere FOLDER            all cases whose files are in FOLDER/<case>
python -m tests.accuracy.elsewhere FOLDER CASE...    these cases
python -m tests.accuracy.elsewhere FOLDER --first    keeps the outcome of cases that were never run
python -m tests.accuracy.elsewhere --count           counts the first outcomes that are kept
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from pathlib import Path

import msgspec

from tests.accuracy.public.outcome import first_outcome, keep_first, outcome_of, verdict_of
from tests.accuracy.public.section import told
from tests.accuracy.public.truth import TRUTH, Case, Truth

ELSEWHERE = Path(__file__).parents[2] / "fixtures" / "elsewhere"


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of the case, and where it is published."""

    name: str
    path: str
    commit: str
    sha256: str


class FarTruth(Truth, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One truth.toml of fixtures/elsewhere."""

    files: tuple[File, ...]


def far_cases() -> list[Case]:
    """All cases, by name; the folder of each has its truth and its first outcome."""
    return [
        Case(
            name=path.parent.name,
            truth=msgspec.toml.decode(path.read_bytes(), type=FarTruth),
            folder=path.parent,
        )
        for path in sorted(ELSEWHERE.glob(f"*/{TRUTH}"))
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy.elsewhere")
    parser.add_argument("folder", nargs="?", type=Path, help="where the evidence is")
    parser.add_argument("names", nargs="*", metavar="CASE")
    parser.add_argument("--first", action="store_true", help="keep the outcome of cases that were never run")
    parser.add_argument("--count", action="store_true", help="count the first outcomes")
    options = parser.parse_args()
    if options.count:
        print(_counts())
        return 0
    if options.folder is None:
        parser.error("FOLDER is missing")
    for case in far_cases():
        if (options.names and case.name not in options.names) or (options.first and first_outcome(case)):
            continue
        if not _is_whole(case, options.folder / case.name):
            continue
        there = msgspec.structs.replace(case, folder=options.folder / case.name)
        outcome = outcome_of(there)
        if options.first:
            keep_first(case, outcome)
        print(f"{verdict_of(case.truth, outcome):16}{case.name}: {told(outcome)}")
    return 0


def _is_whole(case: Case, folder: Path) -> bool:
    """True when every file of the case is there as it was published."""
    assert isinstance(case.truth, FarTruth)
    for file in case.truth.files:
        path = folder / file.name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != file.sha256:
            print(f"{case.name}: {file.name} is not there, or is another file", file=sys.stderr)
            return False
    return True


def kind_of(truth: Truth) -> str:
    """What an expert says of the case, in a word or two."""
    return "healthy" if truth.healthy else "decided fault" if truth.decided else "open"


def _counts() -> str:
    found = Counter(
        (kind_of(case.truth), verdict_of(case.truth, outcome))
        for case in far_cases()
        if (outcome := first_outcome(case)) is not None
    )
    return "\n".join(f"{kind:15}{verdict:16}{many:4}" for (kind, verdict), many in sorted(found.items()))


if __name__ == "__main__":
    sys.exit(main())

"""Prints who holds the memory by mqdiag's word, and whether that is right.

python -m tests.accuracy.holders            all programs; dumps that are missing are made first
python -m tests.accuracy.holders CASE...    these
python -m tests.accuracy.holders --first    keeps the outcome of cases that were never run
python -m tests.accuracy.holders --pages    writes the table of docs/accuracy.md
"""

from __future__ import annotations

import argparse
import sys

from tests.accuracy.holders.outcome import Outcome, first_outcomes, keep_first, outcome_of, verdict_of
from tests.accuracy.holders.section import parts, results
from tests.accuracy.holders.truth import cases, make_missing
from tests.accuracy.page import fill


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy.holders")
    parser.add_argument("names", nargs="*", metavar="CASE")
    parser.add_argument("--first", action="store_true", help="keep the outcome of cases that were never run")
    parser.add_argument("--pages", action="store_true", help="write the table of the page")
    options = parser.parse_args()
    chosen = tuple(case for case in cases() if not options.names or case.name in options.names)
    make_missing(chosen)
    if options.pages:
        for name, body in parts(results()).items():
            fill(name, body)
        return 0
    known = first_outcomes() if options.first else {}
    new: dict[str, Outcome] = {}
    for case in chosen:
        if case.dump is None:
            print(f"{case.name}: no dump", file=sys.stderr)
        elif case.name not in known:
            new[case.name] = outcome = outcome_of(case)
            told = "; ".join(f"{said.severity} {said.title}" for said in outcome.findings if said.level)
            print(f"{verdict_of(case, outcome):8}{case.name} (exit {outcome.exit}): {told}", flush=True)
    if options.first:
        keep_first(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())

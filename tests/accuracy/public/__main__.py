"""Prints what mqdiag says of the public cases, and whether that is right.

python -m tests.accuracy.public            all cases
python -m tests.accuracy.public CASE...    these cases
python -m tests.accuracy.public --first    keeps the outcome of cases that were never run; their truth must be committed
python -m tests.accuracy.public --pages    writes the tables of docs/accuracy.md and docs/measurements/public-threads.md
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from tests.accuracy.page import fill
from tests.accuracy.public.outcome import first_outcome, keep_first, outcome_of, verdict_of
from tests.accuracy.public.section import parts, results, told
from tests.accuracy.public.truth import TRUTH, Case, cases


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy.public")
    parser.add_argument("names", nargs="*", metavar="CASE")
    parser.add_argument(
        "--first", action="store_true", help="run the cases that were never run, and keep the outcome"
    )
    parser.add_argument("--pages", action="store_true", help="write the tables of the pages")
    options = parser.parse_args()
    if options.pages:
        for name, body in parts(results()).items():
            fill(name, body)
        return 0
    chosen = [case for case in cases() if not options.names or case.name in options.names]
    if options.first:
        chosen = [case for case in chosen if first_outcome(case) is None and _is_committed(case)]
    for case in chosen:
        outcome = outcome_of(case)
        if options.first:
            keep_first(case, outcome)
        print(f"{verdict_of(case.truth, outcome):16}{case.name}: {told(outcome)}")
    return 0


def _is_committed(case: Case) -> bool:
    """True when git has the truth and all evidence as they lie here."""
    known = ["git", "ls-files", "--error-unmatch", TRUTH, *case.truth.command[1:]]
    changed = ["git", "diff", "--quiet", "HEAD", "--", "."]
    if any(
        subprocess.run(one, cwd=case.folder, capture_output=True, check=False).returncode
        for one in (known, changed)
    ):
        print(f"{case.name}: its truth is not committed, so it is not run", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.mutation --seed 1 --mutants 900`: cover, try the mutants, write the page.

What was done stands in `build/mutation`: a run that was ended goes on, and one with more mutants tries only the new
ones. The coverage of a part is measured again when its file is removed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.mutation.covered import ROOT
from tests.mutation.page import commit, write_page

PARTS = (
    *(
        "rules",
        "threads",
        "graph",
        "logs",
        "diagnose",
        "render",
        "read",
        "rocketmq",
        "oracles",
        "cache",
        "diff",
    ),
    *("knowledge", "language", "cli", "redact", "query", "secrets", "notebook", "mcp"),
)
"""folders of tests; those of capture, fleet, documents and packaging start programs, which nobody traces"""


def main() -> None:
    """Run all steps that are not done yet."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=900)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutation")
    parser.add_argument("--only", default="", help="packages, with commas between them")
    parser.add_argument("--retry", default="", help="mutants that ended so are tried again: survived,unreached")
    parser.add_argument(
        "--budget", type=float, default=10.0, help="seconds of processor time that the tests of one mutant get"
    )
    parser.add_argument("--page", action="store_true", help="write the page and nothing else")
    parser.add_argument("--same", type=Path, help="record of another run, whose mutants are tried")
    parser.add_argument(
        "--root", type=Path, default=ROOT, help="the tree of that run, to which the coverage belongs"
    )
    parser.add_argument("--earlier", default="", help="what the page says of that run")
    asked = parser.parse_args()
    covered, record = asked.folder / "coverage", asked.folder / "record.jsonl"
    covered.mkdir(parents=True, exist_ok=True)
    if not asked.page:
        for part in PARTS:
            if not (covered / f"{part}.json").exists():
                _pytest("covered", [f"tests/{part}"], MUTATION_COVERAGE=str(covered / part))
        wanted = {
            "record": str(record),
            "covered": str(covered),
            "seed": asked.seed,
            "mutants": asked.mutants,
            "only": asked.only.split(",") if asked.only else [],
            "retry": asked.retry.split(",") if asked.retry else [],
            "budget": asked.budget,
            "same": str(asked.same or ""),
            "root": str(asked.root),
        }
        ended = _pytest("server", [f"tests/{part}" for part in PARTS], MUTATION=json.dumps(wanted))
        if ended:
            sys.exit(ended)
    head = f"`make mutation SEED={asked.seed} MUTANTS={asked.mutants}` at {commit()}."
    write_page(record, head, asked.same, asked.earlier)


def _pytest(plugin: str, parts: list[str], **settings: str) -> int:
    """Run the tests of these folders in one process, with a plugin of this folder."""
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-s", "-p", f"tests.mutation.{plugin}", *parts]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT), **settings}
    return subprocess.run(
        [*command, "-p", "no:cacheprovider"], cwd=ROOT, env=environment, check=False
    ).returncode


if __name__ == "__main__":
    main()

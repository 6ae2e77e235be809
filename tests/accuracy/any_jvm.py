"""What mqdiag says of scenes of JVMs without RocketMQ, and whether it is right.

python -m tests.accuracy.any_jvm SCENE...    these scenes; all of them where none is named
python -m tests.accuracy.any_jvm --first     keeps the outcomes of scenes that were never run
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter
from pathlib import Path

import msgspec

from tests.accuracy.public.outcome import Outcome, outcome_of, verdict_of
from tests.accuracy.public.section import told
from tests.accuracy.public.truth import Case, Truth

FIXTURES = Path(__file__).parents[2] / "fixtures"
DUMPS = FIXTURES / "any-jvm"
FIRST_RUNS = DUMPS / "first_runs.json"
MADE_BY = ("jdk", "samples", "requests", "signal", "full_stdout", "reads_pipe", "quit", "flags", "locked")
"""keys of a scene that say how it is made, not what it shows"""


def scenes() -> list[Case]:
    """All scenes, in the order of fixtures/rig/any-jvm/cases.toml."""
    given = tomllib.loads((FIXTURES / "rig" / "any-jvm" / "cases.toml").read_text(encoding="utf-8"))["case"]
    return [_scene(**keys) for keys in given]


def _scene(name: str, **keys: object) -> Case:
    truth = {key: value for key, value in keys.items() if key not in MADE_BY}
    command = ("stacks", f"{name}.txt.gz")
    truth |= {"source": f"rig/any-jvm: {name}", "topic": "any-jvm", "command": command}
    return Case(name=name, truth=msgspec.convert(truth, Truth), folder=DUMPS)


def first_outcomes() -> dict[str, Outcome]:
    """What mqdiag said of each scene when it met it for the first time."""
    return msgspec.json.decode(FIRST_RUNS.read_bytes(), type=dict[str, Outcome]) if FIRST_RUNS.exists() else {}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy.any_jvm")
    parser.add_argument("names", nargs="*", metavar="SCENE")
    parser.add_argument(
        "--first", action="store_true", help="run scenes that were never run, and keep the outcome"
    )
    options = parser.parse_args()
    first = first_outcomes()
    chosen = [case for case in scenes() if not options.names or case.name in options.names]
    if options.first:
        chosen = [case for case in chosen if case.name not in first]
    outcomes = {case.name: outcome_of(case) for case in chosen}
    for case in chosen:
        print(f"{verdict_of(case.truth, outcomes[case.name]):16}{case.name}: {told(outcomes[case.name])}")
    counted = Counter(verdict_of(case.truth, outcomes[case.name]) for case in chosen if case.truth.decided)
    print(f"{sum(counted.values())} that an expert decides: {dict(counted)}", file=sys.stderr)
    if options.first:
        FIRST_RUNS.write_bytes(msgspec.json.format(msgspec.json.encode(first | outcomes), indent=1) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

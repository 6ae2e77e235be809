"""A dump with one thing wrong may lose findings, but names no other cause with high confidence."""

from __future__ import annotations

import gzip
import random
from functools import cache
from pathlib import Path

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.findings import Report
from tests.hostile.typed_mutations import MUTATIONS, ParsedDump, parsed

FIXTURES = Path(__file__).parents[2] / "fixtures" / "heap"
DUMPS = ("stuck-one-4.9.8", "oversized-oom-4.3.2", "orderly-4.9.8", "healthy-busy-5.3.3", "app-retains-5.3.3")
SEEDS = 20
"""of each mutation, on each dump, in the nightly run"""
ABOUT_THE_INPUT = "input-incomplete"


@cache
def original(dump: str) -> ParsedDump:
    return parsed(gzip.decompress((FIXTURES / dump / "dump.hprof.gz").read_bytes()))


@cache
def causes_of_original(dump: str) -> frozenset[tuple[str, str]]:
    """As information too: an OutOfMemoryError is an error where what explained it is lost."""
    report = diagnose_heap(FIXTURES / dump / "dump.hprof.gz").report
    return frozenset((found.rule, found.cause) for found in report.findings if found.confidence == "high")


def sure_causes(report: Report) -> frozenset[tuple[str, str]]:
    """(rule, cause) of all that is a warning or more and said with high confidence."""
    return frozenset(
        (found.rule, found.cause)
        for found in report.findings
        if found.confidence == "high" and found.severity in ("error", "warning")
    )


def check(mutation: str, dump: str, seed: int, folder: Path) -> None:
    draw = random.Random(f"{mutation} {dump} {seed}")
    path = folder / "mutated.hprof"
    path.write_bytes(MUTATIONS[mutation](original(dump), draw))
    diagnosis = diagnose_heap(path)
    assert not diagnosis.crashes
    assert not diagnosis.report.failed
    more = sure_causes(diagnosis.report) - causes_of_original(dump)
    assert {rule for rule, _ in more} <= {ABOUT_THE_INPUT}, f"{mutation} {dump} {seed}: {more}"


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_mutated_dump_names_no_other_cause_for_sure(mutation: str, tmp_path: Path) -> None:
    check(mutation, DUMPS[0], 0, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("dump", DUMPS)
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_mutated_dumps_name_no_other_cause_for_sure(mutation: str, dump: str, tmp_path: Path) -> None:
    for seed in range(SEEDS):
        check(mutation, dump, seed, tmp_path)

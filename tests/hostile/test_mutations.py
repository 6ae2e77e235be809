"""A dump with one thing wrong may lose findings, but names no other cause with high confidence."""

from __future__ import annotations

import gzip
import random
from functools import cache
from pathlib import Path

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.findings import Report
from mqdiag.language import english
from tests.hostile.typed_mutations import MUTATIONS, ParsedDump, heap_records, parsed, without_record
from tests.layers import NIGHTLY, one_in_each_run

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
    check_bytes(MUTATIONS[mutation](original(dump), draw), dump, f"{mutation} {seed}", folder)


def check_bytes(changed: bytes, dump: str, label: str, folder: Path) -> Report:
    """The report of a changed dump, which names no other cause for sure."""
    path = folder / "mutated.hprof"
    path.write_bytes(changed)
    diagnosis = diagnose_heap(path)
    assert not diagnosis.crashes
    assert not diagnosis.report.failed
    more = sure_causes(diagnosis.report) - causes_of_original(dump)
    assert {rule for rule, _ in more} <= {ABOUT_THE_INPUT}, f"{label} {dump}: {more}"
    return diagnosis.report


@one_in_each_run(8)
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_mutated_dump_names_no_other_cause_for_sure(mutation: str, tmp_path: Path) -> None:
    check(mutation, DUMPS[0], 0, tmp_path)


def test_a_circle_of_superclasses_makes_nothing_sure(tmp_path: Path) -> None:
    """Objects then inherit fields that they have not, and seem to hold what others do."""
    check("superclass_cycle", "app-retains-5.3.3", 1, tmp_path)


def test_objects_with_one_id_make_nothing_sure(tmp_path: Path) -> None:
    """A queue of another topic that is dumped a second time seemed to have lost count of its messages."""
    check("second_object", "healthy-busy-5.3.3", 1, tmp_path)


@one_in_each_run(2)
@pytest.mark.parametrize(
    ("dump", "place", "shown_by"),
    [("healthy-busy-5.3.3", 6, "records"), ("oversized-oom-4.3.2", 39, "2 queues")],
)
def test_a_missing_record_is_noticed(dump: str, place: int, shown_by: str, tmp_path: Path) -> None:
    """By references into the gap, or by maps of queues; else the counters of the queues seem to have drifted."""
    report = check_bytes(without_record(original(dump), place), dump, f"record {place}", tmp_path)
    assert ABOUT_THE_INPUT in {found.rule for found in report.findings}
    assert shown_by in english()(report.inputs[0].problem or "")


@NIGHTLY
@pytest.mark.parametrize("dump", DUMPS)
def test_no_missing_record_names_another_cause(dump: str, tmp_path: Path) -> None:
    for place in range(len(heap_records(original(dump)))):
        check_bytes(without_record(original(dump), place), dump, f"record {place}", tmp_path)


@NIGHTLY
@pytest.mark.parametrize("dump", DUMPS)
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_mutated_dumps_name_no_other_cause_for_sure(mutation: str, dump: str, tmp_path: Path) -> None:
    for seed in range(SEEDS):
        check(mutation, dump, seed, tmp_path)

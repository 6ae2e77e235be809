"""Two dumps in one file: nothing in it is surely of one process."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.findings import Confidence
from mqdiag.language import english
from tests.layers import one_in_each_run

HEAPS = Path(__file__).parents[2] / "fixtures" / "heap"
HEADER = len(b"JAVA PROFILE 1.0.2\0") + 12


def dump(case: str) -> bytes:
    return gzip.decompress((HEAPS / case / "dump.hprof.gz").read_bytes())


@one_in_each_run(2)
@pytest.mark.parametrize("closed", [True, False], ids=["behind the end of the first", "inside of the first"])
def test_records_of_another_process_make_nothing_sure(tmp_path: Path, closed: bool) -> None:
    first, second = dump("stuck-one-5.3.3"), dump("healthy-busy-4.9.8")
    if not closed:
        first = first[:-9]  # the record that closes a dump is last
    path = tmp_path / "two.hprof"
    path.write_bytes(first + second[HEADER:])
    report = diagnose_heap(path).report
    given = report.inputs[0]
    assert given.contradictory
    assert not given.complete
    assert given.problem is not None
    said = english()(given.problem)
    assert "records of two processes are in this file" in said
    assert int("".join(filter(str.isdigit, said.split("at byte ")[1].split(":")[0]))) >= len(first)
    assert Confidence.HIGH not in {one.confidence for one in report.findings if "heap" in one.seen_in}
    assert report.answer.state != "healthy"


def test_whole_dumps_joined_are_named_and_make_nothing_sure(tmp_path: Path) -> None:
    first = dump("stuck-one-5.3.3")
    path = tmp_path / "joined.hprof"
    path.write_bytes(first + dump("healthy-busy-4.9.8"))
    report = diagnose_heap(path).report
    given = report.inputs[0]
    assert (given.contradictory, given.complete, given.stopped_at_byte) == (True, False, len(first))
    assert english()(given.problem or "").startswith("another heap dump begins here")
    assert Confidence.HIGH not in {one.confidence for one in report.findings if "heap" in one.seen_in}
    assert report.answer.state != "healthy"


def test_a_dump_of_one_process_is_not_contradictory() -> None:
    report = diagnose_heap(HEAPS / "stuck-one-5.3.3" / "dump.hprof.gz").report
    assert not report.inputs[0].contradictory
    assert report.inputs[0].complete


@one_in_each_run(2)
@pytest.mark.parametrize(
    ("case", "one", "other"),
    [
        ("healthy-busy-3.2.6-alibaba", b"storeTimestamp", b"reconsumeTimes"),
        ("healthy-busy-4.9.8", b"lastPullTimestamp", b"lastLockTimestamp"),
    ],
    ids=["of other types", "of one type"],
)
def test_names_that_fields_have_exchanged_make_nothing_sure(
    tmp_path: Path, case: str, one: bytes, other: bytes
) -> None:
    path = tmp_path / "exchanged.hprof"
    names = {one: other, other: one}
    path.write_bytes(re.sub(one + b"|" + other, lambda found: names[found[0]], dump(case)))
    report = diagnose_heap(path).report
    assert report.inputs[0].contradictory
    assert Confidence.HIGH not in {one.confidence for one in report.findings if "heap" in one.seen_in}
    assert report.answer.state != "healthy"

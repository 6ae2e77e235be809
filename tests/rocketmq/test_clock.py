"""The time in a dump's header is believed where the heap's own times agree with it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.facts.heap import CLOCKS, TIME
from mqdiag.findings import Report, Severity
from mqdiag.language import english
from tests.hostile.typed_mutations import parsed
from tests.layers import CHECK, one_in, one_in_each_run

HEAPS = Path(__file__).parents[2] / "fixtures" / "heap"
AT = len(b"JAVA PROFILE 1.0.2\0") + 4
MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


def with_time(tmp_path: Path, case: str, changed: object) -> Report:
    """The report of a dump whose header has another time.

    Args:
        tmp_path: where the dump is written.
        case: the fixture.
        changed: the time, or by how many milliseconds it is moved if it is a tuple of one number.
    """
    data = bytearray(gzip.decompress((HEAPS / case / "dump.hprof.gz").read_bytes()))
    before = int.from_bytes(data[AT : AT + 8], "big")
    now = before + changed[0] if isinstance(changed, tuple) else changed
    assert isinstance(now, int)
    data[AT : AT + 8] = now.to_bytes(8, "big")
    path = tmp_path / "dump.hprof"
    path.write_bytes(data)
    return diagnose_heap(path).report


WRONG = {
    "no time": 0,
    "seconds": 1_795_000_000,
    "two minutes before its objects": (-2 * MINUTE_MS,),
    "a day before its objects": (-DAY_MS,),
    "four minutes after its objects": (250_000,),
    "a month after its objects": (30 * DAY_MS,),
    "the sign bit": 2**63,
    "the largest": 2**64 - 1,
}


@one_in_each_run(4)
@pytest.mark.parametrize("case", one_in(2, ["stuck-one-5.3.3", "healthy-busy-4.9.8"]))
@pytest.mark.parametrize("changed", WRONG.values(), ids=WRONG)
def test_a_wrong_time_gives_no_age_no_error_and_no_ok(tmp_path: Path, case: str, changed: object) -> None:
    report = with_time(tmp_path, case, changed)
    assert report.heap is not None
    assert report.heap.captured_at is None
    assert {given.captured_at for given in report.inputs} == {None}
    assert TIME in report.heap.unknown
    assert all(queue.last_pull_age_ms is None for queue in report.heap.queues)
    assert not report.failed
    assert report.answer.state == "undecided"
    assert "No age is known, because" in english()(report.answer.reason)
    assert [one.rule for one in report.findings if one.severity is Severity.ERROR] == []
    unchecked = {one.rule for one in report.skipped if "no age is known, because" in english()(one.reason)}
    assert {
        "stuck-consumer-thread",
        "offset-stuck-at-head",
        "consume-timeout-exceeded",
        "pull-loop-lost",
    } <= unchecked
    assert not unchecked & {*report.checked}


def test_both_times_are_named(tmp_path: Path) -> None:
    report = with_time(tmp_path, "stuck-one-5.3.3", (-DAY_MS,))
    assert report.heap is not None
    said = english()(report.heap.unknown[TIME])
    assert said.startswith("the header of the dump says 2026-")
    assert ", and the newest time in its heap is 2026-" in said


@one_in_each_run(3)
@pytest.mark.parametrize("moved", [0, -1000, 20_000])
def test_a_time_that_can_be_is_believed(tmp_path: Path, moved: int) -> None:
    report = with_time(tmp_path, "stuck-one-5.3.3", (moved,))
    assert report.heap is not None
    assert TIME not in report.heap.unknown
    assert report.heap.captured_at is not None
    assert report.findings[0].severity is Severity.ERROR


@CHECK
def test_a_broker_whose_clock_is_ahead_leaves_times_of_hosts_apart(tmp_path: Path) -> None:
    """Ages of the client hold, and the answer says that times of two hosts cannot be compared."""
    data = bytearray(gzip.decompress((HEAPS / "healthy-busy-4.9.8" / "dump.hprof.gz").read_bytes()))
    written = int.from_bytes(data[AT : AT + 8], "big")
    dump = parsed(bytes(data))
    for at in dump.of_classes(b"/MessageClientExt"):
        end = at + 25 + dump.number(at + 21, "I")
        for place in range(at + 25, end - 8):
            # born and stored; the number in the header of the record before them is none of these
            if abs(dump.number(place, "q") - written) < DAY_MS:
                data[place : place + 8] = (dump.number(place, "q") + 60 * MINUTE_MS).to_bytes(8, "big")
    path = tmp_path / "dump.hprof"
    path.write_bytes(data)
    report = diagnose_heap(path).report
    assert report.heap is not None
    assert TIME not in report.heap.unknown
    assert CLOCKS in report.heap.unknown
    assert report.answer.state == "undecided"
    assert "Times of several hosts cannot be compared" in english()(report.answer.reason)

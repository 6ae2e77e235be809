"""What a verdict says of the evidence that was read."""

from __future__ import annotations

from mqdiag.causes.read_evidence import read_evidence
from mqdiag.facts import HeapFacts
from mqdiag.facts.logs import LogFile, LogsFacts
from mqdiag.findings import Report
from mqdiag.language import english


def logs(*spans: tuple[str, str]) -> LogsFacts:
    files = tuple(
        LogFile(
            path=f"{place}.log",
            kind="store",
            format="plain",
            bytes=1,
            lines=9,
            event_lines=0,
            first=first,
            last=last,
        )
        for place, (first, last) in enumerate(spans)
    )
    return LogsFacts(files=files, lines=9)


def said(*spans: tuple[str, str]) -> str:
    (line,) = read_evidence(Report(mqdiag="0", inputs=(), logs=logs(*spans)))
    return english()(line)


BROKER = ("2026-11-21T20:35:46+08:00", "2026-11-21T20:36:56+08:00")


def test_logs_of_two_zones_are_told_in_one() -> None:
    assert said(BROKER, ("2026-11-21T12:30:00+00:00", "2026-11-21T12:36:50+00:00")) == (
        "2 logs: 9 lines, 2026-11-21 20:30:00 +08:00 to 20:36:56"
    )


def test_a_time_of_an_unknown_zone_is_not_compared_with_others() -> None:
    assert said(BROKER, ("2026-11-21T12:35:00", "2026-11-21T12:36:50")) == (
        "2 logs: 9 lines, 2026-11-21 20:35:46 +08:00 to 20:36:56;"
        " others, 2026-11-21 12:35:00 to 12:36:50 local time"
    )


def test_a_heap_dump_is_told_in_the_zone_of_the_logs() -> None:
    heap = HeapFacts(
        objects=None,
        shallow_bytes=None,
        unreachable_objects=None,
        unreachable_bytes=None,
        heap_bytes=None,
        captured_at="2026-11-21T12:36:56.250+00:00",
    )
    first, _ = read_evidence(Report(mqdiag="0", inputs=(), heap=heap, logs=logs(BROKER)))
    assert english()(first) == "a heap dump, written 2026-11-21 20:36:56 +08:00, counts only"


def test_local_times_alone_and_times_that_are_none() -> None:
    assert said(("2026-11-21T12:35:00", "2026-11-21T12:35:00")) == "1 log: 9 lines, at 2026-11-21 12:35:00"
    assert said(("soon", ""), ("9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00")) == "2 logs: 9 lines"

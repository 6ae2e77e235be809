"""An undecided answer shows lines of the evidence as they stand there, with their places."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.seen import seen
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Answer, Report
from mqdiag.language import english
from mqdiag.redact.report import redact_report
from mqdiag.render import View, renderer

FIXTURES = Path(__file__).parents[2] / "fixtures"
WITH_LINES = ("logs/faulty-5.3.3", "logs/producer-backlog-4.9.7", "public/group-not-online-218")


def answer_of(*paths: Path) -> Answer:
    return diagnose_incident(list(paths)).report.answer


def line_of(path: str, number: int) -> str:
    data = Path(path).read_bytes()
    text = gzip.decompress(data) if path.endswith(".gz") else data
    return text.split(b"\n")[number - 1].decode(errors="replace").strip()


@pytest.mark.parametrize("case", WITH_LINES)
def test_a_line_stands_where_the_answer_says(case: str) -> None:
    shown_lines = answer_of(FIXTURES / case).seen
    assert shown_lines
    for one in shown_lines:
        shown = str(one.text.values["example"])
        assert one.line is not None
        assert line_of(one.path, one.line).startswith(shown.removesuffix("…"))


def test_errors_and_exceptions_come_before_warnings(tmp_path: Path) -> None:
    log = tmp_path / "application.log"
    warning = "2026-11-21 12:46:35.228 WARN [main] com.acme.shop.Shelf - shelf 7 is odd\n"
    error = "2026-11-21 12:46:36.228 ERROR [main] com.acme.shop.Shelf - shelf 8 fell\n"
    log.write_text(
        warning * 30 + error + "com.acme.shop.Broken: 8\n\tat com.acme.shop.Shelf.hold(Shelf.java:8)\n"
    )
    first, second, *_ = answer_of(log).seen
    assert (first.line, english()(first.text)) == (31, error.strip())
    assert (second.line, english()(second.text)) == (1, f"{warning.strip()} (30 such lines)")


def test_threads_that_stand_are_shown_at_the_lines_of_their_headers(tmp_path: Path) -> None:
    dump = tmp_path / "stacks.txt"
    rest = (
        '"{}" #{} prio=5 os_prio=0 cpu=1.0ms elapsed=9s tid=0x00007f0000000{} nid=0x{} waiting on condition\n'
    )
    frames = "   java.lang.Thread.State: {}\n\tat {}\n\tat com.acme.shop.Shelf.hold(Shelf.java:8)\n\n"
    dump.write_text(
        "2026-11-21 12:46:35\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1 mixed mode):\n\n"
        + rest.format("main", 1, 11, 11)
        + frames.format("TIMED_WAITING (sleeping)", "java.lang.Thread.sleep(java.base@17.0.1/Native Method)")
        + rest.format("ConsumeMessageThread_CID_a_1", 2, 22, 22)
        + frames.format("RUNNABLE", "sun.nio.ch.SocketDispatcher.read0(java.base@17.0.1/Native Method)")
        + "JNI global refs: 1, weak refs: 0\n"
    )
    first = answer_of(dump).seen[0]
    assert first.line is not None
    assert line_of(str(dump), first.line).startswith('"ConsumeMessageThread_CID_a_1"')
    assert english()(first.text) == (
        '"ConsumeMessageThread_CID_a_1" RUNNABLE: at sun.nio.ch.SocketDispatcher.read0(Native Method), at'
        " com.acme.shop.Shelf.hold(Shelf.java:8)"
    )


def test_a_redacted_report_shows_no_line() -> None:
    report = diagnose_incident([FIXTURES / WITH_LINES[0]]).report
    shown = str(report.answer.seen[0].text.values["example"])
    assert shown in renderer("json")(report, View())
    assert shown not in renderer("json")(redact_report(report), View())


def test_a_line_of_two_events_is_shown_once() -> None:
    both = tuple(
        LogEvent(kind=kind, count=1, files=("redis.log",), example="Slow script", example_line=1)
        for kind in ("redis-slow-script", "redis-busy")
    )
    assert [one.line for one in seen(Report(mqdiag="0", inputs=(), logs=LogsFacts(events=both)))] == [1]

"""A recording with the heap dump and the thread dumps of one process, and one that sees too little."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import msgspec
import pytest

from mqdiag.causes.agreement import agreements, contradictions
from mqdiag.causes.same_finding import SameFindings
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Finding, Report
from mqdiag.language import english
from mqdiag.recordings import collect
from tests.layers import NIGHTLY, one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"


@cache
def report_of(case: str) -> Report:
    report = diagnose_incident([FIXTURES / "incidents" / case]).report
    assert report.failed == ()
    return report


def texts(report: Report) -> tuple[list[str], list[str]]:
    """What agrees, and what does not."""
    same = SameFindings(report.findings, {card.name: card for card in report.rule_cards})
    return [english()(one) for one in agreements(report, same)], [
        english()(one) for one in contradictions(report, same)
    ]


def in_hand(report: Report) -> Finding:
    return next(one for one in report.findings if one.rule == "stuck-consumer-thread")


def test_the_recording_has_the_time_and_the_dump_the_message() -> None:
    report = report_of("recorded-stuck")
    first = report.findings[0]
    assert (first.rule, first.cause, first.severity) == ("stuck-socket-read", "missing-http-timeout", "error")
    assert {"stacks", "recordings"} <= set(first.seen_in)
    assert report.recordings is not None
    (recording,) = report.recordings.recordings
    (still,) = recording.standstills
    truth = json.loads((FIXTURES / "incidents" / "recorded-stuck" / "truth.json").read_text())
    (stuck,) = [row["name"] for row in truth["threads"] if row["truth"] == "stuck"]
    assert still.threads == (stuck,) == first.evidence["threads"]
    agree, differ = texts(report)
    (joined,) = [line for line in agree if line.startswith("the flight recording shows the call")]
    subject, evidence = in_hand(report).subject, in_hand(report).evidence
    assert f"{subject.topic} queue {evidence['queue_id']} offset {evidence['offset']}" in joined
    assert differ == []
    # the call was older than the recording, and no event of this thread comes before it
    assert (still.began_after, still.began_before is not None) == (None, True)


@pytest.mark.parametrize("case", [pytest.param("recorded-slow", marks=NIGHTLY)])
def test_a_message_of_many_calls_is_told_from_one_that_hangs(case: str) -> None:
    report = report_of(case)
    _, differ = texts(report)
    assert any("shows calls of them that ended since then" in line for line in differ)
    assert in_hand(report).confidence == "low"
    assert report.findings[0].severity == "warning"
    assert "stuck-socket-read" not in {one.rule for one in report.findings}


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("seconds_before_the_end", "hangs", "disagrees"), [(5, False, True), (11, False, False), (5, True, False)]
)
def test_a_call_that_hangs_behind_one_that_ended_is_no_contradiction(
    seconds_before_the_end: int, hangs: bool, disagrees: bool
) -> None:
    report = report_of("recorded-stuck")
    assert report.recordings is not None
    (recording,) = report.recordings.recordings
    (name,) = recording.standstills[0].threads
    ended = datetime.fromisoformat(recording.ended_at) - timedelta(seconds=seconds_before_the_end)
    threads = tuple(
        msgspec.structs.replace(one, ended=1, last_ended_at=ended.isoformat()) if one.thread == name else one
        for one in recording.threads
    )
    changed = msgspec.structs.replace(
        recording, threads=threads, standstills=recording.standstills if hangs else ()
    )
    recordings = msgspec.structs.replace(report.recordings, recordings=(changed,))
    _, differ = texts(msgspec.structs.replace(report, recordings=recordings))
    assert any("the flight recording shows calls of it that ended" in line for line in differ) is disagrees


@pytest.mark.parametrize("case", ["stuck-jdk17", "idle-jdk17"])
def test_a_recording_that_shows_nothing_of_a_thread_says_so(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that hangs, and a thread that rests, have no event until they end."""
    looks = {"jdk.ThreadDump", "jdk.NativeMethodSample"}
    monkeypatch.setattr(collect, "WANTED", collect.WANTED - looks)
    report = diagnose_incident([FIXTURES / "recordings" / case / "recording.jfr.xz"]).report
    assert [one for one in report.findings if one.severity != "info"] == []
    assert report.answer is not None
    assert report.answer.state == "undecided"
    assert "shows nothing of 10 consume threads" in english()(report.answer.reason)

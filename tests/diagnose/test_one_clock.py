"""Logs with local times beside thread dumps whose zone a capture told: all times by one clock."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.causes.one_clock import Clock, by_one_clock
from mqdiag.causes.read_evidence import read_evidence
from mqdiag.findings import Confidence, Finding, Report, Severity, Subject, TimeRange
from mqdiag.language import english
from mqdiag.log_events import between
from mqdiag.render.wording.still_so import still_so
from mqdiag.text import Text, say
from tests.diagnose.test_read_evidence import BROKER, logs
from tests.render.html.reports import stuck_incident

CLIENT = ("2026-11-21T12:30:00", "2026-11-21T12:36:50")


def report(*spans: tuple[str, str], zone: str | None = "+00:00", at: str = "2026-11-21T12:36:55") -> Report:
    stacks = stuck_incident().stacks
    assert stacks is not None
    series = tuple(
        msgspec.structs.replace(one, captured_local=at, captured_at=None if zone is None else f"{at}{zone}")
        for one in stacks.series
    )
    return Report(
        mqdiag="0", inputs=(), stacks=msgspec.structs.replace(stacks, series=series), logs=logs(*spans)
    )


def finding(explanation: Text, *, last: str, seen_in: tuple[str, ...] = ("logs",)) -> Finding:
    return Finding(
        rule="made",
        severity=Severity.WARNING,
        cause="made",
        confidence=Confidence.HIGH,
        fingerprint="0",
        title=say("One."),
        in_chain=say("one"),
        subject=Subject(),
        evidence={},
        explanation=(explanation,),
        remedy=(),
        seen_in=seen_in,
        when=(TimeRange(first=last, last=last),),
        rests_on=("0.log", "1.log"),
    )


def said(of: Report, explanation: Text) -> str:
    told = by_one_clock(msgspec.structs.replace(of, findings=(finding(explanation, last=CLIENT[1]),)))
    return english()(told.findings[0].explanation[0])


def test_local_times_are_told_in_the_zone_of_the_other_logs() -> None:
    span = between(*CLIENT)
    assert "local time" in english()(span)
    assert said(report(BROKER, CLIENT), span) == "from 2026-11-21 20:30:00 +08:00 to 20:36:50"
    assert said(report(CLIENT), span) == "from 2026-11-21 12:30:00 +00:00 to 12:36:50"
    over_midnight = between("2026-11-21T15:50:00", "2026-11-21T16:10:00")
    assert said(report(BROKER, CLIENT), over_midnight) == (
        "from 2026-11-21 23:50:00 +08:00 to 2026-11-22 00:10:00 +08:00"
    )


def test_all_logs_have_one_span_and_its_utc() -> None:
    *_, line = read_evidence(report(BROKER, CLIENT))
    assert english()(line) == (
        "2 logs: 9 lines, 2026-11-21 20:30:00 +08:00 to 20:36:56 (12:30:00 to 12:36:56 UTC)"
    )


@pytest.mark.parametrize(
    "of",
    [
        report(BROKER, CLIENT, zone=None),
        report(BROKER, ("2026-11-21T14:30:00", "2026-11-21T14:36:50")),
        report(BROKER, CLIENT, ("2026-11-21T20:30:00", "2026-11-21T20:36:50")),
    ],
    ids=["no-zone-known", "ends-in-the-future", "one-log-of-another-zone"],
)
def test_a_zone_that_nothing_proves_is_not_told(of: Report) -> None:
    assert Clock(of).local is None
    assert said(of, between(*CLIENT)) == "from 2026-11-21 12:30:00 to 12:36:50 local time"


@pytest.mark.parametrize(
    ("last", "seen_in", "told"),
    [
        (
            "2026-11-21T20:36:50+08:00",
            ("logs",),
            "Still logged at the end of these logs, 2026-11-21 20:36:56 +08:00.",
        ),
        (
            "2026-11-21T12:36:50",
            ("logs",),
            "Still logged at the end of these logs, 2026-11-21 20:36:56 +08:00.",
        ),
        ("2026-11-21T20:36:00+08:00", ("logs",), ""),
        ("2026-11-21T20:36:50+08:00", ("heap", "logs"), ""),
    ],
)
def test_what_goes_on_is_said_to(last: str, seen_in: tuple[str, ...], told: str) -> None:
    found = finding(say("One."), last=last, seen_in=seen_in)
    of = report(BROKER, CLIENT)
    assert of.logs is not None
    assert not still_so(found, of), "an excerpt ends where somebody cut it"
    files = tuple(msgspec.structs.replace(file, lines=900, bytes=90_000) for file in of.logs.files)
    whole = msgspec.structs.replace(of, logs=msgspec.structs.replace(of.logs, lines=1800, files=files))
    assert english()(still_so(found, whole)) == told

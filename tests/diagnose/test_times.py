"""Causes and effects are joined only when they were at one time: real incidents with one part moved by days."""

from __future__ import annotations

import gzip
import re
from datetime import date, timedelta
from pathlib import Path

from mqdiag.config import Settings
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.logs import LogEvent, LogPoint
from mqdiag.facts.verdict import Verdict
from mqdiag.findings import Confidence, Finding, Report, Severity, Subject, TimeRange
from mqdiag.language import english
from mqdiag.text import say
from mqdiag.time_ranges import MOST_RANGES, apart, between, joined, ranges_of
from tests.folded import folded
from tests.layers import CHECK

FIXTURES = Path(__file__).parents[2] / "fixtures"
DAY = re.compile(rb"2026-11-(2\d)\b")


def moved(source: Path, into: Path, days: int, *names: str) -> None:
    """Logs whose days are others; those of the names only, if there are any."""
    for path in sorted(source.rglob("*.gz")):
        if names and path.parent.name not in names:
            continue
        text = gzip.decompress(path.read_bytes())
        text = DAY.sub(lambda found: str(date(2026, 11, int(found[1])) + timedelta(days=days)).encode(), text)
        target = into / path.parent.name / path.stem
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)


def links(report: Report) -> set[tuple[str, str]]:
    rules = {found.fingerprint: found.rule for found in report.findings}
    return {(rules[root], found.rule) for found in report.findings for root in found.caused_by}


def verdict_of(report: Report) -> Verdict:
    assert report.verdict is not None
    return report.verdict


@CHECK
def test_an_answer_of_another_day_is_not_joined_with_the_brokers_trouble(tmp_path: Path) -> None:
    case = FIXTURES / "logs" / "page-cache-busy-5.3.3"
    moved(case, tmp_path / "same", 0, "broker", "producer")
    assert ("slow-writes", "send-busy") in links(diagnose_incident([tmp_path / "same"]).report)
    moved(case, tmp_path / "days", 0, "broker")
    moved(case, tmp_path / "days", -3, "producer")
    report = diagnose_incident([tmp_path / "days"]).report
    assert ("slow-writes", "send-busy") not in links(report)
    elsewhere = [english()(line) for line in verdict_of(report).elsewhere]
    assert any(line.startswith("Senders were told") for line in elsewhere)
    assert any("at another time" in line for line in elsewhere)


@CHECK
def test_local_times_of_an_unknown_zone_make_it_less_sure() -> None:
    """4.3.2's client prints local time: the chain stands, and says what it does not know."""
    case = FIXTURES / "logs" / "sync-slave-stopped-4.3.2"
    unknown = verdict_of(diagnose_incident([case]).report)
    known = verdict_of(diagnose_incident([case], Settings(utc_offset_minutes=0)).report)
    assert (unknown.confidence, known.confidence) == ("medium", "high")
    assert "--utc-offset" in english()(unknown.confidence_reason)
    assert any("--utc-offset" in english()(missing.what) for missing in unknown.missing_evidence)
    assert not any("--utc-offset" in english()(missing.what) for missing in known.missing_evidence)
    assert [step.fingerprint for step in unknown.chain] == [step.fingerprint for step in known.chain]


@CHECK
def test_a_wrong_zone_takes_the_chain_apart() -> None:
    case = FIXTURES / "logs" / "sync-slave-stopped-4.3.2"
    report = diagnose_incident([case], Settings(utc_offset_minutes=300)).report
    assert ("slave-behind", "send-busy") not in links(report)


def test_a_dump_does_not_explain_the_log_of_last_week(tmp_path: Path) -> None:
    case = FIXTURES / "incidents" / "stuck-http"
    dumps = [path for path in case.iterdir() if "log" not in path.name and path.suffix != ".md"]
    logs = [path for path in case.iterdir() if path.name.startswith("rocketmq_client")]
    assert logs
    now = diagnose_incident([*dumps, *logs]).report
    assert any(root == "offset-stuck-at-head" for root, effect in links(now) if effect == "flow-control")
    for log in logs:
        raw = log.read_bytes()
        text = gzip.decompress(raw) if log.suffix == ".gz" else raw
        (tmp_path / log.name.removesuffix(".gz")).write_bytes(text.replace(b"2026-11-21", b"2026-11-14"))
    then = diagnose_incident([*dumps, tmp_path]).report
    of_logs = [found for found in then.findings if found.seen_in == ("logs",) and found.rule == "flow-control"]
    assert of_logs
    assert not any(found.caused_by for found in of_logs)


def finding(*ranges: tuple[str, str], seen_in: tuple[str, ...] = ("logs",)) -> Finding:
    return Finding(
        rule="x", severity=Severity.WARNING, cause="x", confidence=Confidence.HIGH, fingerprint="0", title=say("x"),
        subject=Subject(), evidence={}, remedy=(say("x"),), seen_in=seen_in,
        when=tuple(TimeRange(first=first, last=last) for first, last in ranges),
    )  # fmt: skip


NOON = ("2026-11-21T12:00:00+00:00", "2026-11-21T12:05:00+00:00")


@folded(
    "other, wanted",
    [
        (("2026-11-21T12:14:59+00:00", "2026-11-21T12:20:00+00:00"), False),
        (("2026-11-21T12:15:01+00:00", "2026-11-21T12:20:00+00:00"), True),
        (("2026-11-21T11:00:00+00:00", "2026-11-21T11:49:00+00:00"), True),
        (("2026-11-21T20:04:00+08:00", "2026-11-21T20:05:00+08:00"), False),
        (("2026-11-21T20:04:00", "2026-11-21T20:05:00"), None),
        (("2026-11-22T20:04:00", "2026-11-22T20:05:00"), True),
    ],
)
def test_ten_minutes_between_lines_of_logs(other: tuple[str, str], wanted: bool | None) -> None:
    assert apart(finding(NOON), finding(other)) is wanted
    assert apart(finding(other), finding(NOON)) is wanted


def test_an_hour_beside_a_dump() -> None:
    later = ("2026-11-21T13:00:00+00:00", "2026-11-21T13:00:00+00:00")
    assert apart(finding(NOON), finding(later)) is True
    assert apart(finding(NOON), finding(later, seen_in=("heap",))) is False


def test_one_common_time_range_is_enough() -> None:
    week_before = ("2026-11-14T12:00:00+00:00", "2026-11-14T12:05:00+00:00")
    assert apart(finding(NOON, week_before), finding(week_before)) is False
    assert apart(finding(NOON), finding()) is None


def test_time_ranges_are_the_busy_minutes_and_not_all_between_them() -> None:
    points = tuple(
        LogPoint(at=f"2026-11-{day}T{clock}:00+00:00", count=3)
        for day, clock in (("18", "10:00"), ("18", "10:05"), ("21", "12:00"))
    )
    event = LogEvent(
        kind="x", count=9, series=points, first="2026-11-18T10:00:30+00:00", last="2026-11-21T12:00:10+00:00"
    )
    assert [(one.first, one.last) for one in ranges_of([event])] == [
        ("2026-11-18T10:00:30+00:00", "2026-11-18T10:06:00+00:00"),
        ("2026-11-21T12:00:00+00:00", "2026-11-21T12:00:10+00:00"),
    ]


def test_time_ranges_are_few() -> None:
    many = [
        TimeRange(
            first=f"2026-{1 + n // 28:02d}-{1 + n % 28:02d}T00:00:00",
            last=f"2026-{1 + n // 28:02d}-{1 + n % 28:02d}T00:01:00",
        )
        for n in range(60)
    ]
    few = joined(many)
    assert len(few) == MOST_RANGES
    assert (few[0].first, few[-1].last) == (many[0].first, many[-1].last)


@CHECK
def test_the_memory_of_one_client_does_not_explain_the_pulls_of_another() -> None:
    """Both logs are of the same hour; their folders tell the processes apart."""
    lost = FIXTURES / "logs" / "client-pull-lost-4.9.7"
    other = FIXTURES / "logs" / "client-out-of-memory-4.9.7"
    alone = diagnose_incident([lost]).report
    both = diagnose_incident([lost, other]).report
    assert {"out-of-memory-thread", "pull-loop-lost"} <= {found.rule for found in both.findings}
    assert ("out-of-memory-thread", "pull-loop-lost") not in links(both)
    errors = [
        next(found.evidence["out_of_memory_errors"] for found in one.findings if found.rule == "pull-loop-lost")
        for one in (alone, both)
    ]
    assert errors[0] == errors[1]


def test_the_memory_of_a_client_explains_its_own_pulls(tmp_path: Path) -> None:
    log = (
        "2026-11-21 12:00:01,001 WARN RocketmqClient - java.lang.OutOfMemoryError: Java heap space\n"
        "2026-11-21 12:02:30,030 WARN RocketmqClient - [BUG]doRebalance, CID_orders, remove unnecessary mq,"
        " MessageQueue [topic=orders, brokerName=broker-a, queueId=1], because pull is pause\n"
    )
    (tmp_path / "rocketmq_client.log").write_text(log)
    report = diagnose_incident([tmp_path]).report
    assert ("out-of-memory-thread", "pull-loop-lost") in links(report)
    (lost,) = [found for found in report.findings if found.rule == "pull-loop-lost"]
    assert lost.evidence["out_of_memory_errors"] == 1


@folded("bad", ["", "soon", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00", "2026-11-21"])
def test_times_of_a_saved_report_may_be_none(bad: str) -> None:
    """Nobody vouches for them: they are left out, and no rule fails on them."""
    points = (LogPoint(at=bad, count=1), LogPoint(at="2026-11-21T12:00:00+00:00", count=1))
    for first, last in ((bad, bad), (bad, "2026-11-21T12:00:00+00:00"), ("2026-11-21T12:00:00", bad)):
        event = LogEvent(kind="x", count=1, first=first, last=last, series=points)
        ranges = ranges_of([event, LogEvent(kind="y", count=1, first=first, last=last)])
        ranges += between(first, last, longer_by=timedelta(minutes=5))
        for period in ranges:
            one = finding((period.first, period.last))
            assert apart(one, finding(NOON)) in (True, False, None)
            assert apart(finding(("2026-11-21T12:00:00", "2026-11-21T12:00:00")), one) in (True, False, None)

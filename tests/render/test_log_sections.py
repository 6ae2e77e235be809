"""The sections of logs: which times they show, and what they leave to the wide form."""

from __future__ import annotations

import re

import msgspec
import pytest

from mqdiag.facts.collector_logs import GcFacts
from mqdiag.facts.logs import BrokerLogs, LogEvent, LogFile, LogPoint, LogsFacts
from mqdiag.facts.store_logs import PutLatency, PutMinute
from mqdiag.findings import Report
from mqdiag.render import Detail, View, renderer
from mqdiag.text import say

_FILE = LogFile(
    path="node/logs/broker.log",
    kind="broker",
    format="plain",
    bytes=2048,
    lines=1_234,
    event_lines=3,
    first="2026-11-21T20:22:08+08:00",
    last="2026-11-21T20:25:00+08:00",
    utc_offset="+08:00",
    offset_reason=say("its lines name it"),
)
_EVENT = LogEvent(
    kind="slow-put",
    count=7,
    first="2026-11-21T20:22:08+08:00",
    last="2026-11-21T20:25:00+08:00",
    peak_per_minute=6,
    series=(
        LogPoint(at="2026-11-21T20:22:00+08:00", count=6),
        LogPoint(at="2026-11-21T20:24:00+08:00", count=1),
    ),
    example="message that shows it",
)
_LATENCY = PutLatency(
    lines=1,
    puts=2_000,
    buckets={"<=0ms": 1_990, "100~200ms": 10},
    from_10_ms=10,
    from_100_ms=10,
    from_1_s=0,
    worst=PutMinute(at="2026-11-21T20:23:00+08:00", puts=2_000, from_100_ms=10),
)


def _text(logs: LogsFacts, detail: Detail = "normal") -> str:
    text = renderer("text")(Report(mqdiag="0", inputs=(), logs=logs), View(width=250, detail=detail))
    return " ".join(text.split())


def test_times_of_one_day_are_clock_times_and_the_day_is_said_once() -> None:
    text = _text(LogsFacts(files=(_FILE,)))
    assert "broker.log broker 20:22:08 20:25:00 1,234 2 KiB" in text
    assert "All times are on 2026-11-21." in text
    assert "All of them are in node/logs/" in text
    later = msgspec.structs.replace(_FILE, path="node/logs/store.log", last="2026-11-22T00:00:01+08:00")
    text = _text(LogsFacts(files=(_FILE, later)))
    assert "All times are on" not in text
    assert "2026-11-22 00:00:01 +08:00" in _text(LogsFacts(files=(_FILE, later)), detail="full")


def test_events_have_bars_and_the_wide_form_has_an_example() -> None:
    logs = LogsFacts(files=(_FILE,), events=(_EVENT,))
    short = _text(logs)
    assert "slow-put 7 6 20:22:08 █" in short
    assert "message that shows it" not in short
    assert "message that shows it" in _text(logs, detail="full")
    page = renderer("html")(Report(mqdiag="0", inputs=(), logs=logs), View())
    assert "message that shows it" in page
    assert "slow-put: 6 at 2026-11-21 20:22:00 +08:00" in page


def test_bars_of_text_and_page_are_of_the_same_steps_from_the_first_line_to_the_last() -> None:
    logs = LogsFacts(files=(_FILE,), events=(_EVENT,))
    # Parts of 14.3 s: the minute 20:22 from its first line on fills three, 20:24 all from the eighth on.
    assert "slow-put 7 6 20:22:08 ███····▂▂▂▂▂ " in _text(logs)
    page = renderer("html")(Report(mqdiag="0", inputs=(), logs=logs), View())
    figure = page[page.index("<figure") : page.index("</figure>")]
    assert "from 2026-11-21 20:22:08 +08:00 to 2026-11-21 20:25:00 +08:00" in figure
    bars = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="[\d.]+" class="bar">', figure)
    (left, width), (second, _) = ((float(x), float(w)) for x, w in bars)
    seconds_per_unit = 112 / (second - left)
    assert width * seconds_per_unit == pytest.approx(52, abs=1)


def test_events_without_a_time_are_still_listed() -> None:
    bare = LogEvent(kind="slow-put", count=7)
    assert "slow-put 7 unknown unknown" in _text(LogsFacts(files=(_FILE,), events=(bare,)))


def test_a_sample_of_repeated_messages_is_said_to_be_one() -> None:
    file = msgspec.structs.replace(_FILE, unseen_lines=826)
    assert "breakdowns (826 lines) are estimates" in _text(LogsFacts(files=(file,)))
    assert "estimates" not in _text(LogsFacts(files=(_FILE,)))


def test_write_times_of_one_and_of_several_brokers() -> None:
    words = "2,000 writes in 1 minute: 10 took 10 ms or longer, 10 took 100 ms or longer (0.5 %), 0 took 1 s or longer"
    assert words in _text(LogsFacts(files=(_FILE,), pagecachert=_LATENCY))
    quiet = BrokerLogs(name="broker-b")
    text = _text(LogsFacts(files=(_FILE,), brokers=(BrokerLogs(name="broker-a", pagecachert=_LATENCY), quiet)))
    assert text.index("broker-a") < text.index(words) < text.index("broker-b")
    assert "its logs have no known event" in text


def test_collections_of_an_unknown_time_have_no_share() -> None:
    gc = GcFacts(
        path="node/logs/gc.log", format="jdk8", collections=3, full=1, pause_ms=500.0, longest_pause_ms=300.0
    )
    assert "gc.log 3 1 500 ms 300 ms unknown unknown unknown" in _text(LogsFacts(files=(_FILE,), gc=(gc,)))
    timed = msgspec.structs.replace(gc, seconds=10.0)
    assert "gc.log 3 1 500 ms 300 ms 5.0 % unknown unknown" in _text(LogsFacts(files=(_FILE,), gc=(timed,)))

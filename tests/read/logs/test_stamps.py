"""Times of lines."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mqdiag.read.logs.stamps import StampReader
from tests.folded import folded

AT = datetime(2026, 11, 21, 12, 0, 1, tzinfo=UTC)


@folded(
    "line, milliseconds, offset",
    [
        (b"2026-11-21 12:00:01 INFO x", 0, None),
        (b"2026-11-21 12:00:01,250 INFO x", 250, None),
        (b"2026-11-21 12:00:01.2 INFO x", 200, None),
        (b"2026-11-21T12:00:01.250432987Z x", 250, 0),
        (b"2026-11-21T12:00:01+08:00 x", 0, 480),
        (b"[2026-11-21T12:00:01.250+0800][1.2s] GC(1)", 250, 480),
        (b"2026-11-21 12:00:01 -0330 x", 0, -210),
        (b"2026/11/21 12:00:01 x", 0, None),
        (b"21-Nov-2026 12:00:01.250 x", 250, None),
        (b'10.0.0.1 - - [21/Nov/2026:12:00:01 +0800] "GET /"', 0, 480),
        (b'{"timestamp":1795262401250,"message":"x"}', 250, 0),
        # 3.x clients
        (b"26-11-21 12:00:01 INFO MQClientFactoryScheduledThread - x", 0, None),
        (b"26-11-21 12:00:01,250 INFO x", 250, None),
        # RocketMQ's own files, with and without milliseconds, and a number that is no zone
        (b"2026-11-21 12:00:01 INFO main - x", 0, None),
        (b"2026-11-21 12:00:01,250 INFO main - x", 250, None),
        (b"2026-11-21 12:00:01.250 +0000 INFO main - x", 250, 0),
        (b"2026-11-21 12:00:01 Z x", 0, 0),
        # C++ clients
        (b"[2026-Nov-21 12:00:01.250803](info):x", 250, None),
        # a copy out of Kibana
        (b"Nov 21, 2026 @ 12:00:01.250 x", 250, None),
        (b"2018-07-18 and 2026-11-21 12:00:01.0250 WARN - main | x", 25, None),
    ],
)
def test_forms(line: bytes, milliseconds: int, offset: int | None) -> None:
    stamp = StampReader().of_line(line)
    assert stamp is not None
    assert stamp.wall_ms == int(AT.timestamp()) * 1000 + milliseconds
    assert stamp.offset_minutes == offset


@pytest.mark.parametrize(
    ("zone", "minutes"), [(b"+14:00", 840), (b"-1400", -840), (b"+14:01", None), (b"-9959", None)]
)
def test_a_zone_that_is_none(zone: bytes, minutes: int | None) -> None:
    stamp = StampReader().of_line(b"2026-11-21T12:00:01.250" + zone + b" x")
    assert stamp is not None
    assert stamp.offset_minutes == minutes


@folded(
    "line",
    [
        b"",
        b"no time",
        b"12:00:01.250 [main] INFO x",
        b"2026-13-21 12:00:01 x",
        b"26-13-21 12:00:01 x",
        b"2026-Abc-21 12:00:01 x",
        b"2026-11-41 12:00:01 x",
        b"0026-11-21 12:00:01 x",
        b"2026-11-21 25:00:01 x",
        b"99999999-11-21T12:00:01",
        b"x" * 500 + b"2026-11-21 12:00:01",
    ],
)
def test_no_time(line: bytes) -> None:
    assert StampReader().of_line(line) is None


def test_the_line_with_the_time_above() -> None:
    block = b"2026-11-21 12:00:01 ERROR x - y\njava.lang.X: z\n\tat a.b(C.java:1)\n"
    stamp, begin = StampReader().of_record(block, block.index(b"\tat"))
    assert stamp is not None
    assert begin == 0


def test_a_time_too_far_above_is_not_taken() -> None:
    block = b"2026-11-21 12:00:01 ERROR x\n" + b"INSERT INTO a\n" * 50
    assert StampReader().of_record(block, len(block) - 8)[0] is None


def test_times_of_one_reader_go_back_and_change_their_zones() -> None:
    """What is kept of earlier lines is taken for the same text alone."""
    reader = StampReader()
    minute = int(AT.timestamp()) * 1000 - 1000
    lines = [
        (b"2026-11-21 12:00:01,250 INFO x", 1250, None),
        (b"2026-11-21 12:01:01,250 INFO x", 61_250, None),
        (b"2026-11-21 12:00:59,001 INFO x", 59_001, None),
        (b"2026-11-21 12:00:60 INFO x", 60_000, None),
        (b"2026-11-21 12:00:01,250 +0800 INFO x", 1250, 480),
        (b"[2026-11-21T12:00:01.250+0800][1.2s] GC(1)", 1250, 480),
        (b"[2026-11-21T12:00:01.250-0330][1.2s] GC(1)", 1250, -210),
        (b"[2026-11-21T12:00:01.251-9959][1.2s] GC(1)", 1251, None),
        (b"2026-11-21T12:01:07.250+0000: 1.234: [GC pause", 67_250, 0),
    ]
    for line, milliseconds, offset in lines:
        stamp = reader.of_line(line)
        assert stamp is not None
        assert (stamp.wall_ms, stamp.offset_minutes) == (minute + milliseconds, offset)
    assert reader.of_line(b"[2026-13-21T12:00:01.250+0800][1.2s] GC(1)") is None

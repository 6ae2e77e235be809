"""The quick way to read the lines of -Xlog:gc gives what the long way gives."""

from __future__ import annotations

import itertools
import re

import msgspec
import pytest

from mqdiag.logs import pauses, usual_pauses
from mqdiag.logs.collections import GcTally
from mqdiag.logs.pause_lines import tells_nothing
from tests.folded import folded
from tests.layers import one_in_each_run, some_later
from tests.logs.given import read

PAUSES = (
    "GC(1) Pause Young (Normal) (G1 Evacuation Pause) 24M->5M(256M) 4.500ms",
    "GC(1) Pause Young (Normal) (G1 Evacuation Pause) 24M->5M(256M) 4,500ms\r",
    "GC(1) Pause Young (Normal) (G1 Evacuation Pause) (Evacuation Failure) 250M->249M(256M) 4.500ms",
    "GC(1) Pause Young (G1 Evacuation Pause) (To-space exhausted) 250M->249M(256M) 4.500ms",
    "GC(1) Pause Full (System.gc()) 250M->249M(256M) 400.000ms",
    "GC(1) Pause Full (G1 Compaction Pause) 250M->249M(256M) 400.000ms",
    "GC(1) Pause Full (Metadata GC Threshold) 250M->249M(256M) 400.000ms",
    "GC(1) Pause Full 250M->249M(256M) 400.000ms",
    "GC(1) Pause Full GC 250.50M->249.25M 400.000ms",
    "GC(1) Pause Full (Last ditch collection) 256K->1B(1G) 400ms",
    "GC(1) Pause Allocation Stall (High Usage) 250M->249M(256M) 4.500ms",
    "GC(1) Pause Young (a (b) c) 24M->5M(256M) 4.500ms",
    "GC(1) Pause Young (a) 24M->5M(256M) 4.500ms 5M->4M(256M) 7ms",
    "GC(1) Pause Young (a) 24M->5M(256M) 4.500ms (b) 5M->4M(256M) 7ms",
    "GC(1) Pause Young 1 24M->5M(256M) 4.500ms",
    "GC(1) Pause Young (a) GC(2) Pause Full 24M->5M(256M) 4.500ms",
    "GC(1) Pause Young (\u00e4 \u0663) 24M->5M(256M) 4.500ms",
    "GC(1) Pause Young (a) 24M->5M(256M) 4.500ms, and more",
    "GC(1) Pause Remark 249M->249M(256M) 3.000ms",
    "GC(1) Pause Cleanup 3.000ms",
    "GC(1) Garbage Collection (Warmup) 58M(91%)->57M(89%)",
    "GC(1) Major Collection (Allocation Stall) 58M(91%)->57M(89%) 0.012s",
    "GC(1) Garbage Collection (Warmup) Pause 58M(91%)->57M(89%)",
    "GC(1) Pause Mark Start 0.012ms",
    "GC(1) Pause Anything in an unknown form: 3ms",
)
BEGINNINGS = (
    "GC(1) Pause Young (Normal) (G1 Evacuation Pause)",
    "GC(1) Pause Full (Ergonomics)",
    "GC(1) Pause Remark",
    "GC(1) Pause Young (Evacuation Failure)",
    "GC(1) Pause Young (To-space exhausted)",
    "GC(1) Pause Young Allocation Stall (main)",
)
DECORATIONS = (
    "[2026-11-21T12:00:{second:02d}.104+0800][{second}.104s][info][gc          ] ",
    "[2026-11-21T12:00:{second:02d}.104-0330][{second}.104s][info][gc,start    ] ",
    "[2026-11-21T12:00:{second:02d}.104+0800][info][gc] ",
    "[{second}.104s][info][gc] ",
    "[{second}104ms][info][gc] ",
    "[2026-11-21T12:00:{second:02d}.104+0800][{second}.104s][{second}.204s][info][gc] ",
    "[2026-11-21T12:00:{second:02d}.104+0800][{second}.104s][gc,[x] ",
    "\x1b[32m[2026-11-21T12:00:{second:02d}.104+0800][{second}.104s][info][gc] ",
    "2026-11-21T12:00:{second:02d}.104Z stdout F [{second}.104s][info][gc] ",
    "",
)


def _told(text: str) -> bytes:
    log = read(text, "gc.log")
    return msgspec.json.encode((log.tally.gc, log.tally.zone_minutes, log.tally.span, log.counts))


def _by_the_long_way(text: str, monkeypatch: pytest.MonkeyPatch) -> bytes:
    with monkeypatch.context() as patch:
        patch.setattr(usual_pauses, "_USUAL", re.compile(b"(?!)"))
        patch.setattr(pauses, "tells_nothing", lambda line: False)
        return _told(text)


@one_in_each_run(4)
@pytest.mark.parametrize(
    ("text", "decoration"),
    some_later(
        itertools.product(PAUSES + BEGINNINGS, DECORATIONS),
        lambda case: case[0] != PAUSES[0] and case[1] != DECORATIONS[0],
    ),
)
def test_each_line_counts_the_same(text: str, decoration: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = (
        "[2026-11-21T12:00:00.900+0800][0.900s][info][gc] GC(0) Pause Young (Normal) (G1) 24M->5M(256M) 4.5ms\n"
    )
    log = known + "".join(decoration.format(second=second) + text + "\n" for second in (3, 2, 9))
    assert _told(log) == _by_the_long_way(log, monkeypatch)


def test_a_mixed_log_counts_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    log = "".join(
        decoration.format(second=number % 50 + 3) + text + "\n"
        for decoration in DECORATIONS
        for number, text in enumerate(PAUSES + BEGINNINGS)
    )
    assert _told(log) == _by_the_long_way(log, monkeypatch)


def test_usual_lines_are_taken_by_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(GcTally, "see", lambda self, message, at: seen.append(message.text))
    texts = (PAUSES[0], BEGINNINGS[0], PAUSES[2], PAUSES[4], PAUSES[0])
    log = "".join(
        DECORATIONS[number % 3].format(second=number) + text + "\n" for number, text in enumerate(texts)
    )
    tally = read(log, "gc.log").tally.gc
    assert (tally.collections, tally.full) == (3, 1)
    (left,) = seen
    assert PAUSES[2] in left


def test_a_line_without_a_duration_may_be_the_first_with_a_zone() -> None:
    """The zone of a log is that of the first of its lines that are looked at."""
    first = "[2026-11-21T12:00:01.100+0800][1.100s][info][gc,start] GC(0) Pause Young (Normal) (G1)\n"
    second = (
        "[2026-11-21T04:00:01.104+0000][1.104s][info][gc] GC(0) Pause Young (Normal) (G1) 24M->5M(256M) 4ms\n"
    )
    assert read(first + second, "gc.log").tally.zone_minutes == 480


@folded(
    "line, nothing",
    [
        (b"[1.1s][info][gc,start] GC(0) Pause Young (Normal) (G1 Evacuation Pause)", True),
        (b"[1.1s][info][gc] GC(0) Pause Young 24M->5M(256M) 4.5ms", False),
        # colours may stand within a word, and JSON may write a letter as a number
        (b"[1.2s][info][gc] GC(1) Pause Young 24M->5M(256M) 4.5m\x1b[Ks", False),
        (b'{"log":"[1.1s][info][gc] GC(0) Pause Young 24M->5M(256M) 4.5\\u006ds","level":"info"}\r', False),
        (b"1.5: [GC (Allocation Failure) Pause 33280K->5112K(125952K), 0.0046 secs]", False),
    ],
)
def test_what_is_passed_over(line: bytes, nothing: bool) -> None:
    assert tells_nothing(line) is nothing

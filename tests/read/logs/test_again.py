"""A log that somebody appended to itself says everything once."""

from __future__ import annotations

import random

import pytest

from mqdiag.read.logs.again import without_copies

LOG = b"".join(
    b"2026-11-21 20:%02d:%02d,123 INFO  main - line %d\n" % (at // 60, at % 60, at) for at in range(900)
)
SHORT = b"".join(LOG.splitlines(keepends=True)[:12])
MORE = b"2026-11-21 21:00:00,000 WARN  main - more\n"
TWO = MORE.replace(b"21:00:00,000", b"21:00:00,001")


def read(data: bytes, step: int) -> bytes:
    return b"".join(without_copies(data[at : at + step] for at in range(0, len(data), step)))


@pytest.mark.parametrize("log", [SHORT, LOG], ids=["short", "long"])
@pytest.mark.parametrize("step", [700, 1 << 20])
def test_what_is_there_again_is_left_out(log: bytes, step: int) -> None:
    assert read(log, step) == log
    assert read(log * 3, step) == log
    assert read(MORE + TWO + MORE + TWO, step) == MORE + TWO
    assert read(log + log + MORE, step) == log + MORE
    assert read(log + MORE + log + MORE + MORE, step) == log + MORE + MORE


@pytest.mark.parametrize("step", [700, 1 << 20])
def test_no_other_line_is_lost(step: int) -> None:
    changed = LOG.replace(b"line 700", b"line x")
    lines = read(LOG + changed, step)
    assert lines.startswith(LOG)
    assert b" - line x\n" in lines
    assert set(lines.splitlines()) == {*LOG.splitlines(), *changed.splitlines()}
    for few in (MORE * 30, (MORE + MORE.replace(b"more", b"less")) * 4, SHORT[:200] * 4, b"no time\n" * 40):
        assert read(few, step) == few


def test_first_lines_that_begin_no_copy_cost_no_more() -> None:
    draw = random.Random(1)
    first = LOG.splitlines(keepends=True)[0]
    data = LOG + b"".join(first + b"%d\n" % draw.randrange(9) for _ in range(20_000))
    assert read(data, 1 << 20) == data

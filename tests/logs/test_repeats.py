"""Excerpts that say the same again and again, and stacks that a log repeats."""

from __future__ import annotations

import pytest

from mqdiag.logs import message
from mqdiag.logs.repeats import repeated_text
from tests.logs.given import line, read

LAG = "Slave fall behind master: {gap} bytes"


def repeated(*texts: str) -> tuple[str, int] | None:
    return repeated_text("".join(texts).encode().split(b"\n"))


def lags(*gaps: int, level: str = "INFO") -> tuple[str, int] | None:
    lines = [line(LAG.format(gap=gap), second=second, level=level) for second, gap in enumerate(gaps)]
    return repeated(*lines)


def test_the_same_text_at_other_times_is_a_repetition() -> None:
    assert lags(192, 192, 192) == ("INFO main - Slave fall behind master: 192 bytes", 3)


@pytest.mark.parametrize("gaps", [(192, 192), (192, 200, 208), (192,) * 30, (192, 192, 192, 1, 2, 3, 4)])
def test_two_lines_numbers_that_move_and_longer_logs_are_none(gaps: tuple[int, ...]) -> None:
    assert lags(*gaps) is None


def test_warnings_and_stack_frames_are_left_to_others() -> None:
    assert lags(192, 192, 192, level="WARN") is None
    assert repeated("\tat a.B.c(B.java:1)\n" * 4) is None
    assert (
        repeated("For more information, please visit the url, http://rocketmq.apache.org/docs/faq/\n" * 4)
        is None
    )


def test_a_repeated_stack_is_looked_at_once() -> None:
    frames = "".join(
        f"\tat org.apache.rocketmq.remoting.X.call{number}(X.java:{number})\n" for number in range(10)
    )
    record = line("RemotingSendRequestException: send request to <10.1.2.3:9876> failed") + frames
    message.line_of_stack.cache_clear()
    message._joined_frames.cache_clear()
    read(line("started") + record * 100)  # a log that repeats its first line may be a copy of itself
    stacks, lines = message._joined_frames.cache_info(), message.line_of_stack.cache_info()
    # the last one may go on behind the end of the log: its lines are looked at one by one
    assert (stacks.misses, stacks.hits) == (1, 98)
    # the others are the next record, below each stack, and the end of the log
    assert (lines.misses, lines.hits) == (10 + 2, 98)

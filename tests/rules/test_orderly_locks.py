"""orderly-lock-lost from a client's log: pulls that are put off until the broker has locked the queue."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from mqdiag.language import english

BEGIN = datetime(2026, 11, 21, 20)
QUEUE = "MessageQueue [topic=pay, brokerName=broker-a, queueId=7]"
LATER = (
    "pull message later because not locked in broker, PullRequest"
    f" [consumerGroup=pay-consumer, messageQueue={QUEUE}, nextOffset=88]"
)
LOCKED = f"the message queue locked OK, Group: pay-consumer {QUEUE}"


def report(folder: Path, lines: list[tuple[int, str]]) -> Report:
    """What is said of lines of (second, text)."""
    log = folder / "rocketmq_client.log"
    log.write_text(
        "".join(
            f"{(BEGIN + timedelta(seconds=second)):%F %T},000 INFO RocketmqClient - {text}\n"
            for second, text in lines
        )
    )
    return diagnose_logs([log]).report


def every_3_seconds(seconds: int) -> list[tuple[int, str]]:
    return [(second, LATER) for second in range(0, seconds + 1, 3)]


def said(given: Report) -> list[str]:
    return [found.rule for found in given.findings]


def test_a_queue_that_stays_unlocked_is_told_with_its_time(tmp_path: Path) -> None:
    given = report(tmp_path, every_3_seconds(120))
    (found,) = [one for one in given.findings if one.rule == "orderly-lock-lost"]
    assert found.evidence["waited_ms"] == 120_000
    assert (found.subject.group, found.subject.queue_id) == ("pay-consumer", 7)


@pytest.mark.parametrize(
    "lines",
    [
        [*every_3_seconds(18), (20, LOCKED)],
        [*every_3_seconds(75), (78, LOCKED)],
        [(0, LATER), (3, LATER), (20, LOCKED), (3600, LATER), (3603, LATER), (3620, LOCKED)],
    ],
    ids=["a start of 4.x", "a client that was killed", "two starts"],
)
def test_the_time_until_the_next_turn_is_not(lines: list[tuple[int, str]], tmp_path: Path) -> None:
    given = report(tmp_path, lines)
    assert "orderly-lock-lost" not in said(given)
    assert given.answer is not None
    assert "has locked" not in english()(given.answer.reason)


def test_an_excerpt_that_ends_before_the_lock_is_no_all_clear(tmp_path: Path) -> None:
    given = report(tmp_path, every_3_seconds(15))
    assert given.answer is not None
    assert given.answer.state == "undecided"
    assert "1 queue" in english()(given.answer.reason)

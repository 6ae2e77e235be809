"""A timer wheel that stands, by counters and by its lines of progress."""

from __future__ import annotations

import pytest
from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, BrokerConfig, BrokerStatus
from mqdiag.language import english
from mqdiag.rules import timer_stuck
from tests.folded import folded
from tests.logs import given
from tests.rules import checks


def _of_counters(out_s: int, waiting: int, tps: str, stop: str = "false") -> Facts:
    values = {
        "timerReadBehind": str(out_s),
        "timerOffsetBehind": str(waiting),
        "timerDequeueTps": tps,
        "timerEnqueueTps": tps,
    }
    status = BrokerStatus(source="brokerStatus.txt", values=values)
    config = BrokerConfig(source="getBrokerConfig.txt", settings={"timerStopEnqueue": stop})
    return Facts(admin=AdminFacts(broker_statuses=(status,), broker_configs=(config,)))


def _slave(facts: Facts) -> Facts:
    assert facts.admin is not None
    config = BrokerConfig(source="getBrokerConfig.txt", settings={"brokerRole": "SLAVE"})
    return Facts(admin=structs.replace(facts.admin, broker_configs=(config,)))


def _of_progress(*lines: tuple[int, int, int], read: int = 10, role: str = "ASYNC_MASTER") -> str:
    """A log with a line every ten seconds, of (seconds behind, offset, messages before it).

    Args:
        lines: what each says.
        read: seconds that the way out goes on from line to line.
        role: of the broker.
    """
    return "".join(
        f"2026-11-28 17:{number // 6:02d}:{number % 6}0 INFO TimerFlushService - [{role}]Timer progress-check "
        f"commitRead:[11-28 17:00:00] currRead:[11-28 16:{number * read // 60:02d}:{number * read % 60:02d}] "
        f"currWrite:[11-28 17:00:00] readBehind:{out} currReadOffset:{offset} offsetBehind:{waiting} "
        "behindMaster:0 enqPutQueue:0 deqGetQueue:0 deqPutQueue:0 allCongestNum:0 enqExpiredStoreTime:0\n"
        for number, (out, offset, waiting) in enumerate(lines)
    )


_STOPPED = [(0, 5, 300 * number) for number in range(9)]


@folded(
    "logs, title",
    [
        pytest.param([_of_progress(*_STOPPED)], "takes no message in", id="takes-none"),
        pytest.param([_of_progress(*_STOPPED[:-1], (0, 5, 2099))], "takes no message in", id="one-less"),
        pytest.param(
            [_of_progress(*_STOPPED[:-2], (1, 5, 2100), (0, 5, 2400))], "takes no message in", id="jitter"
        ),
        pytest.param([_of_progress(*[(0, 60_000 * n, 90 + n) for n in range(20)])], None, id="busy"),
        pytest.param(
            [_of_progress(*[(70 + n, 9, 0) for n in range(9)], (77, 9, 0), read=9)],
            "The timer wheel is 77 s behind",
            id="slower",
        ),
        pytest.param(
            [_of_progress(*[(0, n, 5000 - n) for n in range(9)])], "4,992 messages wait", id="trickles"
        ),
        pytest.param(
            [_of_progress(*[(3600, 9, 5000 - n) for n in range(9)], read=0)], "gives out no", id="both"
        ),
        pytest.param(
            [_of_progress(*[(3600 - 90 * n, 9, 0) for n in range(9)], read=100)], None, id="catches-up"
        ),
        pytest.param([_of_progress((300, 9, 0))], "The timer wheel is 5 min behind", id="one-line"),
        pytest.param([_of_progress((0, 9, 160))], None, id="one-line-of-few"),
        pytest.param([_of_progress((0, 9, 50_000))], "50,000 messages wait", id="one-line-of-many"),
        pytest.param(
            [_of_progress(*[(3600 + 10 * n, 9, 0) for n in range(9)], read=0, role="SLAVE")], None, id="slave"
        ),
        pytest.param(
            [
                _of_progress(*_STOPPED).replace("-28 ", "-27 "),
                _of_progress(*[(0, 5 + n, 0) for n in range(9)]),
            ],
            None,
            id="over-in-the-later-log",
        ),
    ],
)
def test_lines_of_progress(logs: list[str], title: str | None) -> None:
    """Each side by itself, over a minute: what it did in the last line alone decides nothing."""
    names = ("store.1.log", "store.log")[-len(logs) :]
    found = checks.findings(timer_stuck, Facts(logs=given.facts(*logs, names=names)))
    titles = [english()(one.title) for one in found]
    assert len(titles) == (title is not None), titles
    assert all(str(title) in one for one in titles), titles


@folded(
    "facts, causes",
    [
        pytest.param(_of_counters(0, 0, "0.0"), [], id="idle"),
        pytest.param(_of_counters(300, 0, "0.0"), ["behind"], id="gives-none"),
        pytest.param(_of_counters(300, 5000, "812.5"), [], id="works"),
        pytest.param(_of_counters(0, 658, "0.0", "true"), ["stopped-by-setting"], id="stopped"),
        pytest.param(_of_counters(0, 658, "0.0"), ["behind"], id="takes-none"),
        pytest.param(_slave(_of_counters(7200, 658, "0.0")), [], id="slave"),
    ],
)
def test_a_wheel_that_stands(facts: Facts, causes: list[str]) -> None:
    assert [one.cause for one in checks.findings(timer_stuck, facts)] == causes

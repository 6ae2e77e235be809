"""A timer wheel that stands, by counters and by its lines of progress."""

from __future__ import annotations

import pytest

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, BrokerConfig, BrokerStatus
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.rules import timer_stuck
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


def _of_progress(out_s: int, catches_up: int) -> Facts:
    values = {"out_behind_s": out_s, "in_behind": 0, "catches_up": catches_up}
    event = LogEvent(kind="timer-progress", side="broker", count=30, values=values)
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


@pytest.mark.parametrize(
    ("facts", "causes"),
    [
        pytest.param(_of_counters(0, 0, "0.0"), [], id="idle"),
        pytest.param(_of_counters(300, 0, "0.0"), ["behind"], id="gives-none"),
        pytest.param(_of_counters(300, 5000, "812.5"), [], id="works"),
        pytest.param(_of_counters(0, 658, "0.0", "true"), ["stopped-by-setting"], id="stopped"),
        pytest.param(_of_counters(0, 658, "0.0"), ["behind"], id="takes-none"),
        pytest.param(_of_progress(300, 0), ["behind"], id="by-log"),
        pytest.param(_of_progress(300, 1), [], id="catches-up"),
    ],
)
def test_a_wheel_that_stands(facts: Facts, causes: list[str]) -> None:
    assert [one.cause for one in checks.findings(timer_stuck, facts)] == causes

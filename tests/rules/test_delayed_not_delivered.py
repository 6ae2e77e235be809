"""Delay levels that stand, by a broker's log and by two answers of brokerStatus."""

from __future__ import annotations

import pytest

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, BrokerConfig, BrokerListed, BrokerStatus
from mqdiag.rules import delayed_not_delivered
from tests.folded import folded
from tests.logs import given
from tests.rules import checks

_TOO_LARGE = (
    "message body size exceeded, msg total size: 6815900, msg body size: 6815700, maxMessageSize: 5242880"
)


def _tried(offset: int, status: str, level: int = 3, thread: str = "ScheduleMessageTimerThread_1") -> str:
    """What 4.9.7 writes each time, at second SECOND."""
    sized = f"{_TOO_LARGE}\n" if status == "MESSAGE_ILLEGAL" else ""
    put = (
        "ScheduleMessageService put message failed. info: PutMessageResult "
        f"[putMessageStatus={status}, appendMessageResult=null].\n"
        f"ScheduleMessageService onException, info: PutResultProcess{{topic='orders', offset={offset}, "
        f"physicOffset=15370, physicSize=834, delayLevel={level}, msgId='7F00', autoResend=false, status=RUNNING}}\n"
    )
    return "".join(f"2026-11-28 SECOND WARN {thread} - {line}\n" for line in (sized + put).splitlines())


def _log(*lines: tuple[int, str]) -> Facts:
    """Lines by their second since 17:00."""
    text = "".join(line.replace("SECOND", f"17:{second // 60:02d}:{second % 60:02d}") for second, line in lines)
    return Facts(logs=given.facts(text, names=("store.log",)))


_OF_CLIENT = f"2026-11-28 SECOND WARN SendMessageThread_3 - {_TOO_LARGE}\n"
_LATER = "2026-11-28 SECOND INFO main - another line\n"
_SIZE = [(n, _tried(57, "MESSAGE_ILLEGAL")) for n in range(20)]

_RESENDS = "ScheduleMessageExecutorHandleThread_2"
_BUSY = [(n, _tried(57, "OS_PAGE_CACHE_BUSY", thread=_RESENDS)) for n in range(20)]
_WENT_ON = (
    f"2026-11-28 SECOND INFO {_RESENDS} - Resend message success, info: PutResultProcess{{{{topic='orders', "
    "offset={}, physicOffset=15370, physicSize=834, delayLevel=3, msgId='7F00', autoResend=true, status=SUCCESS}}\n"
)


@folded(
    "lines, found",
    [
        pytest.param(_SIZE, ("error", 7340032), id="too-large"),
        pytest.param([*_SIZE, (600, _LATER)], None, id="too-large-and-over"),
        pytest.param(
            [(n, _OF_CLIENT + _tried(57, "SERVICE_NOT_AVAILABLE")) for n in range(20)],
            ("warning", None),
            id="a-send-is-too-large",
        ),
        pytest.param(
            [(n, _tried(57, "MESSAGE_ILLEGAL", thread=_RESENDS)) for n in range(20)],
            ("error", 7340032),
            id="async",
        ),
        pytest.param([*_BUSY, (20, _WENT_ON.format(57))], None, id="async-stored-at-last"),
        pytest.param([*_BUSY, (20, _WENT_ON.format(56))], ("warning", None), id="async-another-stored"),
        pytest.param([(0, _tried(57, "OS_PAGE_CACHE_BUSY"))] * 14, None, id="a-moment"),
        pytest.param([(n, _tried(57 + n // 5, "OS_PAGE_CACHE_BUSY")) for n in range(40)], None, id="moves"),
    ],
)
def test_a_level_that_one_message_blocks(
    lines: list[tuple[int, str]], found: tuple[str, int | None] | None
) -> None:
    """One and the same message, to the end of the log; its size is the reason where its own thread says so."""
    findings = checks.findings(delayed_not_delivered, _log(*lines))
    assert [(one.severity, one.evidence.get("raise_to")) for one in findings] == (
        [] if found is None else [found]
    )


def test_before_4_9_lines_have_no_level() -> None:
    line = "2026-11-28 SECOND {} ScheduleMessageTimerThread - {}\n"
    reput = "ScheduleMessageService, a message time up, but reput it failed, topic: orders msgId 7F00"
    both = line.format("WARN", _TOO_LARGE) + line.format("ERROR", reput)
    (found,) = checks.findings(delayed_not_delivered, _log(*[(n, both) for n in range(20)]))
    assert found.evidence["raise_to"] == 7340032


def _asked_twice(**extra: str) -> AdminFacts:
    statuses = [
        BrokerStatus(
            source=f"brokerStatus-{n}.txt",
            address="10.0.0.1:10911",
            asked_at=f"2026-11-28T17:0{2 * n}:00+00:00",
            values={"bootTimestamp": "1", "scheduleMessageOffset_5": f"59,{960 + 10 * n}", **extra},
        )
        for n in range(2)
    ]
    return AdminFacts(broker_statuses=tuple(statuses))


_LISTED = BrokerListed(source="clusterList.txt", broker="broker-a", broker_id=1, address="10.0.0.1:10911")


@pytest.mark.parametrize(
    ("admin", "stands"),
    [
        pytest.param(_asked_twice(), True, id="stands"),
        pytest.param(_asked_twice(brokerActive="false"), False, id="slave-of-5.x"),
        pytest.param(
            AdminFacts(broker_statuses=_asked_twice().broker_statuses, brokers=(_LISTED,)),
            False,
            id="listed-as-slave",
        ),
        pytest.param(
            AdminFacts(
                broker_statuses=_asked_twice().broker_statuses,
                broker_configs=(BrokerConfig(source="getBrokerConfig.txt", settings={"brokerRole": "SLAVE"}),),
            ),
            False,
            id="set-up-as-slave",
        ),
    ],
)
def test_the_levels_of_a_slave_rest(admin: AdminFacts, *, stands: bool) -> None:
    assert bool(checks.findings(delayed_not_delivered, Facts(admin=admin))) == stands


def test_counters_hold_where_the_log_says_nothing_of_now() -> None:
    logs = _log((0, _tried(57, "OS_PAGE_CACHE_BUSY")), (600, _LATER)).logs
    (found,) = checks.findings(delayed_not_delivered, Facts(admin=_asked_twice(), logs=logs))
    assert found.cause == "delay-level-stands"

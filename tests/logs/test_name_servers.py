"""Brokers that name servers took away, by the lines that 4.x and 5.x write."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs

IDLE = "NETTY SERVER PIPELINE: IDLE exception [10.0.0.1:40000]"
ENDED_4 = "the broker's channel destroyed, 10.0.0.1:10911, clean it's data structure at once"
ENDED_5 = (
    "the broker's channel destroyed, submit the unregister request at once, broker info: "
    "org.apache.rocketmq.remoting.protocol.header.namesrv.UnRegisterBrokerRequestHeader@67f55cdf, submit result: true"
)
BROKER = "BrokerIdentityInfo [clusterName=shop, brokerAddr=10.0.0.1:10911]"
REMOVED = f"unregisterBroker, remove from brokerLiveTable OK, {BROKER}"
EXPIRED = (
    "The broker channel expired, BrokerIdentityInfo [clusterName=shop, brokerAddr=10.0.0.1:10911] 120000ms"
)


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        pytest.param([ENDED_4], "connection-lost", id="4.x-ended"),
        pytest.param([IDLE, ENDED_4], "registrations-stopped", id="4.x-idle"),
        pytest.param([ENDED_5, REMOVED], "connection-lost", id="5.x-ended"),
        pytest.param([IDLE, ENDED_5, REMOVED], "registrations-stopped", id="5.x-idle"),
        pytest.param([EXPIRED, ENDED_5, REMOVED], "registrations-stopped", id="5.x-expired"),
        pytest.param([REMOVED], None, id="in-order"),
    ],
)
def test_why_a_broker_was_taken_away(lines: list[str], cause: str | None, tmp_path: Path) -> None:
    """A broker that takes leave is no fault, and each loss counts once."""
    registered = [f"new broker registered, {BROKER} HAService: 10.0.0.1:10912"]
    fill = ["start scanNotActiveBroker"] * 20
    log = tmp_path / "namesrv.log"
    text = ""
    for number, line in enumerate([*registered, *fill, *lines]):
        level = "WARN" if line in (IDLE, EXPIRED) else "INFO"
        text += f"2026-11-28 17:2{number // 20}:{number % 20 + 10} {level} NSScanScheduledThread - {line}\n"
    log.write_text(text)
    found = [one for one in diagnose_logs([log]).report.findings if one.rule == "broker-forgotten"]
    assert [one.cause for one in found] == ([] if cause is None else [cause])
    assert [one.evidence["times"] for one in found] == [1] * len(found)


TOPIC = (
    "new topic registered, orders QueueData [brokerName=broker-a, readQueueNums=4, writeQueueNums=4, perm=6]"
)
CHANGED = f"topic changed, orders OLD: {TOPIC[29:]} NEW: {TOPIC[29:].replace('4', '8')}"
SECOND = BROKER.replace("10.0.0.1", "10.0.0.2")


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        pytest.param(
            [("T2", CHANGED), ("T2", f"new broker registered, {SECOND} HAService: x")], True, id="second-master"
        ),
        pytest.param([("T2", f"new broker registered, {SECOND} HAService: x")], False, id="slave"),
        pytest.param(
            [("T2", CHANGED), ("T3", f"new broker registered, {SECOND} HAService: x")], False, id="thread"
        ),
        pytest.param(
            [("B", REMOVED), ("T2", CHANGED), ("T2", f"new broker registered, {SECOND} HAService: x")],
            False,
            id="moved",
        ),
    ],
)
def test_two_masters_of_one_name(lines: list[tuple[str, str]], found: bool, tmp_path: Path) -> None:
    """A master registers its topics in the thread and just before its own line; one that was taken away has moved."""
    first = [("T1", TOPIC), ("T1", f"new broker registered, {BROKER} HAService: x")]
    fill = [("S", "start scanNotActiveBroker")] * 20
    log = tmp_path / "namesrv.log"
    log.write_text(
        "".join(
            f"2026-11-28 17:2{number // 10}:00 INFO {thread} - {line}\n"
            for number, (thread, line) in enumerate([*first, *fill, *lines])
        )
    )
    rules = {one.rule for one in diagnose_logs([log]).report.findings}
    assert ("duplicate-broker-identity" in rules) is found

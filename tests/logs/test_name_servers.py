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
            [("T1", f"new broker registered, {SECOND} HAService: x")], False, id="slave-in-its-thread"
        ),
        pytest.param(
            [("T2", CHANGED), ("T2 +3", f"new broker registered, {SECOND} HAService: x")], False, id="later"
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
    if lines[0][0] != "T1":
        first += [("S", "start scanNotActiveBroker")] * 20
    log = tmp_path / "namesrv.log"
    log.write_text(
        "".join(
            f"2026-11-28 17:2{number // 10}:0{thread[4:] or 0} INFO {thread[:2].strip()} - {line}\n"
            for number, (thread, line) in enumerate([*first, *lines])
        )
    )
    rules = {one.rule for one in diagnose_logs([log]).report.findings}
    assert ("duplicate-broker-identity" in rules) is found


ENDED_6 = (
    "the broker's channel destroyed, submit the unregister request at once, broker info: UnRegisterBrokerRequestHeader"
    "{{brokerName='broker-a', brokerAddr='{}:10911', clusterName='shop', brokerId=0}}, submit result: true"
)


FILL = "start scanNotActiveBroker"


def _text(lines: list[tuple[str, str]]) -> str:
    return "".join(
        f"2026-11-28 {at} {'WARN' if 'expired' in line else 'INFO'} T1 - {line}\n" for at, line in lines
    )


def _forgotten(folder: Path, **logs: list[tuple[str, str]]) -> dict[str | None, str]:
    """Severity by broker; lines have their times of the day."""
    for name, lines in logs.items():
        (folder / name).mkdir()
        (folder / name / "namesrv.log").write_text(_text([("17:00:00", FILL)] * 20 + lines))
    found = diagnose_logs([*folder.glob("*/namesrv.log")]).report.findings
    return {one.subject.broker: one.severity.value for one in found if one.rule == "broker-forgotten"}


@pytest.mark.parametrize("has_address", [True, False])
def test_each_broker_has_a_loss_of_its_own(has_address: bool, tmp_path: Path) -> None:
    """One that takes leave seconds after another's connection ended is not lost; two that are lost are two."""
    ended = [ENDED_6.format(host) if has_address else ENDED_5 for host in ("10.0.0.1", "10.0.0.7")]
    gone = [REMOVED, REMOVED.replace("10.0.0.1", "10.0.0.7")]
    leaves = [("18:02:05", ended[0]), ("18:02:05", gone[0]), ("18:02:08", gone[1])]
    assert _forgotten(tmp_path, one=leaves) == {"10.0.0.1:10911": "error"}
    both = [("18:02:05", EXPIRED), *leaves[:2], ("18:02:08", ended[1]), leaves[2]]
    assert set(_forgotten(tmp_path, two=both)) == {"10.0.0.1:10911", "10.0.0.7:10911"}


def test_a_master_that_moved_is_not_lost(tmp_path: Path) -> None:
    come = [("17:30:00", TOPIC), ("17:30:00", f"new broker registered, {BROKER} HAService: x")]
    moved = [("18:00:40", CHANGED), ("18:00:40", f"new broker registered, {SECOND} HAService: x")]
    assert _forgotten(tmp_path, moved=[*come, *moved, ("18:02:05", EXPIRED)]) == {}
    slave = [("18:00:40", f"new broker registered, {SECOND} HAService: x")]
    assert _forgotten(tmp_path, slave=[*come, *slave, ("18:02:05", EXPIRED)]) == {"10.0.0.1:10911": "error"}


def test_a_broker_is_back_where_it_was_taken_away(tmp_path: Path) -> None:
    """Its registration at another name server does not bring it back to the first one."""
    back = [("19:30:10", f"new broker registered, {BROKER} HAService: x")]
    assert _forgotten(tmp_path, first=[("18:02:05", EXPIRED)], second=back) == {"10.0.0.1:10911": "error"}
    (tmp_path / "x").mkdir()
    assert _forgotten(tmp_path / "x", first=[("18:02:05", EXPIRED), *back]) == {"10.0.0.1:10911": "warning"}


def test_the_return_of_a_broker_is_told_in_the_zone_of_its_loss(tmp_path: Path) -> None:
    registered = f"new broker registered, {BROKER} HAService: 10.0.0.1:10912"
    lines = [registered, *["start scanNotActiveBroker"] * 20, EXPIRED, ENDED_5, REMOVED, registered]
    log = tmp_path / "namesrv.log"
    log.write_text(
        "".join(
            f"2026-11-28 17:20:{number + 10} {'WARN' if line == EXPIRED else 'INFO'} NSScanScheduledThread - {line}\n"
            for number, line in enumerate(lines)
        )
    )
    (found,) = [one for one in diagnose_logs([log]).report.findings if one.rule == "broker-forgotten"]
    assert found.evidence["taken_away_at"] == "2026-11-28T17:20:31+08:00"
    assert found.evidence["back_at"] == "2026-11-28T17:20:34+08:00"


@pytest.mark.parametrize(
    ("names", "severity"),
    [
        pytest.param(("namesrv-a.log", "namesrv-b.log"), "error", id="by-name"),
        pytest.param(("namesrv-1.log", "namesrv-2.log"), "error", id="by-times"),
        pytest.param(("namesrv.log.1", "namesrv.log"), "warning", id="rotated"),
        pytest.param(("otherdays/namesrv.1.log", "namesrv.log"), "warning", id="otherdays"),
    ],
)
def test_logs_of_two_name_servers_in_one_folder(names: tuple[str, str], severity: str, tmp_path: Path) -> None:
    """A broker that one took away and the other registered is back at neither, except where both logs are one's."""
    begin = "17:00:00" if severity == "error" else "19:30:00"
    back = ("19:30:10", f"new broker registered, {BROKER} HAService: x")
    for name, lines in zip(
        names, ([("17:00:00", FILL), ("18:02:05", EXPIRED)], [(begin, FILL), back]), strict=True
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(_text([*lines[:1] * 20, *lines[1:]]))
    found = diagnose_logs([tmp_path / name for name in names]).report.findings
    assert [one.severity for one in found if one.rule == "broker-forgotten"] == [severity]

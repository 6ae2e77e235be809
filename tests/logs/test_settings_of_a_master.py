"""A slave that does not copy the settings of its master, and one that copies them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Finding, Severity
from mqdiag.language import english

MASTER, OTHER = "10.8.8.8:10911", "10.8.8.9:10911"


def failed(minute: int, master: str = MASTER) -> str:
    """Three rounds in which the master was away."""
    return "".join(
        f"2026-11-21 20:{minute:02d}:{second:02d} ERROR SlaveSynchronize - SyncTopicConfig Exception, {master}\n"
        f"org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to {master} failed\n"
        "\tat org.apache.rocketmq.broker.out.BrokerOuterAPI.getAllTopicConfig(BrokerOuterAPI.java:1)\n"
        "\tat org.apache.rocketmq.broker.slave.SlaveSynchronize.syncTopicConfig(SlaveSynchronize.java:1)\n"
        for second in (0, 10, 20)
    )


def copied(minute: int, second: int = 30, master: str = MASTER) -> str:
    """A round in which the master answered."""
    return (
        f"2026-11-21 20:{minute:02d}:{second:02d} INFO BrokerControllerScheduledThread1 - Update slave consumer offset"
        f" from master, {master}\n"
    )


def found_in(tmp_path: Path, *logs: str) -> Finding:
    """What is said of the settings."""
    paths = [tmp_path / f"broker.{number}.log" for number in range(len(logs))]
    for path, text in zip(paths, logs, strict=True):
        path.write_text(text)
    (finding,) = (one for one in diagnose_logs(paths).report.findings if one.cause == "settings-not-copied")
    return finding


@pytest.mark.parametrize(
    "logs",
    [
        (copied(0) + failed(5) + copied(6) + copied(9),),
        (copied(0) + failed(5), copied(6) + copied(9)),
        # a container that comes back with another address
        (copied(0) + failed(5) + copied(9, master=OTHER),),
    ],
)
def test_a_master_that_came_back_is_told_in_the_past(logs: tuple[str, ...], tmp_path: Path) -> None:
    finding = found_in(tmp_path, *logs)
    assert finding.severity is Severity.INFO
    title = english()(finding.title)
    assert title.startswith("A slave could not copy the settings of its master from 2026-11-21 20:05:00 ")
    assert title.endswith(", and copies them again")
    assert str(finding.evidence["copied_again_until"]).startswith("2026-11-21T20:09:30")


@pytest.mark.parametrize(
    "logs",
    [
        (failed(5),),
        (copied(0) + failed(5),),
        # of one round the offsets arrive, the topics do not
        ("".join(failed(minute) + copied(minute) for minute in range(5, 9)),),
        # another slave copies from another master
        (failed(5), copied(9, master=OTHER)),
    ],
)
def test_a_master_that_may_still_be_away_is_told_in_the_present(logs: tuple[str, ...], tmp_path: Path) -> None:
    finding = found_in(tmp_path, *logs)
    assert finding.severity is Severity.WARNING
    assert english()(finding.title) == "A slave cannot copy the settings of its master"
    assert finding.evidence["copied_again_until"] is None

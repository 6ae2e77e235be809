"""Connections between members of a Raft group, and what a program measures of its own collections."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Finding
from tests.folded import folded
from tests.logs.given import facts

REFUSED = "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to <{address}> failed\n"
LATE = (
    "org.apache.rocketmq.remoting.exception.RemotingTimeoutException:"
    " wait response on the channel <{address}> timeout, 3000(ms)\n"
)
VOTE = (
    "\tat org.apache.rocketmq.remoting.netty.NettyRemotingClient.invokeAsync(NettyRemotingClient.java:537)\n"
    "\tat io.openmessaging.storage.dledger.DLedgerRpcNettyService.vote(DLedgerRpcNettyService.java:134)\n"
)
SEND = (
    "\tat org.apache.rocketmq.remoting.netty.NettyRemotingClient.invokeSync(NettyRemotingClient.java:537)\n"
    "\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.sendMessage(MQClientAPIImpl.java:403)\n"
)
SHARE = (
    "[2026-11-21T20:00:{second:02d},123][{level}][o.e.m.j.JvmGcMonitorService] "
    "[n] [gc][{second}] overhead, spent [{spent}] collecting in the last [{total}]\n"
)


def record(text: str) -> str:
    return f"2026-11-21 20:00:01 ERROR StateMaintainer - Send vote request failed info[group=g]\n{text}"


def found(text: str, tmp_path: Path) -> list[Finding]:
    (tmp_path / "a.log").write_text(text)
    return list(diagnose_logs([tmp_path / "a.log"]).report.findings)


def test_a_member_that_does_not_reach_another_one_sends_no_message(tmp_path: Path) -> None:
    (finding,) = found(record(REFUSED.format(address="mq2:20911") + VOTE), tmp_path)
    assert (finding.rule, finding.cause) == ("raft-without-leader", "member-not-reached")


@pytest.mark.parametrize(
    ("thrown", "frames", "kinds"),
    [
        (REFUSED, VOTE, {"raft-member-not-reached"}),
        (REFUSED, SEND, {"send-not-connected"}),
        (LATE, VOTE, set()),
        (LATE, SEND, {"send-no-answer"}),
    ],
)
def test_the_frames_tell_who_asked(thrown: str, frames: str, kinds: set[str]) -> None:
    text = f"2026-11-21 20:00:01 ERROR thread - failed\n{thrown.format(address='10.0.0.2:20911')}{frames}"
    assert {event.kind for event in facts(text).events} == kinds


@folded(
    "spent, total, kind",
    [
        ("2.6s", "3.2s", "gc-over-half"),
        ("500ms", "1s", "gc-over-half"),
        ("499ms", "1s", "gc-over-quarter"),
        ("249ms", "1s", None),
        ("1..2s", "1s", None),
        ("1s", "0s", None),
    ],
)
def test_the_share_of_collections_is_measured(spent: str, total: str, kind: str | None) -> None:
    text = SHARE.format(second=1, level="WARN ", spent=spent, total=total)
    assert {event.kind for event in facts(text).events} == ({kind} - {None})


@pytest.mark.parametrize(("lines", "told"), [(3, True)])
def test_a_node_that_collects_for_half_of_its_time(lines: int, told: bool, tmp_path: Path) -> None:
    text = "".join(SHARE.format(second=n, level="WARN ", spent="2.6s", total="3.2s") for n in range(lines))
    rules = {finding.rule for finding in found(text, tmp_path) if finding.cause == "heap-full"}
    assert rules == ({"gc-thrashing"} if told else set())

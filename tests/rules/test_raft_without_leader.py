"""Logs of controllers with SOFAJRaft: what is one wait for a leader, and which lines are of one member."""

from __future__ import annotations

import gzip
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from mqdiag.facts import Facts
from mqdiag.findings import Finding, Severity
from mqdiag.rules import raft_without_leader
from tests.folded import folded
from tests.logs.given import facts
from tests.rules import checks
from tests.rules.checks import said
from tests.rules.examples import example_of

FOLDER = Path(__file__).parents[2] / "fixtures" / "servers" / "jraft-controllers-lost-5.3.3"
RESTARTS = tuple(f"2026-11-{day:02}" for day in (3, 9, 15, 21))
ROUND = "{at} INFO JRaft-ElectionTimer-<g/127.0.0.1:1>0 - Node <g/127.0.0.1:1> term 5 start preVote.\n"
LOST = (
    "{at} INFO JRaft-FSMCaller-Disruptor-0 - Stop following, ctx=LeaderChangeContext [leaderId=127.0.0.1:2, term=5,"
    " status=Status[ERAFTTIMEDOUT<10001>: Lost connection from leader 127.0.0.1:2.]]\n"
)
FOLLOWS = (
    "{at} INFO JRaft-FSMCaller-Disruptor-0 - Start following, ctx=LeaderChangeContext [leaderId=127.0.0.1:2, term=5,"
    " status=Status[ENEWLEADER<10011>: Raft node receives message from new leader with higher term.]]\n"
)


def lines(form: str, *times: str) -> str:
    return "".join(form.format(at=at) for at in times)


def rounds(first: str, seconds: int) -> str:
    """A round of votes each second, from a time on and for so many seconds."""
    begin = datetime.fromisoformat(first)
    return lines(ROUND, *(str(begin + timedelta(seconds=second)) for second in range(seconds + 1)))


def found_in(**logs: str) -> list[Finding]:
    """Findings over logs of one folder, by the name before ".log"."""
    names = tuple(f"host/{name}.log" for name in logs)
    return list(checks.findings(raft_without_leader, Facts(logs=facts(*logs.values(), names=names))))


def test_rounds_of_votes_of_different_weeks_are_different_waits() -> None:
    assert not found_in(jraft=lines(ROUND, *(f"{day} 07:36:26" for day in RESTARTS)))


def test_a_controller_that_found_its_leader_after_each_restart_is_in_order() -> None:
    """controller.log does not name the member where it begins after the start."""
    controller = "".join(
        lines(LOST, f"{day} 07:36:26") + lines(FOLLOWS, f"{day} 07:36:28") for day in RESTARTS[:2]
    )
    (found,) = found_in(jraft=lines(ROUND, *(f"{day} 07:36:26" for day in RESTARTS[:2])), controller=controller)
    assert (found.cause, found.severity) == ("leader-lost", Severity.INFO)
    assert found.evidence["leader_known_again"] is True
    found_long = found_in(
        jraft=rounds("2026-11-21 07:36:00", 40), controller=lines(FOLLOWS, "2026-11-21 07:36:41")
    )
    assert not found_long, (
        "the member that jraft.log names is the one that controller.log says follows a leader"
    )


@pytest.mark.parametrize(
    ("first", "seconds", "severity"), [(30, 14, None), (30, 15, "error"), (50, 39, "error")]
)
def test_only_the_last_wait_is_without_a_leader(first: int, seconds: int, severity: str | None) -> None:
    found = found_in(jraft=rounds("2026-11-03 07:36:00", 59) + rounds(f"2026-11-21 07:36:{first}", seconds))
    assert [one.severity for one in found] == ([] if severity is None else [severity])
    for one in found:
        assert one.evidence["without_leader_ms"] == seconds * 1000
        assert one.evidence["since"] == f"2026-11-21T07:36:{first}+08:00"


@pytest.mark.parametrize(("until", "severity"), [("07:37:40", "error"), ("07:37:41", "warning")])
def test_a_wait_after_which_the_log_goes_on_is_over(until: str, severity: str) -> None:
    after = f"2026-11-21 {until} INFO Bolt-conn-event-executor-5-thread-1 - Peer 127.0.0.1:2 is connected\n"
    (found,) = found_in(jraft=rounds("2026-11-21 07:36:00", 40) + after)
    assert (found.cause, found.severity, found.evidence["without_leader_ms"]) == (
        "no-majority",
        severity,
        40_000,
    )
    assert ("has a leader again" in said(found)) is (severity == "warning")


def test_a_wait_goes_on_in_the_next_file() -> None:
    """A rotated log ends in the wait, and the next one begins in it."""
    before = rounds("2026-11-03 07:36:00", 1) + rounds("2026-11-21 07:36:00", 59)
    after = rounds("2026-11-21 07:37:00", 5)
    logs = facts(before, after, names=("host/jraft.1.log", "host/jraft.log"))
    (found,) = checks.findings(raft_without_leader, Facts(logs=logs))
    assert found.evidence["without_leader_ms"] == 65_000


def test_a_long_wait_of_which_only_some_lines_were_looked_at_is_one_wait() -> None:
    """Of a flood one line in fifty is looked at, so that more than a minute lies between two of them."""
    begin = datetime.fromisoformat("2026-11-21 00:00:00")
    (found,) = found_in(
        jraft=lines(ROUND, *(str(begin + timedelta(seconds=2 * number)) for number in range(9000)))
    )
    assert found.severity is Severity.ERROR
    assert found.evidence["without_leader_ms"] > 4.9 * 3_600_000


def test_a_failover_within_one_second_is_no_warning() -> None:
    """The member that led next: its logs have whole seconds, and SOFAJRaft chooses a leader in less."""
    logs = {
        name: "".join(
            line
            for line in gzip.decompress((FOLDER / f"n2-{name}.log.gz").read_bytes())
            .decode()
            .splitlines(keepends=True)
            if line[:4] == "2026" and line[:19] < "2026-11-23 07:37:05"
        )
        for name in ("controller", "jraft")
    }
    (found,) = found_in(**logs)
    assert (found.cause, found.severity) == ("leader-lost", Severity.INFO)
    assert found.evidence["leader_known_again"] is True
    assert "two seconds" not in said(found), "the heartbeats of SOFAJRaft are 100 ms apart by default"


@folded(
    "member, cause",
    [
        ({}, "no-majority"),
        ({"role": "follower"}, "no-leader"),
        ({"without_leader_ms": None}, "no-leader"),
        ({"without_leader_ms": 9_999}, None),
        ({"leader_id": "n1"}, None),
        ({"role": "leader"}, None),
    ],
)
def test_a_member_in_a_heap_dump(member: dict[str, object], cause: str | None) -> None:
    heap = example_of(raft_without_leader).fires().heap
    changed = msgspec.structs.replace(heap.raft_members[0], **member)
    found = checks.findings(
        raft_without_leader, Facts(heap=msgspec.structs.replace(heap, raft_members=(changed,)))
    )
    assert [one.cause for one in found] == ([cause] if cause else [])

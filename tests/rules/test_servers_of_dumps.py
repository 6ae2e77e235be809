"""What is said of servers in dumps: threads that have ended, states that are not known, and whether it is RocketMQ."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.diagnose.answer import answered
from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.servers import PopFacts, ProxyFacts, RaftMember, ReviveQueue
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.rules import pop_revive_behind, raft_without_leader
from tests.rules.checks import findings, said

EMPTY = HeapFacts(
    objects=1, shallow_bytes=1, unreachable_objects=0, unreachable_bytes=0, process_queues=0, messages=0
)
MEMBER = RaftMember(library="jraft", group="controllers", self_id="n0")


def revive(*queues: ReviveQueue) -> Facts:
    broker = BrokerFacts(name="b", pop=PopFacts(revive_queues=queues))
    return Facts(heap=msgspec.structs.replace(EMPTY, broker=broker))


def test_a_thread_that_ended_is_told_beside_a_queue_that_is_behind() -> None:
    behind = ReviveQueue(queue_id=0, running=True, behind_ms=90_000, thread="alive")
    ended = ReviveQueue(queue_id=1, running=True, thread="terminated")
    (found,) = findings(pop_revive_behind, revive(behind, ended))
    assert (found.cause, found.evidence["threads_ended"], found.evidence["revive_queues"]) == (
        "revive-stands",
        1,
        2,
    )
    assert "have ended" in found.title.template
    (found,) = findings(pop_revive_behind, revive(behind))
    assert (found.cause, found.evidence["threads_ended"]) == ("revive-late", 0)
    assert "not been given back" in found.title.template


@pytest.mark.parametrize(("role", "told"), [(None, False), ("other", False), ("candidate", True)])
def test_only_a_known_state_of_a_member_is_told(role: str | None, told: bool) -> None:
    member = msgspec.structs.replace(MEMBER, role=role)
    facts = Facts(heap=msgspec.structs.replace(EMPTY, servers=("controller",), raft_members=(member,)))
    (found,) = findings(raft_without_leader, facts)
    assert ("Its state is" in said(found)) == told


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, True),
        ({"servers": ("name-server",)}, False),
        ({"proxy": ProxyFacts()}, False),
        ({"raft_members": (MEMBER,)}, False),
    ],
)
def test_a_server_is_of_rocketmq(changed: dict[str, object], told: bool) -> None:
    report = answered(Report(mqdiag="0", inputs=(), heap=msgspec.structs.replace(EMPTY, **changed)))
    assert report.answer is not None
    reason = "" if report.answer.reason is None else english()(report.answer.reason)
    assert ("no consumer, producer or broker" in reason) == told

"""The broker rules on what brokerStatus prints: at their limits, and silent on real healthy brokers."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import BrokerListed, BrokerStatus
from mqdiag.findings import Finding, Margin
from mqdiag.language import english
from mqdiag.read.admin.reader import read_admin
from mqdiag.rules import disk_full, page_cache_busy, send_queue_full, send_queue_timeout, slow_writes
from tests.folded import folded
from tests.rules.checks import outcome_of, said

RULES = [
    disk_full.RULE,
    page_cache_busy.RULE,
    send_queue_full.RULE,
    send_queue_timeout.RULE,
    slow_writes.RULE,
]
FIXTURES = Path(__file__).parents[2] / "fixtures" / "admin"


def found(**values: object) -> list[tuple[str, str]]:
    return [(one.rule, one.severity.value) for one in findings(**values)]


def findings(**values: object) -> tuple[Finding, ...]:
    printed = {"sendThreadPoolQueueCapacity": "10000", **{name: str(value) for name, value in values.items()}}
    facts = Facts(
        admin=AdminFacts(broker_statuses=(BrokerStatus(source="x", version="V4_9_7", values=printed),))
    )
    return outcome_of(RULES, facts).findings


@folded(
    "held, said",
    [
        (0, []),
        (499, []),
        (500, [("page-cache-busy", "warning")]),
        (1000, [("page-cache-busy", "warning")]),
        (1001, [("page-cache-busy", "error")]),
        (10_000_000, []),
        ("nonsense", []),
        ("9" * 40, []),
    ],
)
def test_the_lock_of_the_commit_log(held: object, said: list[tuple[str, str]]) -> None:
    assert found(pageCacheLockTimeMills=held) == said


def test_the_send_queue() -> None:
    assert found(sendThreadPoolQueueSize=8999) == []
    assert found(sendThreadPoolQueueSize=9000) == [("send-queue-full", "warning")]
    assert found(sendThreadPoolQueueSize=10_000) == [("send-queue-full", "error")]
    assert found(sendThreadPoolQueueSize=9000, sendThreadPoolQueueCapacity=0) == []


def test_the_head_of_the_send_queue() -> None:
    assert found(sendThreadPoolQueueSize=3, sendThreadPoolQueueHeadWaitTimeMills=200) == []
    assert found(sendThreadPoolQueueSize=3, sendThreadPoolQueueHeadWaitTimeMills=201) == [
        ("send-queue-timeout", "warning")
    ]
    assert found(sendThreadPoolQueueSize=0, sendThreadPoolQueueHeadWaitTimeMills=900) == []


def test_the_name_comes_from_the_list_of_brokers() -> None:
    listed = [
        BrokerListed(source="x", cluster="c", broker=f"b{n}", broker_id=0, address=f"h:{n}", version="V4_9_7")
        for n in (1, 2)
    ]
    status = BrokerStatus(source="x", address="h:2", values={"pageCacheLockTimeMills": "3000"})
    facts = Facts(admin=AdminFacts(brokers=tuple(listed), broker_statuses=(status,)))
    (finding,) = outcome_of(RULES, facts).findings
    assert finding.subject.broker == "b2"
    assert finding.seen_in == ("admin",)


def of_case(case: str, *names: str) -> Facts:
    """What brokerStatus printed of a case, in files of these names."""
    statuses: list[BrokerStatus] = []
    for name in names or ("brokerStatus.txt",):
        path = FIXTURES / case / name
        statuses += read_admin(str(path), path.read_text().splitlines()).facts.broker_statuses
    return Facts(admin=AdminFacts(broker_statuses=tuple(statuses)))


@pytest.mark.parametrize("version", ["4.3.2", "4.9.7", "5.3.3"])
def test_healthy_brokers(version: str) -> None:
    assert outcome_of(RULES, of_case(version)).findings == ()


def test_write_times_that_a_slow_disk_and_a_busy_page_cache_gave() -> None:
    found = {one.rule: one for one in outcome_of(RULES, of_case("page-cache-busy-4.3.2")).findings}
    busy = found["slow-writes"]
    assert set(found) <= {"slow-writes", "page-cache-busy", "send-queue-timeout"}
    assert busy.severity.value == "warning"
    assert (busy.evidence["puts"], busy.evidence["from_100_ms"], busy.evidence["from_1_s"]) == (27_740, 137, 76)
    (slow,) = outcome_of(RULES, of_case("sync-flush-slow-4.3.2")).findings
    assert (slow.rule, slow.severity.value) == ("slow-writes", "error")
    assert slow.evidence["from_100_ms"] == 161
    assert slow.when, "the broker's start and run time tell when it was"


@pytest.mark.parametrize("case", ["low-limits-4.3.2", "low-limits-5.3.3", "page-cache-busy-5.3.3"])
def test_fast_writes_and_unknown_ones_are_no_slow_writes(case: str) -> None:
    assert not [one for one in outcome_of(RULES, of_case(case)).findings if one.rule == "slow-writes"]


def margin(case: str) -> Margin | None:
    """How far the writes of a case are from being slow."""
    return next(iter(outcome_of([slow_writes.RULE], of_case(case)).margins), None)


def test_fast_writes_tell_how_far_they_are_from_slow_ones() -> None:
    fast = margin("low-limits-4.3.2")
    assert fast is not None
    assert (fast.rule, fast.limit, fast.kind) == ("slow-writes", 0.001, "percent")
    assert fast.value < fast.limit
    assert margin("page-cache-busy-4.3.2") is None, "they are slow"
    assert margin("page-cache-busy-5.3.3") is None, "nothing is known"


def test_a_full_disk() -> None:
    (finding,) = outcome_of(RULES, of_case("disk-full-4.3.2")).findings
    assert (finding.rule, finding.severity.value, finding.cause) == ("disk-full", "error", "disk-full")
    assert outcome_of(RULES, of_case("disk-full-4.3.2", "brokerStatus-half.txt")).findings == ()


def test_the_later_answer_of_one_broker_counts_and_those_of_two_are_two() -> None:
    """Files of brokerStatus -b name no broker: it is told by its start."""
    both = of_case("disk-full-4.3.2", "brokerStatus.txt", "brokerStatus-half.txt")
    assert [one.rule for one in outcome_of(RULES, both).findings] == ["disk-full"], "in any order"
    one, other = (of_case(case).admin for case in ("disk-full-4.3.2", "4.3.2"))
    assert one is not None
    assert other is not None
    two = Facts(admin=AdminFacts(broker_statuses=(*one.broker_statuses, *other.broker_statuses)))
    assert [one.rule for one in outcome_of(RULES, two).findings] == ["disk-full"], (
        "the healthy one hides it not"
    )


def listed(**values: object) -> BrokerListed:
    return BrokerListed(source="list.txt", broker="broker-a", broker_id=0, address="10.0.0.2:10911", **values)


def test_the_line_of_cluster_list_is_judged_like_broker_status() -> None:
    busy = listed(disk_ratio=0.94, page_cache_wait_ms=1830, send_queue=12, send_wait_ms=900)
    outcome = outcome_of(RULES, Facts(admin=AdminFacts(brokers=(busy,))))
    assert {(one.rule, one.severity.value, one.subject.broker) for one in outcome.findings} == {
        ("disk-full", "error", "broker-a"),
        ("page-cache-busy", "error", "broker-a"),
        ("send-queue-timeout", "warning", "broker-a"),
    }
    told = " ".join(map(said, outcome.findings))
    assert "clusterList: #SPACE is 0.94." in told
    reasons = (line for one in outcome.findings for line in one.explanation)
    assert not any("brokerStatus" in english()(line) for line in reasons)
    assert {repr(one.confidence_reason.values) for one in outcome.findings if one.rule != "disk-full"} == {
        "{'answer': 'clusterList'}"
    }


def test_a_broker_that_answered_broker_status_is_judged_once() -> None:
    status = BrokerStatus(source="x", address="10.0.0.2:10911", disk_ratio=0.94)
    admin = AdminFacts(broker_statuses=(status,), brokers=(listed(disk_ratio=0.95),))
    (finding,) = outcome_of(RULES, Facts(admin=admin)).findings
    assert finding.evidence["disk_ratio"] == 0.94


def test_a_broker_that_does_not_answer_has_no_numbers() -> None:
    assert outcome_of(RULES, Facts(admin=AdminFacts(brokers=(listed(),)))).findings == ()

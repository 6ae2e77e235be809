"""The broker rules on what brokerStatus prints: at their limits, and silent on real healthy brokers."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import BrokerListed, BrokerStatus
from mqdiag.findings import Finding
from mqdiag.read.admin.reader import read_admin
from mqdiag.rules import run_rules
from mqdiag.rules.broker import page_cache_busy, send_queue_full, send_queue_timeout

RULES = [page_cache_busy.check, send_queue_full.check, send_queue_timeout.check]
FIXTURES = Path(__file__).parents[3] / "fixtures" / "admin"


def found(**values: object) -> list[tuple[str, str]]:
    return [(one.rule, one.severity.value) for one in findings(**values)]


def findings(**values: object) -> tuple[Finding, ...]:
    printed = {"sendThreadPoolQueueCapacity": "10000", **{name: str(value) for name, value in values.items()}}
    facts = Facts(
        admin=AdminFacts(broker_statuses=(BrokerStatus(source="x", version="V4_9_7", values=printed),))
    )
    outcome = run_rules(RULES, facts)
    assert not outcome.failed
    return outcome.findings


@pytest.mark.parametrize(
    ("held", "said"),
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
    (finding,) = run_rules(RULES, facts).findings
    assert finding.subject.broker == "b2"
    assert finding.seen_in == ("admin",)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*/brokerStatus.txt")), ids=lambda path: path.parent.name)
def test_healthy_brokers(path: Path) -> None:
    facts = Facts(admin=read_admin(str(path), path.read_text().splitlines()))
    assert run_rules(RULES, facts).findings == ()

"""Transactions whose outcome nobody tells the broker, and those that are over."""

from __future__ import annotations

from itertools import chain

import pytest

from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import TopicQueue
from mqdiag.facts.logs import LogEvent, LogGroup, LogsFacts
from mqdiag.read.admin.reader import read_admin
from mqdiag.rules import transaction_check_fails
from tests.rules.checks import findings

HEAD = "#Broker Name  #QID  #Min Offset  #Max Offset  #Last Updated"
HALF, OP = "RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC"


def _event(kind: str, count: int, minute: int, group: str = "PID_orders") -> LogEvent:
    at = f"2026-11-28T17:{minute:02}:00"
    return LogEvent(
        kind=kind,
        side="broker",
        count=count,
        first=at,
        last=at,
        groups=(LogGroup(group=group, count=count, first=at, last=at),),
    )


@pytest.mark.parametrize(
    ("answered", "found"),
    [
        pytest.param(_event("transaction-answered", 500, 9), 0, id="over"),
        pytest.param(_event("transaction-answered", 500, 1), 1, id="answered-before"),
        pytest.param(_event("transaction-answered", 500, 9, "PID_stock"), 1, id="another-group"),
        pytest.param(_event("transaction-answered", 3, 9), 1, id="few-answers"),
    ],
)
def test_a_producer_that_was_away_for_a_while(answered: LogEvent, found: int) -> None:
    facts = Facts(logs=LogsFacts(events=(_event("transaction-check-nobody", 12, 2), answered), lines=512))
    assert len(findings(transaction_check_fails, facts)) == found


@pytest.mark.parametrize(
    ("half", "op", "found"),
    [
        pytest.param([31_590], [0], 1, id="no-outcome"),
        pytest.param([31_590], [31_590, 31_590], 0, id="one-asked-twice"),
        pytest.param([100, 31_590], [100, 100], 1, id="no-outcome-since"),
        pytest.param([31_590], [], 0, id="one-not-asked"),
    ],
)
def test_ends_of_both_topics(half: list[int], op: list[int], found: int) -> None:
    """What was written since compares only with outcomes since."""
    rows = tuple(
        TopicQueue(source=f"{number}.txt", topic=topic, broker="a", queue_id=0, min_offset=0, max_offset=end)
        for topic, ends in ((HALF, half), (OP, op))
        for number, end in enumerate(ends)
    )
    facts = Facts(admin=AdminFacts(topic_queues=rows))
    assert len(findings(transaction_check_fails, facts)) == found


def test_answers_of_two_name_servers_do_not_compare() -> None:
    rows = [
        read_admin(
            f"{topic}-{server}.txt",
            [
                f"$ mqadmin topicStatus -n {server} -t {topic}",
                HEAD,
                f"broker-a  0  0  {end}  2026-11-28 09:47:23,442",
            ],
        ).facts.topic_queues
        for server, ends in (("10.0.0.1:9876", (100, 100)), ("10.9.9.1:9876", (31_590, 100)))
        for topic, end in zip((HALF, OP), ends, strict=True)
    ]
    assert not findings(transaction_check_fails, Facts(admin=AdminFacts(topic_queues=tuple(chain(*rows)))))

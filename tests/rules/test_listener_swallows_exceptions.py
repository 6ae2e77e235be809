"""Exceptions that a listener logs: what an application may leave, and retries of long ago."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, GroupProgress, QueueProgress, TopicQueue
from mqdiag.findings import Confidence, Severity
from mqdiag.rules import listener_swallows_exceptions
from tests.rules import checks
from tests.rules.examples import listener_swallows_exceptions as example


@pytest.mark.parametrize(
    ("exception", "cause", "confidence"),
    [
        ("org.h2.jdbc.JdbcSQLSyntaxErrorException", "counted-as-consumed", Confidence.MEDIUM),
        ("org.springframework.dao.DuplicateKeyException", "left-or-repeated", Confidence.LOW),
        ("org.springframework.dao.DeadlockLoserDataAccessException", "left-or-repeated", Confidence.LOW),
    ],
)
def test_a_listener_may_know_what_it_can_leave(exception: str, cause: str, confidence: Confidence) -> None:
    facts = example.fires()
    assert facts.logs is not None
    thrown = msgspec.structs.replace(facts.logs.listener_exceptions[0], exception=exception)
    facts = Facts(logs=msgspec.structs.replace(facts.logs, listener_exceptions=(thrown,)))
    (found,) = checks.findings(listener_swallows_exceptions, facts)
    assert (found.cause, found.severity, found.confidence) == (cause, Severity.WARNING, confidence)


def test_retries_of_long_ago_excuse_nothing() -> None:
    """The client counts none as failed; a retry topic keeps the end that it once had."""
    queue = QueueProgress(
        topic=f"%RETRY%{example.GROUP}", broker="a", queue_id=0, broker_offset=412, consumer_offset=412, diff=0
    )
    admin = AdminFacts(groups=(GroupProgress(group=example.GROUP, source="a.txt", queues=(queue,)),))
    facts = Facts(logs=example.fires().logs, admin=admin)
    assert [one.cause for one in checks.findings(listener_swallows_exceptions, facts)] == [
        "counted-as-consumed"
    ]


@pytest.mark.parametrize(
    ("last", "waiting", "causes"),
    [
        ("2026-06-01 10:00:00", 0, ["counted-as-consumed"]),
        ("2026-06-01 10:00:00", 3, []),
        ("2026-11-28 01:00:00", 0, []),
        (None, 0, []),
    ],
)
def test_an_old_retry_topic_excuses_nothing_where_no_client_counts(
    last: str | None, waiting: int, causes: list[str]
) -> None:
    """The time of its last message tells, unless some of it were not consumed, whose times nobody knows."""
    logs = example.fires().logs
    assert logs is not None
    logs = msgspec.structs.replace(logs, events=logs.events[:1])
    topic = f"%RETRY%{example.GROUP}"
    queue = QueueProgress(
        topic=topic,
        broker="a",
        queue_id=0,
        broker_offset=412,
        consumer_offset=412 - waiting,
        diff=waiting,
        last_time=last,
    )
    progress = AdminFacts(groups=(GroupProgress(group=example.GROUP, source="a.txt", queues=(queue,)),))
    row = TopicQueue(
        source="a.txt", topic=topic, broker="a", queue_id=0, min_offset=0, max_offset=412, last_updated=last
    )
    for admin in (progress, *(() if waiting else (AdminFacts(topic_queues=(row,)),))):
        found = checks.findings(listener_swallows_exceptions, Facts(logs=logs, admin=admin))
        assert [one.cause for one in found] == causes

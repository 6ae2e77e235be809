"""Exceptions that a listener logs: what an application may leave, and retries of long ago."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, GroupProgress, QueueProgress
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

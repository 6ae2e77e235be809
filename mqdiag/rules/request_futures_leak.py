"""Requests of the request-reply API are kept beyond their own timeout."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.producers import RequestFutures, SendingFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say, sentences

RULE = Rule(
    name="request-futures-leak",
    title="The client keeps requests that will get no reply",
    why=(
        "request() of a producer puts each request into a table until its reply comes. Every second, a scan removes"
        " the requests that are beyond their timeout. If no scan runs, for example because the producer that started"
        " it was shut down, the table keeps every request with its message and its callback."
    ),
    causes=("request-futures-leak",),
    severities=(Severity.WARNING,),
    remedy=(
        "Keep one producer for requests, and do not shut it down while others use the API.",
        "Look whether the thread RequestHouseKeepingService is there. If not, upgrade the client.",
        "Find out why replies are missing: the consumer must answer with MessageUtil.createReplyMessage.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/10696",
        "RequestFutureHolder.requestFutureTable, RequestFutureTable before 4.9.3",
    ),
    limits={"futures": 100, "overdue_ms": 30_000},
)


def _facts(overdue: int, longest_ms: int) -> Facts:
    facts = example()
    assert facts.heap is not None
    futures = RequestFutures(
        pending=overdue + 20,
        overdue=overdue,
        oldest_ms=longest_ms + 3000,
        longest_overdue_ms=longest_ms,
        retained_bytes=2048 * overdue,
    )
    sending = SendingFacts(request_futures=futures)
    return msgspec.structs.replace(facts, heap=msgspec.structs.replace(facts.heap, sending=sending))


def fires() -> Facts:
    """Five thousand requests are overdue, one of them by ten minutes."""
    return _facts(5000, 600_000)


def silent() -> Facts:
    """As many are overdue by less than a second: the next scan removes them."""
    return _facts(5000, 800)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding: a JVM has one such table."""
    heap = facts.heap
    assert heap is not None
    futures = heap.sending.request_futures if heap.sending is not None else None
    if futures is None or futures.overdue < limits["futures"]:
        return
    longest = futures.longest_overdue_ms
    if longest is None or longest < limits["overdue_ms"]:
        return
    yield Draft(
        severity=Severity.WARNING,
        cause="request-futures-leak",
        confidence=Confidence.HIGH,
        title=say(
            "The client keeps {overdue:count} {overdue:request|requests} beyond their timeout, one of them by"
            " {longest_overdue_ms:ms}"
        ),
        evidence={
            "pending": futures.pending,
            "overdue": futures.overdue,
            "longest_overdue_ms": longest,
            "retained_bytes": futures.retained_bytes,
        },
        explanation=(
            sentences(
                say(
                    "Of {pending:count} requests, {overdue:count} {overdue:is|are} beyond their own timeout. The scan"
                    " that runs every second would have removed them."
                ),
                None if futures.retained_bytes is None else say("The table retains {retained_bytes:bytes}."),
            ),
        ),
        remedy=RULE.remedy,
    )

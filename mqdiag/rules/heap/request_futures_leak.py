"""Requests of the request-reply API are kept beyond their own timeout."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.producers import RequestFutures, SendingFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import RIG, Draft, Limits, Skip, rule
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


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
    """Five thousand, the oldest for ten minutes too long."""
    return _facts(5000, 600_000)


def silent() -> Facts:
    """As many that the next scan, a second later, will throw out."""
    return _facts(5000, 800)


@rule(
    name="request-futures-leak",
    title="Requests whose reply never came are kept",
    why=(
        "request() of a producer notes each request in a table until its reply comes; a scan throws out those beyond"
        " their timeout every second. When no scan runs, as after the producer that started it was shut down, the"
        " table keeps every request, its message and its callback."
    ),
    causes=("request-futures-leak",),
    severities=(Severity.WARNING,),
    remedy=(
        "Keep one producer for requests and do not shut it down while others use the API.",
        "See whether the thread RequestHouseKeepingService is there, and upgrade the client if not.",
        "Find out why replies are missing: the consumer must answer with MessageUtil.createReplyMessage.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/10696",
        "RequestFutureHolder.requestFutureTable, RequestFutureTable before 4.9.3",
    ),
    needs=("heap",),
    limits={"futures": 100, "overdue_ms": 30_000},
    proven_on=RIG,
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding: the table is one for the JVM."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    futures = heap.sending.request_futures if heap.sending is not None else None
    if futures is None or futures.overdue < limits["futures"]:
        return
    longest = futures.longest_overdue_ms
    if longest is None or longest < limits["overdue_ms"]:
        return
    kept = (
        ""
        if futures.retained_bytes is None
        else say(" The table keeps {retained_bytes:bytes}.", retained_bytes=futures.retained_bytes)
    )
    yield Draft(
        severity=Severity.WARNING,
        cause="request-futures-leak",
        confidence=Confidence.HIGH,
        title=say(
            "{overdue:count} requests are kept beyond their timeout, one for {longest:ms}",
            overdue=futures.overdue,
            longest=longest,
        ),
        evidence={
            "pending": futures.pending,
            "overdue": futures.overdue,
            "longest_overdue_ms": longest,
            "retained_bytes": futures.retained_bytes,
        },
        explanation=(
            say(
                (
                    "Of {pending:count} requests {overdue:count} are beyond their own timeout; the scan that"
                    " runs every second would have thrown them out.{kept}"
                ),
                pending=futures.pending,
                overdue=futures.overdue,
                kept=kept,
            ),
        ),
        remedy=check.card.remedy,
    )

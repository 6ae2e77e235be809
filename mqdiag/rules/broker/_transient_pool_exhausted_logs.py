"""transient-pool-exhausted from logs: `only remain 0 sheets`, with or without the answers that follow from it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._logs import answers, each_broker, said, subject
from mqdiag.rules.broker._remedies import POOL_EMPTY
from mqdiag.rules.log_events import events, when
from mqdiag.rules.registry import Draft
from mqdiag.text import NOTHING, say
from mqdiag.time_ranges import ranges_of


def in_logs(facts: Facts) -> Iterator[Draft]:
    """One finding for each broker of the logs."""
    for own in each_broker(facts):
        if own.logs is not None and own.logs.count("pool-empty", "pool-not-enough"):
            yield _draft(own.logs)


def _draft(logs: LogsFacts) -> Draft:
    empty = events(logs, "pool-empty", "pool-not-enough")
    refused = answers(logs, "busy-reject")
    count = sum(event.count for event in empty)
    put = logs.pagecachert
    explained = [
        say("The pool had no buffer left, {count:count} times {when}.", count=event.count, when=when(event))
        for event in empty
    ]
    explained += said(refused)
    if put is not None and put.from_1_s == 0:
        explained.append(say("No put took a second, so the page cache is not what refused the sends."))
    return Draft(
        severity=Severity.ERROR if refused else Severity.WARNING,
        cause="commit-too-slow",
        confidence=Confidence.HIGH if refused else Confidence.MEDIUM,
        confidence_reason=NOTHING if refused else say("no sender's log shows the refused messages"),
        title=say("The broker's transient store pool ran out of buffers {count:count} times", count=count),
        subject=subject(logs, refused),
        evidence={"times": count, "refused": sum(event.count for event in refused)},
        explanation=tuple(explained),
        remedy=POOL_EMPTY,
        when=ranges_of([*empty, *refused]),
        weight=1.0,
    )

"""The consume queue of a broker does not fit its commit log."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.excerpts import enough
from mqdiag.rules.shared.log_events import (
    counted,
    events,
    files_of,
    lines_of,
    most_frequent,
    most_frequent_counted,
    when,
)
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

ORDER, TAIL_LOST = "consume-queue-order", "commit-log-tail-lost"
NO_MESSAGE = "dispatch-at-no-message"
ENTRY_BYTES = 20
"""size of one entry of a consume queue, in all versions"""

RULE = Rule(
    name="consume-queue-broken",
    title="The consume queue does not fit the commit log",
    why=(
        "The broker writes an entry of 20 bytes to the consume queue for each message of the commit log. A crash, a"
        " shutdown before the dispatch was done, or deleted files leave entries without a message or messages without"
        " an entry. Such messages are never delivered. The broker writes the line for each message that follows; one"
        " line proves it."
    ),
    causes=("commit-log-lost-its-tail", "dispatch-position-lost", "commit-log-damaged"),
    severities=(Severity.ERROR,),
    remedy=(
        "Save the store before you restart the broker again.",
        "Stop the broker, move the folder consumequeue aside, and start it: it builds the queues again from the commit"
        " log. That takes minutes for each 100 GB.",
        "Always stop a broker with mqshutdown and wait until the process is gone; never use kill -9.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/467",
        "https://github.com/apache/rocketmq/issues/7355",
        "https://github.com/apache/rocketmq/issues/6570",
        "https://github.com/apache/rocketmq/issues/289",
        "ConsumeQueue.putMessagePositionInfo, DefaultMessageStore.start",
    ),
    limits={"lines_of_damage": 3},
    lies_at="broker",
    in_chain=say("the consume queue of the broker does not fit its commit log"),
    proven_on=LITERALS,
)


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=3,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        subjects=(LogSubject(topic="orders", count=3),),
        values={"largest_gap_bytes": 60},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Three entries are missing."""
    return _facts(ORDER)


def silent() -> Facts:
    """Something else."""
    return _facts("pool-low")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker and cause."""
    for logs in brokers_of_logs(facts):
        lost, order = events(logs, TAIL_LOST), events(logs, ORDER)
        if lost:
            yield _tail_lost(logs, lost)
        if order:
            yield _order(logs, order)
        damaged = events(logs, NO_MESSAGE)
        if enough(logs, lines_of(damaged), limits["lines_of_damage"]):
            yield _damaged(logs, damaged)


def _order(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    gap = max(event.values.get("largest_gap_bytes", 0) for event in found)
    return Draft(
        severity=Severity.ERROR,
        cause="dispatch-position-lost",
        confidence=Confidence.HIGH,
        title=say(
            "The consume queue of {topics} has a gap of {entries:count} {entries:entry|entries}",
            topics=_topics(found),
        ),
        subject=subject_of_logs(logs, found),
        evidence={
            "lines": lines_of(found),
            "gap_bytes": gap,
            "entry_bytes": ENTRY_BYTES,
            "entries": gap // ENTRY_BYTES,
            **counted(found),
            **most_frequent_counted(*found),
        },
        explanation=(
            *(
                say(
                    "{lines:count} {lines:line|lines} '[BUG]logic queue order maybe wrong' {when}.",
                    lines=event.count,
                    when=when(event),
                )
                for event in found
            ),
            say(
                "The place of the next entry and the end of the queue lie {gap_bytes:bytes} apart; an entry has"
                " {entry_bytes:bytes}."
            ),
            say("Messages without an entry are not delivered, and a wrong entry delivers another message."),
        ),
        remedy=RULE.remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.8,
    )


def _topics(found: list[LogEvent]) -> Text:
    return most_frequent(found[0]) or say("a topic")


def _tail_lost(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    return Draft(
        severity=Severity.ERROR,
        cause="commit-log-lost-its-tail",
        confidence=Confidence.HIGH,
        title=say("The commit log lost its last {lost_bytes:bytes}, which the consume queues still name"),
        subject=subject_of_logs(logs, found),
        evidence={
            "lines": lines_of(found),
            "lost_bytes": max(event.values.get("largest_lost_bytes", 0) for event in found),
            **counted(found),
        },
        explanation=(
            say(
                "At its start the broker found that the consume queues name messages beyond the commit log's end."
            ),
            say("New messages are not dispatched until the commit log has grown by that much."),
        ),
        remedy=RULE.remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.8,
    )


def _damaged(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    return Draft(
        severity=Severity.ERROR,
        cause="commit-log-damaged",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a place without a message and a damaged file look alike in the log"),
        title=say("The dispatch is at a place of the commit log where no message begins"),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), **counted(found)},
        explanation=(
            *(
                say(
                    "ReputMessageService logged 'found a illegal magic code' {lines:count} {lines:time|times} {when}.",
                    lines=event.count,
                    when=when(event),
                )
                for event in found
            ),
            say("What comes behind that place gets no entry in the consume queues, so it is not delivered."),
        ),
        remedy=RULE.remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.7,
    )

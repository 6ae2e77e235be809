"""A POP consumer's position, or the record of a message that it has, was lost."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogGroup, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.log_events import (
    by_group,
    counted,
    counted_lines,
    events,
    files_of,
    lines_of,
    most_frequent,
    most_frequent_counted,
    only,
    when,
)
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

BEYOND, DELETED, NO_ANSWER = (
    "pop-offset-beyond-queue",
    "pop-offset-deleted",
    "pop-offset-without-answer",
)
MOVES = {BEYOND: "offset-beyond-queue", DELETED: "messages-deleted", NO_ANSWER: "store-without-answer"}
DROPPED, NOT_STORED = "pop-record-dropped", "pop-not-stored"

RULE = Rule(
    name="pop-offset-lost",
    title="The position of a POP consumer, or a record of its messages, was lost",
    why=(
        "Under POP (5.x) the broker keeps the position of a group, and a check point for each batch of messages that"
        " was delivered. A stored position that fits no message of its queue is moved to the end or to the first"
        " message that is left, and nobody but the broker's pop.log tells. A check point that cannot be stored, or that"
        " the broker gives up, costs messages or has them delivered twice."
    ),
    causes=(
        "offset-beyond-queue",
        "messages-deleted",
        "store-without-answer",
        "record-dropped",
        "not-stored",
    ),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Reset the group to the time before the loss: mqadmin resetOffsetByTime -n {name_server:arg NAMESRV:9876}"
        " -g {group:arg GROUP} -t {topic:arg TOPIC} -s TIMESTAMP (a time before the loss, in milliseconds"
        " since 1970).",
        "Never put an older copy of the store, or an empty one, under newer offsets (config/consumerOffset.json).",
        "Keep messages for longer than the group can be behind (fileReservedTime, in hours).",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3503",
        "https://github.com/apache/rocketmq/pull/9087",
        "PopMessageProcessor.popMsgFromQueue, PopConsumerService, PopBufferMergeService",
    ),
    explained_by=("consume-queue-broken", "disk-full", "send-refused"),
    lies_at="broker",
    in_chain=say("the broker lost the position of the POP consumer"),
    proven_on=say(
        "real logs of 5.3.3 for offset-beyond-queue; lines as the sources of 5.0.0 to 5.5.0 write them for the other"
        " causes"
    ),
)

REMEDIES = {
    "offset-beyond-queue": RULE.remedy[:2],
    "messages-deleted": (RULE.remedy[2], say("Find out why the group was so far behind.")),
    "store-without-answer": (
        say(
            "Compare the group's position with what it has consumed: mqadmin consumerProgress"
            " -n {name_server:arg NAMESRV:9876} -g {group:arg GROUP}."
        ),
        say("Upgrade the broker: early 5.x versions moved positions while the store was stopping."),
    ),
    "record-dropped": (
        say("Look in pop.log for the records that were given up, and send their messages again."),
        say("Find out why they could not be given back: the lines before name the topic and the offset."),
    ),
    "not-stored": (
        say("Find out why the store took no messages at that time: store.log of the broker tells."),
        say("Expect messages of that time to be delivered twice."),
    ),
}


def _facts(kind: str) -> Facts:
    first, last = "2026-11-21T20:00:01+08:00", "2026-11-21T20:00:01+08:00"
    event = LogEvent(
        kind=kind,
        side="broker",
        count=4,
        first=first,
        last=last,
        subjects=(LogSubject(group="CID_points", topic="orders", queue_id=0, count=4),),
        groups=(LogGroup(group="CID_points", count=4, first=first, last=last),),
        values={"largest_gap": 426},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Four queues had positions up to 426 messages beyond their end."""
    return _facts(BEYOND)


def silent() -> Facts:
    """Messages come back a few seconds late, as always."""
    return _facts("pop-revive-late")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker, group and cause; one line is enough."""
    for logs in brokers_of_logs(facts):
        for kind, cause in MOVES.items():
            for group, found in by_group(logs, kind).items():
                yield _moved(logs, group, cause, found)
        for kind, cause in ((DROPPED, "record-dropped"), (NOT_STORED, "not-stored")):
            if found := events(logs, kind):
                yield _not_kept(logs, cause, found)


def _moved(logs: LogsFacts, group: str | None, cause: str, found: list[LogEvent]) -> Draft:
    gap = max((event.values.get("largest_gap", 0) for event in found), default=0)
    topics = {only(event, "topic") for event in found}
    sure = cause != "store-without-answer"
    return Draft(
        severity=Severity.ERROR if sure else Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        confidence_reason=NOTHING if sure else say("the lines do not tell to which position it was moved"),
        title=_title(cause),
        subject=Subject(
            group=group,
            topic=topics.pop() if len(topics) == 1 else None,
            broker=subject_of_logs(logs, found).broker,
        ),
        evidence={
            "lines": lines_of(found),
            "largest_gap": gap or None,
            **counted(found),
            **most_frequent_counted(*found),
        },
        explanation=(
            *(
                say(
                    "The broker moved the position {lines:count} {lines:time|times} {when}: {subjects}.",
                    lines=event.count,
                    when=when(event),
                    subjects=most_frequent(event) or say("the queue is not named"),
                )
                for event in found
            ),
            _meaning(cause),
        ),
        remedy=REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.7,
    )


def _title(cause: str) -> Text:
    return {
        "offset-beyond-queue": say(
            "The position of a POP group lay up to {largest_gap:count} {largest_gap:message|messages} beyond the end of"
            " its queue"
        ),
        "messages-deleted": say(
            "Up to {largest_gap:count} {largest_gap:message|messages} of a queue {largest_gap:was|were} deleted before"
            " a POP group read {largest_gap:it|them}"
        ),
    }.get(cause, say("The broker moved the position of a POP group without an answer of the store"))


def _meaning(cause: str) -> Text:
    return {
        "offset-beyond-queue": say(
            "The queue lost its last messages, or was made again, and the stored position is older than that. The group"
            " goes on at the end of the queue: messages that were written after the loss and before that moment are"
            " skipped."
        ),
        "messages-deleted": say(
            "The first message that is left lies behind the position. What lies between is gone and was never"
            " delivered."
        ),
    }.get(cause, say("The store was stopping or starting. The group may consume from the first message again."))


def _not_kept(logs: LogsFacts, cause: str, found: list[LogEvent]) -> Draft:
    dropped = cause == "record-dropped"
    return Draft(
        severity=Severity.ERROR if dropped else Severity.WARNING,
        cause=cause,
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the consumer may have finished the messages without an acknowledgement")
        if dropped
        else say("the broker tries some of them again"),
        title=say(
            "The broker gave up {lines:count} {lines:record|records} of messages that were delivered and not"
            " acknowledged"
        )
        if dropped
        else say("The store did not take {lines:count} {lines:record|records} of POP consumers"),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), **counted(found)},
        explanation=(
            *map(counted_lines, found),
            say("Messages of these records are not delivered again.")
            if dropped
            else say(
                "Without its acknowledgement a message is delivered again. Without its check point it is not."
            ),
        ),
        remedy=REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )

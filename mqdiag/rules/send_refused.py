"""A broker refuses messages, and its disk is not the reason."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.excerpts import enough, surest
from mqdiag.rules.shared.log_events import (
    counted,
    counted_lines_about,
    events,
    files_of,
    lines_of,
    most_frequent_counted,
    only,
    when,
)
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

NOT_AVAILABLE = "service-not-available"
STOPPED, TO_SLAVE, NOT_WRITABLE = "put-while-shut-down", "put-to-slave", "put-not-writable"
ANSWERS = {
    "message-too-large": ("send-too-large",),
    "no-permission": ("send-not-allowed",),
    "topic-missing": ("send-topic-missing",),
    "broker-not-open": ("send-not-open",),
    "no-new-file": ("send-no-file", "put-without-file"),
    "replicas-missing": ("send-replicas-missing",),
    "slave-not-available": ("send-without-slave",),
}
"""kinds of event by the cause that their answers name"""
PASSING = ("slave-not-available", "replicas-missing", "no-new-file")
"""causes that a few lines may show in passing, as while a slave starts"""
NO_MESSAGE_AT_ALL = ("broker-not-open", "store-error")
"""causes by which the broker takes none, whoever sends it"""

RULE = Rule(
    name="send-refused",
    title="A broker refuses messages",
    why=(
        "A broker answers a message that it does not take with a code. Code 14 has one text for a full disk, a slave, a"
        " store that is shut down and a store that met an error; the shares of the disks in it, and the broker's own"
        " log, tell them apart. The other codes name their reason. A full disk is judged by disk-full, and a busy"
        " broker by the rules on its busy answers."
    ),
    causes=(
        "not-master",
        "shutting-down",
        "store-error",
        "store-not-writable",
        *ANSWERS,
    ),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Code 14: look for 'putMessage is forbidden' in the broker's broker.log and store.log of the same time.",
        "Code 13: send shorter messages, or raise maxMessageSize of the producer and of the broker.",
        "Code 16: give the broker or the topic the permission to write (brokerPermission, mqadmin updateTopicPerm).",
        "Code 17: create the topic on this broker: mqadmin updateTopic -n {name_server:arg NAMESRV:9876}"
        " -b {broker_address:arg BROKER_ADDRESS} -t {topic:arg TOPIC}.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3750",
        "https://github.com/apache/rocketmq/issues/4826",
        "https://github.com/apache/rocketmq/issues/573",
        "SendMessageProcessor.handlePutMessageResult, DefaultMessageStore.checkStoreStatus, RunningFlags",
    ),
    limits={"lines": 3, "full_percent": 90},
    explained_by=(
        "disk-full",
        "mapping-failed",
        "file-descriptors-exhausted",
        "store-path-missing",
        "page-cache-busy",
        "slow-writes",
    ),
    lies_at="broker",
    in_chain=say("the broker refuses messages"),
    proven_on=say(
        "real logs of 4.3.2, 4.9.7 and 5.3.3 for message-too-large, broker-not-open, no-new-file and"
        " slave-not-available; posted logs and lines as the sources write them for the other causes"
    ),
)

REMEDIES = {
    "not-master": (
        say("Find out why producers send to this broker: mqadmin clusterList shows which one is the master."),
        say("Check brokerRole and brokerId of the broker. With DLedger or a controller, look for an election."),
    ),
    "shutting-down": (
        say("Nothing, if the broker was stopped on purpose: producers go on with other brokers."),
    ),
    "store-error": (
        say(
            "Look in store.log for the first error before: a consume queue or an index file could not be written."
        ),
        say("Check the disk, its inodes and the owner of the store's folders. Then restart the broker."),
    ),
    "store-not-writable": (
        RULE.remedy[0],
        say("Check that the broker is a master and that it was not being stopped."),
        say("Give the broker's store.log and broker.log of the same time."),
    ),
    "message-too-large": (RULE.remedy[1],),
    "no-permission": (RULE.remedy[2],),
    "topic-missing": (
        RULE.remedy[3],
        say("Automatic creation needs autoCreateTopicEnable=true on the broker."),
    ),
    "broker-not-open": (
        say("Remove startAcceptSendRequestTimeStamp from broker.conf, or wait until that time."),
    ),
    "no-new-file": (
        say(
            "Look in store.log for why the next file of the commit log was not made: disk, memory maps or permissions."
        ),
    ),
    "replicas-missing": (
        say("Start the missing slaves, or lower inSyncReplicas or minInSyncReplicas of the broker."),
    ),
    "slave-not-available": (
        say(
            "Start the slave, or find out why it is not connected: mqadmin haStatus (5.x), slave-behind in the logs."
        ),
        say(
            "A SYNC_MASTER without a slave says so for every message; ASYNC_MASTER does not wait for one."
            " The price: messages that the slave does not have yet are lost with the master."
        ),
    ),
}


def _facts(percent: int, count: int) -> Facts:
    event = LogEvent(
        kind=NOT_AVAILABLE,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:01:09+08:00",
        values={"largest_percent": percent},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Forty refusals of a broker with disks of which 31 % are in use."""
    return _facts(31, 40)


def silent() -> Facts:
    """The disk is full, which disk-full says."""
    return _facts(93, 40)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker and cause."""
    for logs in brokers_of_logs(facts):
        yield from _not_available(logs, limits)
        for cause, kinds in ANSWERS.items():
            found = events(logs, *kinds)
            if enough(logs, lines_of(found), limits["lines"] if cause in PASSING else 1):
                yield _draft(logs, cause, found, ())


def _not_available(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """Code 14, by what the store of the broker says."""
    refused = [
        event
        for event in events(logs, NOT_AVAILABLE)
        if event.values.get("largest_percent", 0) < limits["full_percent"]
    ]
    told = {
        "not-master": events(logs, TO_SLAVE),
        "store-error": [event for event in events(logs, NOT_WRITABLE) if _is_error(event)],
        "shutting-down": events(logs, STOPPED),
    }
    for cause, found in told.items():
        # while it lasts the store says it once in 50,000 times, but for a shutdown
        if found and (refused or cause != "shutting-down"):
            yield _draft(logs, cause, refused, found)
            return
    if enough(logs, lines_of(refused), limits["lines"]):
        yield _draft(logs, "store-not-writable", refused, ())


def _is_error(event: LogEvent) -> bool:
    return any(name in event.values for name in ("queue_error", "index_error", "fenced"))


def _draft(logs: LogsFacts, cause: str, refused: list[LogEvent], told: list[LogEvent] | tuple[()]) -> Draft:
    every = [*refused, *told]
    limit = min(
        (event.values["smallest_limit_bytes"] for event in every if "smallest_limit_bytes" in event.values),
        default=None,
    )
    percent = max((event.values.get("largest_percent", 0) for event in refused), default=0)
    confidence, reason = surest(logs, *_sure(cause))
    topics = {only(event, "topic") for event in refused}
    return Draft(
        severity=_severity(cause),
        cause=cause,
        confidence=confidence,
        confidence_reason=reason,
        title=_title(cause, counted_lines=bool(refused)),
        subject=Subject(
            broker=subject_of_logs(logs, every).broker,
            topic=topics.pop() if len(topics) == 1 else None,
        ),
        evidence={
            "lines": lines_of(refused) or lines_of(every),
            "disk_percent": percent or None,
            "limit_bytes": limit,
            "store_lines": lines_of(told) or None,
            **counted(every),
            **most_frequent_counted(*refused),
        },
        explanation=tuple(_explained(cause, refused, told, percent, limit)),
        remedy=REMEDIES[cause],
        rests_on=files_of(every),
        when=ranges_of(every),
        weight=0.5,
    )


def _severity(cause: str) -> Severity:
    if cause == "shutting-down":
        return Severity.INFO
    return Severity.ERROR if cause in NO_MESSAGE_AT_ALL else Severity.WARNING


def _sure(cause: str) -> tuple[Confidence, Text]:
    if cause == "store-not-writable":
        return Confidence.MEDIUM, say(
            "the answer is the same for a slave, a store that is shut down and a store that met an error"
        )
    if cause == "no-new-file":
        return Confidence.MEDIUM, say("the answer does not tell why the file could not be made")
    return Confidence.HIGH, NOTHING


def _title(cause: str, *, counted_lines: bool) -> Text:
    if not counted_lines:
        return say("The store of the broker takes no messages, as its own log says")
    return {
        "not-master": say(
            "The broker refused {lines:count} {lines:message|messages} because it is not the master"
        ),
        "shutting-down": say("The broker refused {lines:count} {lines:message|messages} while it was stopping"),
        "store-error": say(
            "The broker refused {lines:count} {lines:message|messages} because its store met an error"
        ),
        "message-too-large": say(
            "{lines:count} {lines:message was|messages were} refused because {lines:it is|they are} too large"
        ),
        "no-permission": say(
            "The broker refused {lines:count} {lines:message|messages}: writing is not allowed"
        ),
        "topic-missing": say(
            "The broker refused {lines:count} {lines:message|messages} because it does not have the topic"
        ),
        "broker-not-open": say(
            "The broker refused {lines:count} {lines:message|messages} because it does not take any before a set time"
        ),
        "no-new-file": say(
            "The broker refused {lines:count} {lines:message|messages} because it could not make a new file"
        ),
        "replicas-missing": say(
            "The broker did not confirm {lines:count} {lines:message|messages} because too few replicas are in step"
        ),
        "slave-not-available": say(
            "{lines:count} {lines:message was|messages were} stored while no slave was connected"
        ),
    }.get(cause, say("The broker refused {lines:count} {lines:message|messages}, and its disk has room"))


def _explained(
    cause: str, refused: list[LogEvent], told: list[LogEvent] | tuple[()], percent: int, limit: int | None
) -> Iterator[Text]:
    yield from map(counted_lines_about, refused)
    for event in told:
        yield say(
            "The store said {lines:count} {lines:time|times} that putMessage is forbidden, {when}.",
            lines=event.count,
            when=when(event),
        )
    if percent:
        yield say("The answers name disks that are at most {disk_percent} % full.")
    if limit is not None:
        yield say("The limit was {limit_bytes:bytes} (maxMessageSize).")
    if cause == "slave-not-available":
        yield say("The messages are on the master alone: they are lost if its disk is.")

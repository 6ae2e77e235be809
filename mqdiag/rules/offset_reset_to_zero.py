"""A broker sent a consumer back to the beginning of a queue."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts, OffsetReset, VersionRange
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.log_events import between
from mqdiag.text import NOTHING, Text, say, sentences
from mqdiag.time_ranges import between as range_between
from mqdiag.time_ranges import joined

MOST_ROWS = 5
"""resets that are explained"""

RULE = Rule(
    name="offset-reset-to-zero",
    title="A consumer was sent back to offset 0 and reads everything again",
    why=(
        "A master that lost the end of its commit log in a power failure has fewer messages than its slave, from which"
        " consumers read meanwhile. When they come back to the master, their offsets lie beyond its end. Brokers up to"
        " 4.9.3 then answer with offset 0 if the queue still begins at 0: the group consumes everything again, deleted"
        " messages included."
    ),
    causes=("offset-beyond-end",),
    severities=(Severity.ERROR,),
    remedy=(
        "Stop the group if its work must not be done twice, and set its offsets by time:"
        " mqadmin resetOffsetByTime -n {name_server:arg NAMESRV:9876} -g {group:arg GROUP} -t {topic:arg TOPIC}"
        " -s {sent_back_at:timestamp}.",
        "Before the next restart of a master that lost data, copy commitlog, consumequeue and config of its slave to"
        " it; mqdiag diagnose on both store folders shows beforehand whether this is necessary.",
        "Upgrade the broker to 4.9.4, 5.0.0 or later: these go on at the end of the queue. Make the consumers"
        " idempotent.",
    ),
    references=(
        "article 003: restart of a master after a power loss",
        "https://issues.apache.org/jira/browse/ROCKETMQ-348",
        "https://github.com/apache/rocketmq/pull/4219",
        "https://github.com/apache/rocketmq/issues/2181",
    ),
    explained_by=("slave-behind:slave-ahead", "offset-ahead-of-store"),
    limits={"requested": 1},
    lies_at="broker",
    in_chain=say("consume offsets are set back to 0"),
)


def _facts(given: int) -> Facts:
    reset = OffsetReset(
        group="CID_wash", topic="segments", requested=500, given=given, broker_max=75, sides=("broker",)
    )
    return Facts(logs=LogsFacts(offset_resets=(reset,)))


def fires() -> Facts:
    """The consumer asks for 500 and must begin at 0; the broker's queue ends at 75."""
    return _facts(0)


def silent() -> Facts:
    """The consumer goes on at the end, as with brokers from 4.9.4 on."""
    return _facts(75)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and topic, and for each broker where there are several."""
    logs = facts.logs
    assert logs is not None
    resets = [
        reset
        for reset in logs.offset_resets
        # a topic that was made again has an empty queue, and 0 is right
        if reset.given == 0
        and reset.requested >= limits["requested"]
        and not reset.no_queue_data
        and reset.broker_max != 0
    ]
    several = bool(logs.brokers)
    parts: dict[tuple[str | None, ...], list[OffsetReset]] = {}
    for reset in resets:
        broker = (reset.broker, reset.instance) if several else ()
        parts.setdefault((reset.group, reset.topic, *broker), []).append(reset)
    versions = {(one.name, one.instance): one.version for one in logs.brokers}
    for part in parts.values():
        own = (part[0].broker, part[0].instance)
        yield _draft(part, versions.get(own) if several else logs.broker_version)


def _draft(resets: list[OffsetReset], version: VersionRange | None) -> Draft:
    by_offset = sorted(resets, key=lambda reset: -reset.requested)
    farthest, shown = by_offset[0], by_offset[:MOST_ROWS]
    known = farthest.broker_max is not None
    brokers = {reset.broker for reset in resets if reset.broker}
    queues = {reset.queue_id for reset in resets if reset.queue_id is not None}
    again = _consumed_again(resets)
    return Draft(
        severity=Severity.ERROR,
        cause="offset-beyond-end",
        confidence=Confidence.HIGH if known else Confidence.MEDIUM,
        confidence_reason=NOTHING if known else say("the line about the overflow is not in these logs"),
        title=_title(farthest),
        subject=Subject(
            group=farthest.group,
            topic=farthest.topic,
            broker=brokers.pop() if len(brokers) == 1 else None,
            queue_id=queues.pop() if len(queues) == 1 else None,
            instance=farthest.instance,
        ),
        evidence={
            "requested_offset": farthest.requested,
            "given_offset": farthest.given,
            "broker_max_offset": farthest.broker_max,
            "sent_back_at": min((reset.first for reset in resets if reset.first is not None), default=None),
            "queues": len(resets),
            "consumed_again": sum(again.values()) if again else None,
            "queues_consumed_again": len(again),
            "broker_since": None if version is None else version.since,
            "broker_before": None if version is None else version.before,
            "sides": tuple(dict.fromkeys(side for reset in resets for side in reset.sides)),
            "reset_queue_ids": tuple(reset.queue_id for reset in shown if reset.queue_id is not None),
            "reset_requested_offsets": tuple(reset.requested for reset in shown),
            "reset_broker_max_offsets": tuple(
                reset.broker_max for reset in shown if reset.broker_max is not None
            ),
        },
        explanation=(*map(_explained, shown), *_by_version(version)),
        remedy=RULE.remedy,
        when=joined([period for one in resets for period in range_between(one.first, one.last)]),
        weight=1.0,
        consequence=_consequence(farthest, again),
    )


def _consumed_again(resets: list[OffsetReset]) -> dict[tuple[str | None, int | None], int]:
    """By queue, the messages that the group gets once more: all that the broker still has below its old offset."""
    again: dict[tuple[str | None, int | None], int] = {}
    for reset in resets:
        if reset.broker_max is not None:
            place = (reset.broker, reset.queue_id)
            again[place] = max(again.get(place, 0), min(reset.requested, reset.broker_max))
    return again


def _consequence(reset: OffsetReset, again: dict[tuple[str | None, int | None], int]) -> Text:
    if reset.group is None or not any(again.values()):
        return NOTHING
    if reset.topic is None:
        return say(
            "group {group} gets {consumed_again:count} {consumed_again:message|messages} of"
            " {queues_consumed_again:count} {queues_consumed_again:queue|queues} once more"
        )
    return say(
        "group {group} gets {consumed_again:count} {consumed_again:message|messages} of {queues_consumed_again:count}"
        " {queues_consumed_again:queue|queues} of topic {topic} once more"
    )


def _title(reset: OffsetReset) -> Text:
    group = _group(reset)
    if reset.topic is None:
        return say(
            "{who} was sent back from offset {requested_offset:count} to 0: it consumes everything again",
            who=group,
        )
    return say(
        "{who} was sent back from offset {requested_offset:count} to 0 on topic {topic}: it consumes everything again",
        who=group,
    )


def _group(reset: OffsetReset) -> Text:
    return say("Group {group}", group=reset.group) if reset.group else say("A group")


def _explained(reset: OffsetReset) -> Text:
    who, when = _group(reset), between(reset.first, reset.last)
    if reset.queue_id is None:
        asked = say(
            "{who} asked for offset {requested:count} and was given 0 {when}.",
            who=who,
            requested=reset.requested,
            when=when,
        )
    else:
        asked = say(
            "{who} asked for offset {requested:count} of queue {queue_id} and was given 0 {when}.",
            who=who,
            requested=reset.requested,
            queue_id=reset.queue_id,
            when=when,
        )
    if reset.broker_max is None:
        return asked
    return sentences(asked, say("The broker's queue ended at {broker_max:count}.", broker_max=reset.broker_max))


def _by_version(version: VersionRange | None) -> Iterator[Text]:
    if version is not None and not version.reason:
        yield say(
            "The broker's version is {version} (known from: {told_by}). From 4.9.4 on consumers go on at the end of the"
            " queue.",
            version=version.said,
            told_by=version.told_by,
        )

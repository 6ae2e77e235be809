"""A consumer was sent back to the beginning of a queue."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts, OffsetReset, VersionRange
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.log_events import between
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import NOTHING, say
from mqdiag.time_ranges import between as spell_between
from mqdiag.time_ranges import joined


def _facts(given: int) -> Facts:
    reset = OffsetReset(
        group="CID_wash", topic="segments", requested=500, given=given, broker_max=75, sides=("broker",)
    )
    return Facts(logs=LogsFacts(offset_resets=(reset,)))


def fires() -> Facts:
    """Asked for 500, told to begin at 0, on a broker whose queue ends at 75."""
    return _facts(0)


def silent() -> Facts:
    """Told to go on at the end, as brokers from 4.9.4 do."""
    return _facts(75)


@rule(
    name="offset-reset-to-zero",
    title="A consumer was sent back to offset 0 and reads everything again",
    why=(
        "A master that lost its tail in a power failure has fewer messages than its slave, from which consumers read"
        " meanwhile. When they come back, their offsets lie beyond its end. Brokers up to 4.9.3 then answer with offset"
        " 0 if the queue still begins at 0: the group consumes everything again, deleted messages included."
    ),
    causes=("offset-beyond-end",),
    severities=(Severity.ERROR,),
    remedy=(
        "Stop the group if its work must not be done twice, and set its offsets by time:"
        " mqadmin resetOffsetByTime -n NAMESRV:9876 -g GROUP -t TOPIC -s TIMESTAMP.",
        "Before the next restart of a master that lost data copy commitlog, consumequeue and config of its slave to"
        " it; mqdiag diagnose on both store folders tells beforehand.",
        "Upgrade the broker to 4.9.4, 5.0.0 or later, which go on at the end of the queue; make the consumers"
        " idempotent.",
    ),
    references=(
        "article 003: restart of a master after a power loss",
        "https://issues.apache.org/jira/browse/ROCKETMQ-348",
        "https://github.com/apache/rocketmq/pull/4219",
        "https://github.com/apache/rocketmq/issues/2181",
    ),
    needs=("logs",),
    explained_by=("slave-behind:slave-ahead", "offset-ahead-of-store"),
    limits={"requested": 1},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group and topic, and for each broker where there are several."""
    logs = facts.logs
    assert logs is not None
    bad = [
        reset
        for reset in logs.offset_resets
        # the topic was made anew: its queue is empty, and 0 is right
        if reset.given == 0
        and reset.requested >= limits["requested"]
        and not reset.no_queue_data
        and reset.broker_max != 0
    ]
    several = bool(logs.brokers)
    parts: dict[tuple[str | None, ...], list[OffsetReset]] = {}
    for reset in bad:
        broker = (reset.broker, reset.instance) if several else ()
        parts.setdefault((reset.group, reset.topic, *broker), []).append(reset)
    versions = {(one.name, one.instance): one.version for one in logs.brokers}
    for resets in parts.values():
        own = (resets[0].broker, resets[0].instance)
        yield _draft(resets, versions.get(own) if several else logs.broker_version)


def _draft(resets: list[OffsetReset], version: VersionRange | None) -> Draft:
    worst = max(resets, key=lambda reset: reset.requested)
    known = worst.broker_max is not None
    brokers = {reset.broker for reset in resets if reset.broker}
    queues = {reset.queue_id for reset in resets if reset.queue_id is not None}
    explained = [
        say(
            "Group {group} asked for offset {requested:count}",
            group=reset.group or "?",
            requested=reset.requested,
        )
        + (say(" of queue {queue_id}", queue_id=reset.queue_id) if reset.queue_id is not None else "")
        + say(" and was given 0 {between}", between=between(reset.first, reset.last))
        + (
            ""
            if reset.broker_max is None
            else say("; the broker's queue ended at {broker_max:count}", broker_max=reset.broker_max)
        )
        + say(".")
        for reset in sorted(resets, key=lambda reset: -reset.requested)[:5]
    ]
    if version is not None and not version.reason:
        explained.append(
            say(
                "The broker is {version}, by {told_by}; from 4.9.4 on it would have gone on at the end.",
                version=version.said,
                told_by=say(" and ").join(version.told_by),
            )
        )
    return Draft(
        severity=Severity.ERROR,
        cause="offset-beyond-end",
        confidence=Confidence.HIGH if known else Confidence.MEDIUM,
        confidence_reason=NOTHING if known else say("the line about the overflow is not in these logs"),
        title=(
            say(
                "Group {group} was sent back from offset {requested:count} to 0",
                group=worst.group or "?",
                requested=worst.requested,
            )
            + (say(" on topic {topic}", topic=worst.topic) if worst.topic else "")
            + say(": it consumes everything again")
        ),
        subject=Subject(
            group=worst.group,
            topic=worst.topic,
            broker=brokers.pop() if len(brokers) == 1 else None,
            queue_id=queues.pop() if len(queues) == 1 else None,
            instance=worst.instance,
        ),
        evidence={
            "requested_offset": worst.requested,
            "given_offset": worst.given,
            "broker_max_offset": worst.broker_max,
            "queues": len(resets),
            "broker_since": None if version is None else version.since,
            "broker_before": None if version is None else version.before,
            "sides": tuple(dict.fromkeys(side for reset in resets for side in reset.sides)),
        },
        explanation=tuple(explained),
        remedy=check.card.remedy,
        when=joined([period for one in resets for period in spell_between(one.first, one.last)]),
        weight=1.0,
    )

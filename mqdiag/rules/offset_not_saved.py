"""A consumer asks again and again for an offset that the broker corrected before."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts, OffsetReset
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.log_events import between
from mqdiag.text import say
from mqdiag.time_ranges import between as range_between

RULE = Rule(
    name="offset-not-saved",
    title="A consumer asks again and again for an offset that was corrected before",
    why=(
        "A broker that has deleted old messages gives a consumer the first offset that it still has. The consumer"
        " stores it and goes on from there. A consumer that asks for the old offset again could not store the new one:"
        " with broadcasting it writes to a local file, and its disk may be broken or full."
    ),
    causes=("offset-not-saved",),
    severities=(Severity.WARNING,),
    remedy=(
        "On the client's host check that the folder of its offsets can be written: ~/.rocketmq_offsets, or the path of"
        " rocketmq.client.localOffsetStoreDir.",
        "Delete the file offsets.json of that group, so that the client begins again.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/719",
        "LocalFileOffsetStore.persistAll, PullMessageProcessor: PULL_OFFSET_MOVED",
    ),
    limits={"times": 3},
    lies_at="client",
    in_chain=say("the consumer does not keep its offset"),
    proven_on=LITERALS,
)


def _facts(count: int) -> Facts:
    row = OffsetReset(
        group="CID_feed",
        topic="orders",
        requested=156_000,
        given=172_000,
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:41+08:00",
        sides=("broker",),
    )
    return Facts(logs=LogsFacts(offset_resets=(row,)))


def fires() -> Facts:
    """Three times the same correction."""
    return _facts(3)


def silent() -> Facts:
    """Twice: two queues, or two instances."""
    return _facts(2)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and offset."""
    assert facts.logs is not None
    for row in facts.logs.offset_resets:
        if row.count >= limits["times"] and 0 < row.requested < row.given:
            yield _draft(row)


def _draft(row: OffsetReset) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="offset-not-saved",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("many instances of a group that start at one time ask alike"),
        title=say(
            "Group {group} asked {times:count} times for offset {requested:count}, which no longer exists"
        )
        if row.group is not None
        else say("A consumer asked {times:count} times for offset {requested:count}, which no longer exists"),
        subject=Subject(
            group=row.group, topic=row.topic, broker=row.broker, queue_id=row.queue_id, instance=row.instance
        ),
        evidence={"times": row.count, "requested": row.requested, "given": row.given},
        explanation=(
            say(
                "Each time the broker gave offset {given:count} instead, {between}.",
                between=between(row.first, row.last),
            ),
            say("A consumer that keeps its offset asks for the old one once."),
        ),
        remedy=RULE.remedy,
        when=range_between(row.first, row.last),
        weight=0.4,
    )

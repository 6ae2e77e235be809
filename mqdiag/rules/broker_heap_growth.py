"""A table or queue of the broker has grown out of proportion."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.broker import BrokerFacts, BrokerTable
from mqdiag.findings import Confidence, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.brokers import brokers_of_heap, called
from mqdiag.rules.shared.example_broker import example
from mqdiag.text import say

RULE = Rule(
    name="broker-heap-growth",
    title="One table or queue of the broker takes a large part of its heap",
    why=(
        "A broker does not keep messages in its heap. Its heap grows by tables of topics, groups and channels, the"
        " buffers of pop consumption and the queues before the request pools; some of them have no limit. They lead to"
        " long collections, which senders see as broker busy, and to an OutOfMemoryError."
    ),
    causes=("unbounded-table", "waiting-requests"),
    severities=(Severity.WARNING,),
    remedy=(
        "Read the issues named for the table, and upgrade to a version that has them fixed.",
        "For a table of topics, groups or clients find out who creates new names all the time, and stop it.",
        "For a request queue take a series of thread dumps: it shows what the queue's threads wait for.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3277",
        "https://github.com/apache/rocketmq/issues/6598",
        "https://github.com/apache/rocketmq/issues/8463",
        "https://github.com/apache/rocketmq/issues/8673",
    ),
    limits={"share": 0.2, "bytes": 64 << 20},
    lies_at="broker",
)


def _facts(retained: int) -> Facts:
    table = BrokerTable(
        name="PopBufferMergeService.buffer",
        entries=2_000_000,
        retained_bytes=retained,
        issues=("https://github.com/apache/rocketmq/issues/6598",),
    )
    return example(tables=(table,))


def fires() -> Facts:
    """3 of 8 GiB."""
    return _facts(3 << 30)


def silent() -> Facts:
    """30 MiB."""
    return _facts(30 << 20)


WAITING_REQUESTS = (
    say("Take a series of thread dumps of the broker: it shows what the threads behind the queue wait for."),
    say(
        "Where the heap must not fill up before that is found, lower the queue's capacity, such as"
        " sendThreadPoolQueueCapacity: a full queue refuses requests, and a full heap stops the broker."
    ),
)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each table."""
    heap = facts.heap
    assert heap is not None
    whole = heap.limit_bytes or heap.shallow_bytes or 0
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        large = [
            table
            for table in broker.tables
            if table.retained_bytes >= limits["bytes"] and table.retained_bytes >= limits["share"] * whole
        ]
        for table in large:
            yield _draft(heap, broker, table, table.retained_bytes / whole if whole else 1.0)
        if broker.tables and whole and not large:
            table = max(broker.tables, key=lambda one: one.retained_bytes)
            label = say("{table} of {broker}", table=table.name, broker=called(broker.name))
            yield Margin(
                rule="",
                label=label,
                value=table.retained_bytes,
                limit=max(limits["bytes"], limits["share"] * whole),
                kind="bytes",
            )


def _draft(heap: HeapFacts, broker: BrokerFacts, table: BrokerTable, share: float) -> Draft:
    holder, _, field = table.name.rpartition(".")
    explained = [
        say(
            "Its {entries:count} {entries:entry retains|entries retain} {retained_bytes:bytes}, {share:percent} of the"
            " heap."
        )
        if heap.limit_bytes
        else say(
            "Its {entries:count} {entries:entry retains|entries retain} {retained_bytes:bytes}, {share:percent} of all"
            " live objects of the dump."
        )
    ]
    waiting = table.name.endswith("ThreadPoolQueue") and not table.issues
    if waiting:
        explained.append(
            say("These are requests that wait for a thread of the broker, each with its message, and no leak.")
        )
    if table.issues:
        explained.append(say("Known from: {issues}.", issues=table.issues))
    return Draft(
        severity=Severity.WARNING,
        cause="waiting-requests" if waiting else "unbounded-table",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump does not show whether it grows"),
        title=say("{table} of {called} retains {retained_bytes:bytes}", called=called(broker.name)),
        subject=Subject(broker=broker.name, object_class=holder, field=field),
        evidence={
            "table": table.name,
            "entries": table.entries,
            "retained_bytes": table.retained_bytes,
            "share": round(share, 4),
            "broker_version": broker.version,
        },
        explanation=tuple(explained),
        remedy=WAITING_REQUESTS if waiting else RULE.remedy,
        weight=share,
    )

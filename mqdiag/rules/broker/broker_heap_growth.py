"""A table or queue of the broker has grown out of proportion."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.broker import BrokerFacts, BrokerTable
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.broker._brokers import brokers, called
from mqdiag.rules.broker._example import example
from mqdiag.rules.registry import RIG, Draft, Limits, Skip, rule
from mqdiag.text import say


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


@rule(
    name="broker-heap-growth",
    title="One table or queue of the broker takes a large part of its heap",
    why=(
        "Messages are not in a broker's heap; what grows there are tables by topic, group and channel, the buffers of"
        " pop consumption and the queues before the request pools, some of them without bound. They lead to long"
        " collections, which senders see as broker busy, and to an OutOfMemoryError."
    ),
    causes=("unbounded-table",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the issues named for the table, and upgrade to a version that has them fixed.",
        "For tables by topic, group or client find who makes new names all the time, and stop it.",
        "For a request queue see what its threads wait for, with a series of thread dumps.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3277",
        "https://github.com/apache/rocketmq/issues/6598",
        "https://github.com/apache/rocketmq/issues/8463",
        "https://github.com/apache/rocketmq/issues/8673",
    ),
    needs=("heap",),
    limits={"share": 0.2, "bytes": 64 << 20},
    proven_on=RIG,
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each table."""
    heap = facts.heap
    assert heap is not None
    for broker in brokers(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        whole = heap.heap_bytes or heap.shallow_bytes or 0
        for table in broker.tables:
            if table.retained_bytes >= limits["bytes"] and table.retained_bytes >= limits["share"] * whole:
                yield _draft(heap, broker, table, table.retained_bytes / whole if whole else 1.0)


def _draft(heap: HeapFacts, broker: BrokerFacts, table: BrokerTable, share: float) -> Draft:
    of = say("the heap") if heap.heap_bytes else say("what the dump holds")
    holder, _, field = table.name.rpartition(".")
    issues = say(" Known from: {issues}.", issues=", ".join(table.issues)) if table.issues else ""
    return Draft(
        severity=Severity.WARNING,
        cause="unbounded-table",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump does not tell whether it grows"),
        title=say(
            "{name} of {called} keeps {retained_bytes:bytes}",
            name=table.name,
            called=called(broker),
            retained_bytes=table.retained_bytes,
        ),
        subject=Subject(broker=broker.name, object_class=holder, field=field),
        evidence={
            "table": table.name,
            "entries": table.entries,
            "retained_bytes": table.retained_bytes,
            "share": round(share, 4),
            "broker_version": broker.version,
        },
        explanation=(
            say(
                (
                    "Its {entries:count} entries keep {retained_bytes:bytes} alive, {share:percent} of"
                    " {of}.{issues}"
                ),
                entries=table.entries,
                retained_bytes=table.retained_bytes,
                share=share,
                of=of,
                issues=issues,
            ),
        ),
        remedy=check.card.remedy,
        weight=share,
    )

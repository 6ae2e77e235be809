"""The application keeps messages outside of RocketMQ's queues, executors and working threads."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import MessageHolder, MessageTotals
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Severity, Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule

RULE = Rule("messages-outside-queues")
MOST_SHOWN = 5
"""holders that the explanation names"""
MOST_LISTED = 10
"""holders in the evidence"""


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """At most one finding; its subject is the largest holder."""
    if heap.broker is not None and not heap.consumers:
        # a broker's messages are on their way into the commit log: a waiting flush or slave holds many
        return
    totals = heap.message_totals
    if totals is None:
        yield RULE.skip("not-determined")
    elif totals.elsewhere >= limits["messages"]:
        yield _kept(heap, totals, limits)
    elif totals.elsewhere:
        yield RULE.margin("messages", totals.elsewhere, limits["messages"])


def _kept(heap: HeapFacts, totals: MessageTotals, limits: Limits) -> Draft:
    holders = sorted(heap.message_holders, key=lambda holder: (-holder.messages, holder.object_id))
    first = holders[0] if holders else None
    share = ratio(totals.elsewhere_bytes, heap.shallow_bytes) or 0.0
    return RULE.case(
        "several-holders" if first is None else "one-holder",
        subject=Subject(
            object_class=None if first is None else first.holder_class,
            field=None if first is None else first.holder_field,
        ),
        evidence={
            "messages": heap.messages or 0,
            "retained_messages": totals.elsewhere,
            "retained_bytes": totals.elsewhere_bytes,
            "share": round(share, 4),
            "holder_class": None if first is None else first.holder_class,
            "holder_field": None if first is None else first.holder_field,
            "holder_messages": None if first is None else first.messages,
            "object_id": None if first is None else first.object_id,
            "holders": tuple(f"{_place(holder)}: {holder.messages:,}" for holder in holders[:MOST_LISTED]),
            "messages_by_holder": tuple(holder.messages for holder in holders[:MOST_LISTED]),
            "path": () if first is None else first.path,
            "messages_in_queues": totals.in_queues,
            "messages_in_executors": totals.in_executors,
            "messages_in_frames": totals.in_frames,
        },
        words={
            "holder": None if first is None else _place(first),
            "steps": " -> ".join(first.path) if first is not None and first.path else None,
            "simple_consumer": any(consumer.traits.application_holds for consumer in heap.consumers),
        },
        rows={"holders": tuple({"holder": _place(one), "held": one.messages} for one in holders[:MOST_SHOWN])},
        severity=Severity.ERROR if share >= limits["share_error"] else Severity.WARNING,
        weight=share,
    )


def _place(holder: MessageHolder) -> str:
    return f"{holder.holder_class}.{holder.holder_field}" if holder.holder_field else holder.holder_class

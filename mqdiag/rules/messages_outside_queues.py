"""The application keeps messages outside of RocketMQ's queues, executors and working threads."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import MessageHolder, MessageTotals
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Confidence, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say, sentences

MOST_SHOWN = 5
"""holders that the explanation names"""

RULE = Rule(
    name="messages-outside-queues",
    title="The application keeps messages after RocketMQ has released them",
    why=(
        "RocketMQ releases a message when its listener returns. If no ProcessQueue, executor or working thread holds a"
        " message, the application keeps it: in a list, a cache or a map of futures. No threshold of RocketMQ limits"
        " these messages, so they grow until the heap is full."
    ),
    causes=("application-retains-messages",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Copy what you need out of the message, and release the message object.",
        "Limit the size of the collection, or remove an entry when its work is done.",
    ),
    references=("DefaultMQPushConsumerImpl, ProcessQueue.removeMessage: the queue forgets a finished message",),
    limits={"messages": 500, "share_error": 0.1},
    in_chain=say("messages pile up outside RocketMQ"),
)


def _facts(elsewhere: int, holders: tuple[MessageHolder, ...]) -> Facts:
    heap = HeapFacts(
        objects=100_000,
        shallow_bytes=200_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        process_queues=8,
        messages=elsewhere + 20,
        messages_in_queues=20,
        message_totals=MessageTotals(in_queues=20, elsewhere=elsewhere, elsewhere_bytes=elsewhere * 40_000),
        message_holders=holders,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """An audit trail of the application keeps 2,000 consumed messages."""
    holder = MessageHolder(
        holder_class="com.acme.Audit",
        holder_field="TRAIL",
        object_id="0x1",
        messages=2000,
        retained_bytes=80_000_000,
        path=("class com.acme.Audit", "TRAIL java.util.ArrayList"),
    )
    return _facts(2000, (holder,))


def silent() -> Facts:
    """The application keeps a few messages, as any listener does."""
    return _facts(499, ())


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding; its subject is the largest holder."""
    heap = facts.heap
    assert heap is not None
    if heap.broker is not None and not heap.consumers:
        # a broker's messages are on their way into the commit log: a waiting flush or slave holds many
        return
    totals = heap.message_totals
    if totals is None:
        yield Skip(reason=say("the holders of the messages were not determined"))
    elif totals.elsewhere >= limits["messages"]:
        yield _draft(heap, totals, limits)
    elif totals.elsewhere:
        yield Margin(
            rule="",
            label=say("messages that the application keeps outside of RocketMQ"),
            value=totals.elsewhere,
            limit=limits["messages"],
            kind="count",
        )


def _draft(heap: HeapFacts, totals: MessageTotals, limits: Limits) -> Draft:
    holders = sorted(heap.message_holders, key=lambda holder: (-holder.messages, holder.object_id))
    first = holders[0] if holders else None
    share = ratio(totals.elsewhere_bytes, heap.shallow_bytes) or 0.0
    return Draft(
        severity=Severity.ERROR if share >= limits["share_error"] else Severity.WARNING,
        cause="application-retains-messages",
        confidence=Confidence.MEDIUM if first is None else Confidence.HIGH,
        confidence_reason=(
            say("several holders share the messages, so no single one could be named")
            if first is None
            else say("the references from the holder to the messages were followed")
        ),
        title=(
            say("The application keeps {retained_messages:count} messages that RocketMQ has released")
            if first is None
            else say(
                "{holder} keeps {retained_messages:count} messages that RocketMQ has released",
                holder=_place(first),
            )
        ),
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
            "holders": tuple(f"{_place(holder)}: {holder.messages:,}" for holder in holders[:10]),
            "messages_by_holder": tuple(holder.messages for holder in holders[:10]),
            "path": () if first is None else first.path,
            "messages_in_queues": totals.in_queues,
            "messages_in_executors": totals.in_executors,
            "messages_in_frames": totals.in_frames,
        },
        explanation=tuple(_explained(heap, totals, holders)),
        remedy=_remedy(first),
        weight=share,
    )


def _explained(heap: HeapFacts, totals: MessageTotals, holders: list[MessageHolder]) -> Iterator[Text]:
    yield sentences(
        say(
            "Of {messages:count} messages, {retained_messages:count} are in no ProcessQueue, in no queued or running"
            " request and in no working thread."
        ),
        None
        if totals.elsewhere_bytes is None
        else say("They retain {retained_bytes:bytes}, {share:percent} of the heap in use."),
    )
    for holder in holders[:MOST_SHOWN]:
        yield say("{holder} holds {held:count} of them.", holder=_place(holder), held=holder.messages)
    if any(consumer.traits.application_holds for consumer in heap.consumers):
        yield say(
            "A SimpleConsumer of the gRPC client keeps nothing itself: what receive() gave is the application's until"
            " it calls ack(). A message that is not acknowledged within its invisible duration is delivered again."
        )
    if holders and holders[0].path:
        yield say("The path to the holder is {steps}.", steps=" -> ".join(holders[0].path))


def _remedy(holder: MessageHolder | None) -> tuple[Text, ...]:
    limit = say(
        "Limit the size of that collection, or remove an entry when its work is done. No setting of RocketMQ limits"
        " what the application keeps."
    )
    if holder is None:
        return (RULE.remedy[0], limit)
    look = say(
        "Look at {holder}: copy what you need out of each message, and release the message object.",
        holder=_place(holder),
    )
    return (look, limit)


def _place(holder: MessageHolder) -> str:
    return f"{holder.holder_class}.{holder.holder_field}" if holder.holder_field else holder.holder_class

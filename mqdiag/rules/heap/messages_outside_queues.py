"""Messages are kept by something else than RocketMQ's queues, executors and working threads."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import MessageHolder, MessageTotals
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


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
    """A handful in the application's hands, as any listener has."""
    return _facts(499, ())


@rule(
    name="messages-outside-queues",
    title="The application keeps messages after RocketMQ has let them go",
    why=(
        "RocketMQ drops a message when its listener returns. Messages that neither a ProcessQueue nor an"
        " executor nor a working thread holds are kept by the application: a list, a cache, a map of futures."
        " No threshold of RocketMQ counts them, so they grow until the heap is full."
    ),
    causes=("application-retains-messages",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Copy what is needed out of the message and let the MessageExt go.",
        "Bound the collection, or drop its entries when the work is done.",
    ),
    references=("DefaultMQPushConsumerImpl, ProcessQueue.removeMessage: the queue forgets a finished message",),
    needs=("heap",),
    limits={"messages": 500, "share_error": 0.1},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """At most one finding; its subject is the largest holder."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    if heap.broker is not None and not heap.consumers:
        # A broker's messages are on their way into the commit log: a waiting flush or slave holds many.
        return
    totals = heap.message_totals
    if totals is None:
        yield Skip(reason=say("who holds each message was not determined"))
        return
    if totals.elsewhere < limits["messages"]:
        return
    holders = sorted(heap.message_holders, key=lambda holder: (-holder.messages, holder.object_id))
    size = totals.elsewhere_bytes
    share = size / heap.shallow_bytes if size is not None and heap.shallow_bytes else 0.0
    first = holders[0] if holders else None
    where = say("something outside RocketMQ") if first is None else _place(first)
    yield Draft(
        severity=Severity.ERROR if share >= limits["share_error"] else Severity.WARNING,
        cause="application-retains-messages",
        confidence=Confidence.MEDIUM if first is None else Confidence.HIGH,
        confidence_reason=(
            say("the messages are shared by several holders, so no single one could be named")
            if first is None
            else say("the references from the holder to the messages were followed")
        ),
        title=say(
            "{elsewhere:count} messages are kept by {where}, not by RocketMQ",
            elsewhere=totals.elsewhere,
            where=where,
        ),
        subject=Subject(
            object_class=None if first is None else first.holder_class,
            field=None if first is None else first.holder_field,
        ),
        evidence={
            "retained_messages": totals.elsewhere,
            "retained_bytes": size,
            "share": round(share, 4),
            "holder_class": None if first is None else first.holder_class,
            "holder_field": None if first is None else first.holder_field,
            "holder_messages": None if first is None else first.messages,
            "object_id": None if first is None else first.object_id,
            "holders": tuple(f"{_place(holder)}: {holder.messages:,}" for holder in holders[:10]),
            "path": () if first is None else first.path,
            "messages_in_queues": totals.in_queues,
            "messages_in_executors": totals.in_executors,
            "messages_in_frames": totals.in_frames,
        },
        explanation=(
            say(
                (
                    "{elsewhere:count} of {messages:count} messages are in no ProcessQueue, no queued or"
                    " running request and no thread's hands"
                ),
                elsewhere=totals.elsewhere,
                messages=heap.messages or 0,
            )
            + (
                "."
                if size is None
                else say(
                    "; {size:bytes} would go with them, {share:percent} of the heap in use.",
                    size=size,
                    share=share,
                )
            ),
            *(
                say("{place} holds {messages:count} of them.", place=_place(holder), messages=holder.messages)
                for holder in holders[:5]
            ),
            *(() if first is None or not first.path else (say("Held by: ") + " -> ".join(first.path),)),
        ),
        remedy=(
            say(
                "Look at {where}: take what is needed out of each message and let the MessageExt go.",
                where=where,
            ),
            say(
                "Bound that collection, or remove entries when the work on a message is done; no RocketMQ setting"
                " limits what the application keeps."
            ),
        ),
        weight=share,
    )


def _place(holder: MessageHolder) -> str:
    return f"{holder.holder_class}.{holder.holder_field}" if holder.holder_field else holder.holder_class

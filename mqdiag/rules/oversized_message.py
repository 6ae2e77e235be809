"""A cached message is so large that a few of them matter."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import QueueFacts
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import queue_name
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say

RULE = Rule(
    name="oversized-message",
    title="A cached message is very large",
    why=(
        "The client compares its thresholds with the number of messages and with whole MiB of a queue, and does so"
        " before a pull. So one large message passes any of them. Put bodies of some MiB into a store and send a"
        " reference: large bodies slow the broker's page cache, and every copy of them on the way takes memory again."
    ),
    causes=("large-messages",),
    severities=(Severity.WARNING,),
    remedy=(
        "Store the content elsewhere and send a reference, or split or compress it.",
        "Lower pullThresholdForQueue for the consumers of that topic.",
    ),
    references=("DefaultMQProducer.maxMessageSize: 4 MiB by default since 3.5.8",),
    limits={"body_bytes": 4 * 1024 * 1024, "heap_share": 0.1},
)


def _facts(largest: int) -> Facts:
    queue = QueueFacts(
        group="CID_wash",
        topic="files",
        broker="broker-a",
        queue_id=0,
        messages=3,
        body_bytes=largest + 2000,
        largest_body_bytes=largest,
        largest_body_offset=17,
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=100_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=2 * 1024**3,
        heap_bytes_source="option",
        queues=(queue,),
        process_queues=1,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A body has exactly 4 MiB."""
    return _facts(4 * 1024 * 1024)


def silent() -> Facts:
    """It has one byte less."""
    return _facts(4 * 1024 * 1024 - 1)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and topic, about its largest message."""
    heap = facts.heap
    assert heap is not None
    least = limits["body_bytes"]
    if heap.limit_bytes is not None:
        least = min(least, limits["heap_share"] * heap.limit_bytes)
    within_limit = []
    largest: dict[tuple[str | None, str | None], QueueFacts] = {}
    for queue in heap.queues:
        size = queue.largest_body_bytes or 0
        known = largest.get((queue.group, queue.topic))
        if size < least:
            within_limit.append(size)
        elif known is None or size > (known.largest_body_bytes or 0):
            largest[queue.group, queue.topic] = queue
    for queue in largest.values():
        yield _draft(heap, queue.group, queue.largest_body_bytes or 0, queue)
    for consumer in heap.consumers:
        size = consumer.largest_body_bytes or 0
        if not consumer.traits.messages_in_queues and size >= least:
            yield _draft(heap, consumer.group, size, None)
    if any(within_limit):
        label = say("the largest cached message")
        yield Margin(rule="", label=label, value=max(within_limit), limit=least, kind="bytes")


def _draft(heap: HeapFacts, group: str | None, size: int, queue: QueueFacts | None) -> Draft:
    share = ratio(size, heap.limit_bytes)
    return Draft(
        severity=Severity.WARNING,
        cause="large-messages",
        confidence=Confidence.HIGH,
        confidence_reason=say("the length of the body array was read"),
        title=(
            say("Group {group} caches a message of {largest_body_bytes:bytes}")
            if share is None
            else say(
                "Group {group} caches a message of {largest_body_bytes:bytes}, {heap_share:percent} of the heap"
            )
        ),
        subject=Subject(group=group, topic=None if queue is None else queue.topic),
        evidence={
            "largest_body_bytes": size,
            "heap_share": None if share is None else round(share, 4),
            **({} if queue is None else _place(queue)),
        },
        explanation=(_where(queue),),
        remedy=(
            say(
                "Store the content elsewhere (an object store, a database) and send a reference, or split or compress"
                " it."
            ),
            say(
                "Until then, lower {setting} of group {group}. The size limit does not stop one large message,"
                " because the client checks it before a pull.",
                setting=_count_setting(heap, group),
            ),
        ),
        weight=share or 0.0,
    )


def _count_setting(heap: HeapFacts, group: str | None) -> str:
    """The setting that limits the number of messages that the group caches."""
    own = [consumer.traits.count_setting for consumer in heap.consumers if consumer.group == group]
    return next((setting for setting in own if setting is not None), "pullThresholdForQueue")


def _where(queue: QueueFacts | None) -> Text:
    if queue is None:
        return say("The largest body has {largest_body_bytes:count} bytes.")
    if queue.queue_id is not None and queue.queue_id < 0:
        # stands for all queues of a broker, so the offset alone names no message
        return say("The largest body has {largest_body_bytes:count} bytes. The id of its message is {msg_id}.")
    return say(
        "The largest body has {largest_body_bytes:count} bytes. It is at offset {offset:count} of {queue}.",
        queue=queue_name(queue),
    )


def _place(queue: QueueFacts) -> dict[str, EvidenceValue]:
    return {
        "queue_id": queue.queue_id,
        "broker": queue.broker,
        "offset": queue.largest_body_offset,
        "msg_id": queue.largest_body_msg_id,
    }

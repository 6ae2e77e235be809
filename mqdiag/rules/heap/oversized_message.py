"""A cached message is so large that a few of them matter."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import QueueFacts
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


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
    """A body of exactly 4 MiB."""
    return _facts(4 * 1024 * 1024)


def silent() -> Facts:
    """One byte less."""
    return _facts(4 * 1024 * 1024 - 1)


@rule(
    name="oversized-message",
    title="A cached message is very large",
    why=(
        "Thresholds count messages and whole MiB per queue before the pull, so one large message passes any of"
        " them. Bodies of some MiB belong in a store with a reference in the message: they slow the broker's"
        " page cache and every copy of them on the way counts again."
    ),
    causes=("large-messages",),
    severities=(Severity.WARNING,),
    remedy=(
        "Store the content elsewhere and send a reference, or split or compress it.",
        "Lower pullThresholdForQueue for the consumers of that topic.",
    ),
    references=("DefaultMQProducer.maxMessageSize: 4 MiB by default since 3.5.8",),
    needs=("heap",),
    limits={"body_bytes": 4 * 1024 * 1024, "heap_share": 0.1},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group and topic, about its largest message."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    least = limits["body_bytes"]
    if heap.heap_bytes is not None:
        least = min(least, limits["heap_share"] * heap.heap_bytes)
    largest: dict[tuple[str | None, str | None], QueueFacts] = {}
    for queue in heap.queues:
        size = queue.largest_body_bytes or 0
        known = largest.get((queue.group, queue.topic))
        if size >= least and (known is None or size > (known.largest_body_bytes or 0)):
            largest[queue.group, queue.topic] = queue
    for queue in largest.values():
        at = say(
            " at offset {largest_body_offset} of {topic} queue {queue_id} on {broker}",
            largest_body_offset=queue.largest_body_offset,
            topic=queue.topic,
            queue_id=queue.queue_id,
            broker=queue.broker,
        )
        evidence: dict[str, EvidenceValue] = {
            "queue_id": queue.queue_id,
            "broker": queue.broker,
            "offset": queue.largest_body_offset,
            "msg_id": queue.largest_body_msg_id,
        }
        yield _draft(heap, queue.group, queue.topic, queue.largest_body_bytes or 0, at, evidence)
    for consumer in heap.consumers:
        if not consumer.traits.messages_in_queues and (consumer.largest_body_bytes or 0) >= least:
            yield _draft(heap, consumer.group, None, consumer.largest_body_bytes or 0, "", {})


def _draft(
    heap: HeapFacts, group: str | None, topic: str | None, size: int, at: str, place: dict[str, EvidenceValue]
) -> Draft:
    of_heap = size / heap.heap_bytes if heap.heap_bytes else None
    share = "" if of_heap is None else say(", {of_heap:percent} of the heap", of_heap=of_heap)
    return Draft(
        severity=Severity.WARNING,
        cause="large-messages",
        confidence=Confidence.HIGH,
        confidence_reason=say("the length of the body array was read"),
        title=say("Group {group} caches a message of {size:bytes}{share}", group=group, size=size, share=share),
        subject=Subject(group=group, topic=topic),
        evidence={
            "largest_body_bytes": size,
            "heap_share": None if of_heap is None else round(of_heap, 4),
            **place,
        },
        explanation=(say("The largest body has {size:count} bytes{at}.", size=size, at=at),),
        remedy=(
            say(
                "Store the content elsewhere (object store, database) and send a reference; or split or compress"
                " it."
            ),
            say(
                "Until then lower pullThresholdForQueue of group {group}: its size limit is looked at"
                " before a pull, so it does not stop one large message.",
                group=group,
            ),
        ),
        weight=of_heap or 0.0,
    )

"""A cached message is so large that a few of them matter."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import QueueFacts
from mqdiag.facts.ratios import ratio
from mqdiag.findings import EvidenceValue, Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.consumers import queue_name

RULE = Rule("oversized-message")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each group and topic, about its largest message."""
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
        yield _large(heap, queue.group, queue.largest_body_bytes or 0, queue)
    for consumer in heap.consumers:
        size = consumer.largest_body_bytes or 0
        if not consumer.traits.messages_in_queues and size >= least:
            yield _large(heap, consumer.group, size, None)
    if any(within_limit):
        yield RULE.margin("largest", max(within_limit), least)


def _large(heap: HeapFacts, group: str | None, size: int, queue: QueueFacts | None) -> Draft:
    share = ratio(size, heap.limit_bytes)
    place: dict[str, EvidenceValue] = {}
    if queue is not None:
        place = {
            "queue_id": queue.queue_id,
            "broker": queue.broker,
            "offset": queue.largest_body_offset,
            "msg_id": queue.largest_body_msg_id,
        }
    # a number below 0 stands for all queues of a broker, so the offset alone names no message
    named = queue is not None and (queue.queue_id is None or queue.queue_id >= 0)
    settings = [one.traits.count_setting for one in heap.consumers if one.group == group]
    return RULE.case(
        "large-messages",
        subject=Subject(group=group, topic=None if queue is None else queue.topic),
        evidence={
            "largest_body_bytes": size,
            "heap_share": None if share is None else round(share, 4),
            **place,
        },
        words={
            "queue": queue_name(queue) if queue is not None and named else None,
            "offset": None,
            "msg_id": None,
            "setting": next(filter(None, settings), "pullThresholdForQueue"),
        },
        weight=share or 0.0,
    )

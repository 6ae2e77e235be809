"""The objects around small messages take more heap than the messages."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("message-overhead")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """At most one finding for the JVM, about the consumer with the largest overhead."""
    known = [one for one in heap.consumers if one.retained_bytes is not None and one.messages]
    if not known:
        return
    overhead = sum(map(_overhead, known))
    bodies = sum(consumer.body_bytes for consumer in known)
    size = heap.limit_bytes or heap.in_use_bytes
    if overhead <= limits["heap_share"] * size:
        if heap.limit_bytes is not None:
            yield RULE.margin("objects", round(overhead / heap.limit_bytes, 4), limits["heap_share"])
        return
    if overhead <= limits["bodies_ratio"] * bodies:
        return
    if heap.limit_bytes is None and not heap.out_of_memory:
        yield RULE.skip("no-limit")
        return
    worst = max(known, key=_overhead)
    messages = sum(one.messages for one in known)
    setting = worst.traits.count_setting or ""
    yield RULE.case(
        "many-small-messages" if heap.limit_bytes is not None else "share-of-dump",
        subject=Subject(group=worst.group),
        evidence={
            "messages": messages,
            "retained_bytes": overhead + bodies,
            "overhead_bytes": overhead,
            "body_bytes": bodies,
            "overhead_per_message_bytes": round(overhead / messages),
            "heap_share": round(overhead / size, 4),
            "heap_bytes": heap.limit_bytes,
            "setting": setting,
            "threshold": worst.config.get(setting),
        },
        weight=overhead / size,
    )


def _overhead(consumer: ConsumerFacts) -> int:
    """What the consumer's messages retain besides their bodies."""
    return max(0, (consumer.retained_bytes or 0) - consumer.body_bytes)

"""The objects around small messages take more heap than the messages."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Confidence, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say

RULE = Rule(
    name="message-overhead",
    title="Objects around small messages fill the heap",
    why=(
        "Each cached message is a MessageExt with a map of properties, strings, two addresses, a tree entry and a"
        " queued request. These objects take 1.5 to 2.5 KiB, which pullThresholdSizeForQueue does not count. Since"
        " client 5.1.0 the map of properties alone begins with 128 slots. With many queues of tiny messages, these"
        " objects are most of the heap."
    ),
    causes=("many-small-messages",),
    severities=(Severity.WARNING,),
    remedy=(
        "Lower pullThresholdForQueue: here the number of messages fills the heap, not their size.",
        "Let the producer put several small events into one message.",
    ),
    references=("MessageDecoder.string2messageProperties: new HashMap<>(128) since 5.1.0",),
    limits={"bodies_ratio": 1.0, "heap_share": 0.1},
)


def _facts(retained: int) -> Facts:
    consumer = ConsumerFacts(
        group="CID_ticks",
        kind="push",
        config={"pullThresholdForQueue": 1000},
        queues=128,
        messages=128_000,
        body_bytes=12_800_000,
        retained_bytes=retained,
    )
    heap = HeapFacts(
        objects=3_000_000,
        shallow_bytes=400_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=1024**3,
        heap_bytes_source="option",
        consumers=(consumer,),
        process_queues=128,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """128 queues hold 1,000 messages of 100 bytes each, with 2 KiB of objects around each message."""
    return _facts(12_800_000 + 128_000 * 2048)


def silent() -> Facts:
    """The objects take 800 bytes for each message: more than the bodies, but less than a tenth of the heap."""
    return _facts(12_800_000 + 128_000 * 800)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding for the JVM, about the consumer with the largest overhead."""
    heap = facts.heap
    assert heap is not None
    known = [
        consumer for consumer in heap.consumers if consumer.retained_bytes is not None and consumer.messages
    ]
    if not known:
        return
    overhead = sum(map(_overhead, known))
    bodies = sum(consumer.body_bytes for consumer in known)
    size = heap.limit_bytes or heap.in_use_bytes
    if overhead <= limits["heap_share"] * size and heap.limit_bytes is not None:
        yield Margin(
            rule="",
            label=say("the objects around cached messages, as a share of the heap"),
            value=round(overhead / heap.limit_bytes, 4),
            limit=limits["heap_share"],
            kind="percent",
        )
    if overhead <= limits["bodies_ratio"] * bodies or overhead <= limits["heap_share"] * size:
        return
    if heap.limit_bytes is None and not heap.out_of_memory:
        yield Skip(
            reason=say(
                "the heap's size is unknown, so the share of these objects is unknown too: give --heap-limit"
            )
        )
        return
    yield _draft(heap, known, overhead, bodies, size)


def _draft(heap: HeapFacts, consumers: list[ConsumerFacts], overhead: int, bodies: int, size: int) -> Draft:
    worst = max(consumers, key=_overhead)
    messages = sum(one.messages for one in consumers)
    setting = worst.traits.count_setting or ""
    return Draft(
        severity=Severity.WARNING,
        cause="many-small-messages",
        confidence=Confidence.HIGH if heap.limit_bytes is not None else Confidence.MEDIUM,
        confidence_reason=(
            say("the size was read: what queues, messages and requests retain, less the bodies")
            if heap.limit_bytes is not None
            else say("the JVM's -Xmx is unknown, so the size of all objects in the dump was used instead")
        ),
        title=say(
            "The objects around {messages:count} small messages take {overhead_bytes:bytes}, {heap_share:percent} of"
            " the heap, while the bodies take {body_bytes:bytes}"
        ),
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
        explanation=(
            say(
                "{retained_bytes:bytes} retained - {body_bytes:bytes} of bodies = {overhead_bytes:bytes}. That is"
                " {overhead_per_message_bytes:count} bytes around each of {messages:count} messages."
            ),
            say("pullThresholdSizeForQueue counts bodies only, so it does not limit these objects."),
        ),
        remedy=(
            say(
                "Lower {setting} of group {group} (now {threshold}): here the number of messages fills the heap, not"
                " their size."
            ),
            say("Let the producer put several small events into one message, and drop unused properties."),
        ),
        weight=overhead / size,
    )


def _overhead(consumer: ConsumerFacts) -> int:
    """What the consumer's messages retain besides their bodies."""
    return max(0, (consumer.retained_bytes or 0) - consumer.body_bytes)

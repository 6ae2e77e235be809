"""The objects around small messages take more heap than the messages."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.rules.wording import mib
from mqdiag.text import say


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
    """128 queues x 1,000 messages of 100 bytes: 2 KiB of objects around each."""
    return _facts(12_800_000 + 128_000 * 2048)


def silent() -> Facts:
    """As many messages with 800 bytes around each: more than the bodies, but below a tenth of the heap."""
    return _facts(12_800_000 + 128_000 * 800)


@rule(
    name="message-overhead",
    title="Objects around small messages fill the heap",
    why=(
        "Each cached message is a MessageExt, a map of properties, strings, two addresses, a tree entry and a"
        " queued request: 1.5 to 2.5 KiB that pullThresholdSizeForQueue does not count. Since client 5.1.0 the"
        " property map alone starts with 128 slots. With many queues of tiny messages this is most of the heap."
    ),
    causes=("many-small-messages",),
    severities=(Severity.WARNING,),
    remedy=(
        "Lower pullThresholdForQueue: the number of messages is what costs here.",
        "Let the producer put several small events into one message.",
    ),
    references=("MessageDecoder.string2messageProperties: new HashMap<>(128) since 5.1.0",),
    needs=("heap",),
    limits={"bodies_ratio": 1.0, "heap_share": 0.1},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """At most one finding for the JVM, about the consumer with the largest overhead."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    known = [
        consumer for consumer in heap.consumers if consumer.retained_bytes is not None and consumer.messages
    ]
    if not known:
        return
    overhead = sum(_overhead(consumer) for consumer in known)
    bodies = sum(consumer.body_bytes for consumer in known)
    size = heap.heap_bytes or (heap.shallow_bytes or 0) + (heap.unreachable_bytes or 0)
    if overhead <= limits["bodies_ratio"] * bodies or overhead <= limits["heap_share"] * size:
        return
    if heap.heap_bytes is None and not heap.out_of_memory:
        yield Skip(
            reason=say("the heap's size is unknown, so the share of the overhead is too: give --heap-limit")
        )
        return
    consumer = max(known, key=_overhead)
    messages = sum(one.messages for one in known)
    setting = consumer.traits.count_setting or ""
    yield Draft(
        severity=Severity.WARNING,
        cause="many-small-messages",
        confidence=Confidence.HIGH if heap.heap_bytes is not None else Confidence.MEDIUM,
        confidence_reason=(
            say("retained size of queues, messages and requests, less the bodies")
            if heap.heap_bytes is not None
            else say("the JVM's -Xmx is unknown; the dump's own total stands for it")
        ),
        title=(
            say(
                (
                    "The objects around {messages:count} small messages take {overhead:bytes},"
                    " {overhead_2:percent} of the heap; their bodies take "
                ),
                messages=messages,
                overhead=overhead,
                overhead_2=overhead / size,
            )
            + mib(bodies)
        ),
        subject=Subject(group=consumer.group),
        evidence={
            "messages": messages,
            "overhead_bytes": overhead,
            "body_bytes": bodies,
            "overhead_per_message_bytes": round(overhead / messages),
            "heap_share": round(overhead / size, 4),
            "heap_bytes": heap.heap_bytes,
        },
        explanation=(
            say(
                (
                    "{overhead:bytes} retained - {bodies:bytes} of bodies = {overhead_2:bytes}:"
                    " {overhead_3:count} bytes around each of {messages:count} messages."
                ),
                overhead=overhead + bodies,
                bodies=bodies,
                overhead_2=overhead,
                overhead_3=overhead / messages,
                messages=messages,
            ),
            say("pullThresholdSizeForQueue counts bodies only and does not see them."),
        ),
        remedy=(
            say(
                "Lower {setting} of group {group} (now {setting_2}): here the number of messages"
                " costs, not their size.",
                setting=setting,
                group=consumer.group,
                setting_2=consumer.config.get(setting),
            ),
            say(
                "Let the producer put several small events into one message, and drop properties nobody reads."
            ),
        ),
        weight=overhead / size,
    )


def _overhead(consumer: ConsumerFacts) -> int:
    return max(0, (consumer.retained_bytes or 0) - consumer.body_bytes)

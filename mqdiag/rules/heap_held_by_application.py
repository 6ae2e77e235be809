"""The application fills the heap, and not RocketMQ."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import Suspect
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Confidence, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say

WORTH_SHOWING_BYTES = 1 << 20
"""in an almost empty heap a class loader is the largest accumulation, which tells nothing"""
SHOWN_CONTENTS = 3

RULE = Rule(
    name="heap-held-by-application",
    title="The application fills the heap, not RocketMQ",
    why=(
        "A histogram with byte[] at the top does not tell who holds the arrays. If one object or static field outside"
        " RocketMQ retains most of the heap, lower thresholds of RocketMQ change nothing. An accumulation below"
        " least_bytes is reported only if the JVM ran out of memory, and then as a warning."
    ),
    causes=("not-rocketmq",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Look at the named object and the path that keeps it: limit its size, let its entries expire, or close it.",
        "`mqdiag show DUMP OBJECT_ID` lists its fields and what it holds.",
    ),
    references=("Retained size: what the collector would free if the object went",),
    limits={"share_error": 0.5, "share_warning": 0.3, "least_bytes": 64 * 1024 * 1024},
    explained_by=("messages-outside-queues",),
    in_chain=say("the heap fills up"),
)


def _facts(retained: int) -> Facts:
    suspect = Suspect(
        class_name="java.util.HashMap",
        object_id="0x7f",
        retained_bytes=retained,
        share=retained / 200_000_000,
        path=("class com.acme.ReportCache", "ENTRIES java.util.HashMap"),
        label="com.acme.ReportCache.ENTRIES",
        holds=("byte[]: 150,000,000",),
    )
    heap = HeapFacts(
        objects=100_000,
        shallow_bytes=200_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        suspects=(suspect,),
        process_queues=0,
        messages=0,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A cache of reports retains 75 % of the heap."""
    return _facts(150_000_000)


def silent() -> Facts:
    """It retains 25 %."""
    return _facts(50_000_000)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each accumulation point that is large enough."""
    heap = facts.heap
    assert heap is not None
    own = [
        suspect
        for suspect in heap.suspects
        if suspect.owner != "rocketmq" and not _is_rocketmq_inside(suspect, heap)
    ]
    large = [suspect for suspect in own if _is_large(suspect, heap, limits)]
    for suspect in large:
        yield _draft(suspect, heap, limits)
    if own and not large:
        yield from _margin(max(own, key=lambda suspect: suspect.retained_bytes), heap, limits)


def _is_large(suspect: Suspect, heap: HeapFacts, limits: Limits) -> bool:
    share = ratio(suspect.retained_bytes, heap.shallow_bytes)
    if share is None:
        return False
    # a heap that ran out of memory has a fault, however small the heap is
    ran_out = heap.out_of_memory and share >= limits["share_error"]
    return share >= limits["share_warning"] and (suspect.retained_bytes >= limits["least_bytes"] or ran_out)


def _is_rocketmq_inside(suspect: Suspect, heap: HeapFacts) -> bool:
    """Whether most of it is messages: the consumers are below the suspect, or it keeps messages itself.

    Two separate holders cannot retain more than the whole. If suspect and consumers together do, one is inside the
    other, and the rules about caches and kept messages say it better.
    """
    reachable = heap.shallow_bytes or 0
    consumers = sum(consumer.retained_bytes or 0 for consumer in heap.consumers)
    if consumers > suspect.retained_bytes / 2 and consumers + suspect.retained_bytes > reachable:
        return True
    kept = heap.message_totals.elsewhere_bytes if heap.message_totals is not None else None
    return kept is not None and kept > suspect.retained_bytes / 2 and kept + suspect.retained_bytes > reachable


def _name(suspect: Suspect) -> str:
    return suspect.label or suspect.class_name


def _margin(suspect: Suspect, heap: HeapFacts, limits: Limits) -> Iterator[Margin]:
    """By its share; by its bytes if it has a large share of a small heap."""
    share = ratio(suspect.retained_bytes, heap.shallow_bytes)
    if share is None or suspect.retained_bytes < WORTH_SHOWING_BYTES:
        return
    if share < limits["share_warning"]:
        yield Margin(
            rule="",
            label=say(
                "share of the heap that {label} retains, the largest outside RocketMQ", label=_name(suspect)
            ),
            value=share,
            limit=limits["share_warning"],
            kind="percent",
        )
    else:
        yield Margin(
            rule="",
            label=say("the largest accumulation outside RocketMQ, {label}", label=_name(suspect)),
            value=suspect.retained_bytes,
            limit=limits["least_bytes"],
            kind="bytes",
        )


def _holder(suspect: Suspect) -> tuple[str, str | None]:
    """Class and static field of a label "com.acme.Cache.ENTRIES"; the class alone for an instance."""
    owner, dot, field = suspect.label.rpartition(".")
    if not dot or suspect.label == suspect.class_name:
        return _name(suspect), None
    return owner, field


def _draft(suspect: Suspect, heap: HeapFacts, limits: Limits) -> Draft:
    share = ratio(suspect.retained_bytes, heap.shallow_bytes) or 0.0
    holder_class, holder_field = _holder(suspect)
    totals = heap.message_totals
    messages_bytes = None if totals is None else totals.in_queues_body_bytes
    return Draft(
        severity=(
            Severity.ERROR
            if share >= limits["share_error"] and suspect.retained_bytes >= limits["least_bytes"]
            else Severity.WARNING
        ),
        cause="not-rocketmq",
        confidence=Confidence.HIGH,
        confidence_reason=say("retained sizes come from the dominator tree of the whole dump"),
        title=say(
            "{object_class} retains {retained_bytes:bytes}, {share:percent} of the heap in use, and is not part of"
            " RocketMQ"
        ),
        subject=Subject(object_class=_name(suspect)),
        evidence={
            "class": suspect.class_name,
            "object_id": suspect.object_id,
            "holder_class": holder_class,
            "holder_field": holder_field,
            "retained_bytes": suspect.retained_bytes,
            "share": round(share, 4),
            "reachable_bytes": heap.shallow_bytes,
            "path": suspect.path,
            "holds": suspect.holds,
            "messages_bytes": messages_bytes,
        },
        explanation=tuple(_explanation(suspect, messages_bytes)),
        remedy=(
            say("Look at {object_class}: limit its size, let its entries expire, or drop it when it is done."),
            say("`mqdiag show DUMP {object_id}` lists its fields and the paths that keep it alive."),
            say("Leave RocketMQ's thresholds as they are: they do not limit this memory."),
        ),
        weight=share,
    )


def _explanation(suspect: Suspect, messages_bytes: int | None) -> Iterator[Text]:
    yield say(
        "Without this {class_name} the JVM could free {retained_bytes:bytes} of {reachable_bytes:bytes}.",
        class_name=suspect.class_name,
    )
    if messages_bytes is not None:
        yield say("RocketMQ's queues hold {messages_bytes:bytes} of message bodies.")
    if suspect.holds:
        yield say("Inside it, in bytes: {contents}", contents="; ".join(suspect.holds[:SHOWN_CONTENTS]))
    if suspect.path:
        yield say("This path keeps it: {steps}", steps=" -> ".join(suspect.path))

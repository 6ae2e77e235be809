"""The heap is filled by something that is not RocketMQ's."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import Suspect
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


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
    """A cache of reports holds three quarters of the heap."""
    return _facts(150_000_000)


def silent() -> Facts:
    """It holds a quarter."""
    return _facts(50_000_000)


@rule(
    name="heap-held-by-application",
    title="The heap is filled by the application, not by RocketMQ",
    why=(
        "A histogram that shows byte[] on top says nothing about who holds the arrays. When one object or"
        " static field outside RocketMQ retains most of the heap, lowering RocketMQ's thresholds changes"
        " nothing. Less than least_bytes is only told, as a warning, where the JVM ran out of memory."
    ),
    causes=("not-rocketmq",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Look at the named object and the path that keeps it: bound it, expire its entries, or close it.",
        "`mqdiag show DUMP OBJECT_ID` lists its fields and what it holds.",
    ),
    references=("Retained size: what the collector would free if the object went",),
    needs=("heap",),
    limits={"share_error": 0.5, "share_warning": 0.3, "least_bytes": 64 * 1024 * 1024},
    explained_by=("messages-outside-queues",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each accumulation point that is large enough."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    reachable = heap.shallow_bytes or 0
    for suspect in heap.suspects:
        share = suspect.retained_bytes / reachable if reachable else 0.0
        if suspect.owner == "rocketmq":
            continue
        if suspect.retained_bytes < limits["least_bytes"] and not (
            # a heap that ran out is no smaller a fault for being small
            heap.out_of_memory and share >= limits["share_error"]
        ):
            continue
        if share < limits["share_warning"] or _is_rocketmq_inside(suspect, heap):
            continue
        yield _draft(suspect, heap, share, limits)


def _is_rocketmq_inside(suspect: Suspect, heap: HeapFacts) -> bool:
    """True when the weight is messages: the consumers hang below the suspect, or it keeps messages itself.

    Two disjoint holders cannot retain more than the whole; where suspect and consumers together do, one is
    inside the other, and the rules about caches and kept messages say it better.
    """
    reachable = heap.shallow_bytes or 0
    consumers = sum(consumer.retained_bytes or 0 for consumer in heap.consumers)
    if consumers > suspect.retained_bytes / 2 and consumers + suspect.retained_bytes > reachable:
        return True
    kept = heap.message_totals.elsewhere_bytes if heap.message_totals is not None else None
    return kept is not None and kept > suspect.retained_bytes / 2 and kept + suspect.retained_bytes > reachable


def _holder(suspect: Suspect) -> tuple[str, str | None]:
    """Class and static field of a label "com.acme.Cache.ENTRIES"; the class alone for an instance."""
    owner, dot, field = suspect.label.rpartition(".")
    if not dot or suspect.label == suspect.class_name:
        return suspect.label or suspect.class_name, None
    return owner, field


def _draft(suspect: Suspect, heap: HeapFacts, share: float, limits: Limits) -> Draft:
    name = suspect.label or suspect.class_name
    queues = 0 if heap.message_totals is None else heap.message_totals.in_queues_body_bytes
    size = say(
        "{retained_bytes:bytes}, {share:percent} of the heap in use",
        retained_bytes=suspect.retained_bytes,
        share=share,
    )
    return Draft(
        severity=(
            Severity.ERROR
            if share >= limits["share_error"] and suspect.retained_bytes >= limits["least_bytes"]
            else Severity.WARNING
        ),
        cause="not-rocketmq",
        confidence=Confidence.HIGH,
        confidence_reason=say("retained sizes come from the dominator tree of the whole dump"),
        title=say("{name} holds {size}; it is not RocketMQ's", name=name, size=size),
        subject=Subject(object_class=suspect.label or suspect.class_name),
        evidence={
            "class": suspect.class_name,
            "object_id": suspect.object_id,
            "holder_class": _holder(suspect)[0],
            "holder_field": _holder(suspect)[1],
            "retained_bytes": suspect.retained_bytes,
            "share": round(share, 4),
            "path": suspect.path,
            "holds": suspect.holds,
            "messages_bytes": queues,
        },
        explanation=(
            say(
                (
                    "If this {class_name} went, {retained_bytes:bytes} of {shallow_bytes:bytes} would go with"
                    " it. RocketMQ's queues hold {queues:bytes} of message bodies."
                ),
                class_name=suspect.class_name,
                retained_bytes=suspect.retained_bytes,
                shallow_bytes=heap.shallow_bytes or 0,
                queues=queues,
            ),
            *((say("Inside: ") + "; ".join(suspect.holds[:3]),) if suspect.holds else ()),
            *((say("Kept by: ") + " -> ".join(suspect.path),) if suspect.path else ()),
        ),
        remedy=(
            say("Look at {name}: bound it, expire its entries, or drop it when it is done.", name=name),
            say(
                "`mqdiag show DUMP {object_id}` lists its fields and the paths that keep it alive.",
                object_id=suspect.object_id,
            ),
            say("Leave RocketMQ's thresholds as they are: they do not limit this memory."),
        ),
        weight=share,
    )

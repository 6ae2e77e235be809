"""Counts of classes show many cached messages of RocketMQ, and byte arrays that take most of the heap."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import CountedObjects
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Confidence, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import say

RULE = Rule(
    name="messages-by-count",
    title="Messages and byte arrays take most of the heap, by their counts",
    why=(
        "A class histogram (jmap -histo, jcmd GC.class_histogram, or mqdiag heap --quick) counts objects and does not"
        " tell who holds them. If messages of RocketMQ are many and byte[] takes most of the bytes, cached messages are"
        " the likely holder, but another cache of byte arrays looks the same."
    ),
    causes=("cached-messages",),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Take a heap dump with `jcmd PID GC.heap_dump /path/dump.hprof` and run `mqdiag heap` on it: it names the"
        " group, its queues and the thresholds that fit the heap.",
    ),
    references=("MessageExt.body: byte[]", "jcmd PID GC.class_histogram"),
    limits={"messages": 32, "byte_array_share": 0.5, "heap_share": 0.5},
)


def _facts(byte_array_bytes: int) -> Facts:
    heap = HeapFacts(
        objects=None,
        shallow_bytes=None,
        unreachable_objects=None,
        unreachable_bytes=None,
        file_objects=60_000,
        file_shallow_bytes=100_000_000,
        heap_bytes=128 << 20,
        heap_bytes_source="option",
        counted=CountedObjects(
            messages=900, process_queues=16, client_instances=1, byte_array_bytes=byte_array_bytes
        ),
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """900 messages, and byte[] takes 90 % of all bytes."""
    return _facts(90_000_000)


def silent() -> Facts:
    """The same messages, and byte[] takes 49 %."""
    return _facts(49_000_000)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding, where the graph is missing that would tell the holder."""
    heap = facts.heap
    assert heap is not None
    counted = heap.counted
    if counted is None or counted.messages < limits["messages"]:
        return
    share = ratio(counted.byte_array_bytes, heap.file_shallow_bytes) or 0.0
    if share < limits["byte_array_share"]:
        yield Margin(
            rule="",
            label=say("share of byte[] in all objects"),
            value=share,
            limit=limits["byte_array_share"],
            kind="percent",
        )
        return
    of_heap = ratio(counted.byte_array_bytes, heap.heap_bytes)
    fills = of_heap is not None and of_heap >= limits["heap_share"]
    yield Draft(
        severity=Severity.WARNING if fills else Severity.INFO,
        cause="cached-messages",
        confidence=Confidence.MEDIUM if fills else Confidence.LOW,
        confidence_reason=say("counts do not tell who holds the byte arrays"),
        title=say(
            "{messages:count} messages of RocketMQ are in the heap, and byte[] takes {byte_array_bytes:bytes},"
            " {byte_array_share:percent} of all objects"
        ),
        evidence={
            "messages": counted.messages,
            "process_queues": counted.process_queues,
            "client_instances": counted.client_instances,
            "byte_array_bytes": counted.byte_array_bytes,
            "byte_array_share": round(share, 4),
            "heap_bytes": heap.heap_bytes,
            "heap_share": None if of_heap is None else round(of_heap, 4),
            "mean_body_at_most_bytes": counted.byte_array_bytes // counted.messages,
        },
        explanation=(
            say(
                "There {process_queues:is|are} {process_queues:count} {process_queues:ProcessQueue|ProcessQueues}. If"
                " all byte arrays were bodies of these messages, a body would have {mean_body_at_most_bytes:bytes} on"
                " average."
            ),
            say("The maximum of the heap is unknown; --heap-limit gives it.")
            if of_heap is None
            else say("The byte arrays take {heap_share:percent} of the heap of {heap_bytes:bytes}."),
        ),
        remedy=(
            say(
                "Take a heap dump with `jcmd PID GC.heap_dump /path/dump.hprof` and run `mqdiag heap` on it: it names"
                " the group, its queues and the thresholds that fit the heap."
            ),
        ),
        weight=share,
    )

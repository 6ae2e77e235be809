"""The limit of the heap that the user gave cannot be that of the JVM."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import SIZES_OFF_SHARE
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import say

RULE = Rule(
    name="heap-limit-contradicted",
    title="The given limit of the heap contradicts the dump",
    why=(
        "Rules compare cached messages with the maximum of the heap. --heap-limit, or heap-limit in mqdiag.toml, gives"
        " it where the dump does not tell it. A value of another JVM would make a full heap look roomy, or a healthy"
        " one full."
    ),
    causes=("other-limit-in-dump", "live-objects-do-not-fit"),
    severities=(Severity.WARNING,),
    remedy=(
        "Leave out --heap-limit, and heap-limit in mqdiag.toml, or give the -Xmx of the JVM that wrote the dump.",
    ),
    references=("jcmd PID VM.flags: MaxHeapSize",),
    lies_at="any",
    undecides=True,
)


def fires() -> Facts:
    """2 GiB were given, and the JVM's arguments say 256 MiB."""
    return _facts(2 << 30, 256 << 20)


def silent() -> Facts:
    """The dump does not contradict."""
    return _facts(2 << 30, None)


def _facts(given: int, in_dump: int | None) -> Facts:
    heap = HeapFacts(
        objects=200_000,
        shallow_bytes=100 << 20,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=given,
        heap_bytes_source="option",
        contradicting_heap_bytes=in_dump,
        contradicting_heap_bytes_source=None if in_dump is None else "jvm-arguments",
    )
    return Facts(heap=heap)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding."""
    heap = facts.heap
    assert heap is not None
    if heap.heap_bytes is None or heap.heap_bytes_source != "option":
        return
    if heap.contradicting_heap_bytes is not None:
        yield Draft(
            severity=Severity.WARNING,
            cause="other-limit-in-dump",
            confidence=Confidence.HIGH,
            confidence_reason=say("the dump's own places agree with each other"),
            title=say(
                "The given limit of the heap is {heap_bytes:bytes}, and this JVM's was"
                " {contradicting_heap_bytes:bytes} by its dump"
            ),
            evidence={
                "heap_bytes": heap.heap_bytes,
                "contradicting_heap_bytes": heap.contradicting_heap_bytes,
                "contradicting_heap_bytes_source": heap.contradicting_heap_bytes_source,
            },
            explanation=(say("Rules used the smaller value, {limit:bytes}.", limit=heap.limit_bytes),),
            remedy=RULE.remedy,
        )
    elif heap.shallow_bytes is not None and heap.shallow_bytes > heap.heap_bytes * (1 + SIZES_OFF_SHARE):
        yield Draft(
            severity=Severity.WARNING,
            cause="live-objects-do-not-fit",
            confidence=Confidence.HIGH,
            confidence_reason=say("a JVM never has more live objects than its limit allows"),
            title=say(
                "The given limit of the heap is {heap_bytes:bytes}, and live objects take {live_bytes:bytes}"
            ),
            evidence={"heap_bytes": heap.heap_bytes, "live_bytes": heap.shallow_bytes},
            explanation=(say("Rules took the limit of the heap as unknown."),),
            remedy=(say("Give the -Xmx of the JVM that wrote this dump."),),
        )

"""The application fills the heap, and not RocketMQ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import LITTLE_USED
from mqdiag.facts.heap_classes import Suspect
from mqdiag.facts.ratios import ratio
from mqdiag.facts.recordings import Recording
from mqdiag.facts.vocabulary import HolderKind, KeyFault
from mqdiag.findings import Confidence, Margin, Severity, Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.standstill import short_frame

RULE = Rule("heap-held-by-application")
WORTH_SHOWING_BYTES = 1 << 20
"""in an almost empty heap a class loader is the largest accumulation, which tells nothing"""
SHOWN_CONTENTS = 3
ADVICE = {"pool-queue": "bound-queue", "local-variable": "less-at-once", "thread-local": "remove-value"}
"""what helps with a kind of holder; a limit of its size with any other"""


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Findings:
    """One finding for each accumulation point that is large enough."""
    heap = facts.heap
    assert heap is not None
    whole = facts.heap_is_whole
    if heap.had_room(whole=whole):
        # the error tells nothing about what is in the heap
        heap = msgspec.structs.replace(heap, out_of_memory=False)
    own = [one for one in heap.suspects if one.owner != "rocketmq" and not _is_rocketmq_inside(one, heap)]
    large = [suspect for suspect in own if _is_large(suspect, heap, limits)]
    for suspect in large:
        yield held(suspect, heap, limits, whole=whole)
    if own and not large:
        yield from _margin(max(own, key=lambda suspect: suspect.retained_bytes), heap, limits)


def _is_large(suspect: Suspect, heap: HeapFacts, limits: Limits) -> bool:
    share = ratio(suspect.retained_bytes, heap.shallow_bytes)
    return share is not None and share >= limits["share_warning"] and _matters(suspect, heap, limits)


def _matters(suspect: Suspect, heap: HeapFacts, limits: Limits) -> bool:
    """Whether it is much for this JVM: a large share of an almost empty heap is no fault."""
    return (
        heap.out_of_memory
        or suspect.retained_bytes >= limits["least_bytes"]
        or _fills(suspect, heap, limits) >= limits["least_heap_share"]
    )


def _fills(suspect: Suspect, heap: HeapFacts, limits: Limits) -> float:
    """Its share of the largest heap that the JVM may have; 0 where that is unknown."""
    of_heap = ratio(suspect.retained_bytes, heap.limit_bytes) or 0.0
    in_use = ratio(heap.shallow_bytes, heap.limit_bytes) or 0.0
    # two caches that fill the heap are one fault each, though neither has half of it
    return max(of_heap, in_use if of_heap >= limits["share_warning"] / 2 else 0.0)


def _has_room(suspect: Suspect, heap: HeapFacts, limits: Limits) -> bool:
    """Whether the heap is surely far from full: a cache may be as large as it was meant, or a leak may begin."""
    return (
        not heap.out_of_memory
        and heap.limit_bytes is not None
        and _fills(suspect, heap, limits) < limits["least_heap_share"]
    )


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
    share, size = ratio(suspect.retained_bytes, heap.shallow_bytes), suspect.retained_bytes
    if share is None or size < WORTH_SHOWING_BYTES:
        return
    if share < limits["share_warning"]:
        yield RULE.margin("share", share, limits["share_warning"], label=_name(suspect))
    else:
        yield RULE.margin("bytes", size, limits["least_bytes"], label=_name(suspect))


def _holder(suspect: Suspect) -> tuple[str, str | None]:
    """Class and static field of a label "com.acme.Cache.ENTRIES"; the class alone for an instance."""
    owner, dot, field = suspect.label.rpartition(".")
    if not dot or suspect.label == suspect.class_name or suspect.kind == "object":
        return _name(suspect), None
    return owner, field


def _is_soft(suspect: Suspect) -> bool:
    return bool(suspect.entry_classes) and suspect.entry_classes[0].startswith("java.lang.ref.SoftReference:")


def held(suspect: Suspect, heap: HeapFacts, limits: Limits, *, whole: bool) -> Draft:
    """What holds a part of the heap, whatever its size; `whole` where the dump lacks nothing."""
    share = ratio(suspect.retained_bytes, heap.shallow_bytes) or 0.0
    in_use = ratio(heap.shallow_bytes, heap.limit_bytes)
    holder_class, holder_field = _holder(suspect)
    totals, keys, largest = heap.message_totals, suspect.broken_keys, suspect.largest_entry_share
    advice = ADVICE.get(suspect.kind, "limit-size")
    in_local = suspect.kind == "local-variable" and suspect.frame is not None
    if advice == "less-at-once" and not in_local:
        advice = "limit-size"
    error = share >= limits["share_error"] and not _has_room(suspect, heap, limits)
    severity: Severity | None = Severity.ERROR if error else Severity.WARNING
    confidence: Confidence | None = None if whole else Confidence.MEDIUM
    case = "not-rocketmq" if keys is None else "broken-keys"
    if suspect.even:
        case, severity, confidence = "spread-evenly", None, None
    elif _is_soft(suspect) and not heap.out_of_memory:
        case, severity, confidence = "softly-held", None, None
    return RULE.case(
        case,
        suspect,
        subject=Subject(object_class=_name(suspect)),
        evidence={
            "class": suspect.class_name,
            "holder_class": holder_class,
            "holder_field": holder_field,
            "share": round(share, 4),
            "reachable_bytes": heap.shallow_bytes,
            "in_use_share": None if in_use is None else round(in_use, 4),
            "largest_entry_share": None if largest is None else round(largest, 4),
            "key_class": None if keys is None else keys.key_class,
            "keys_compared": None if keys is None else keys.looked_at,
            "equal_keys": None if keys is None else keys.equal_keys,
            "messages_bytes": None if totals is None else totals.in_queues_body_bytes,
        },
        words={
            "whole": whole,
            "with_rocketmq": any((heap.consumers, heap.process_queues, heap.messages, heap.instances)),
            **{kind: kind == suspect.kind for kind in get_args(HolderKind)},
            **{fault: keys is not None and keys.method == fault for fault in get_args(KeyFault)},
            **{one: one == advice and not suspect.remedy for one in (*ADVICE.values(), "limit-size")},
            "in_one_thread": in_local and suspect.threads == 1,
            "in_threads": in_local and suspect.threads != 1,
            "pool_threads": suspect.kind == "pool-queue" and suspect.thread is not None,
            "little_used": in_use is not None and in_use < LITTLE_USED and not heap.out_of_memory,
            # the application's classes inside, unless they are the entries, which are told already
            "own_inside": suspect.own_inside if {*suspect.own_inside} - {*suspect.entry_classes} else (),
            "class_name": suspect.class_name,
            "shared_class": suspect.class_name,
            "holders": (_name(suspect), *suspect.also_held_by),
            "holders_count": 1 + len(suspect.also_held_by),
            "known_as": suspect.known_as,
            "contents": "; ".join(suspect.holds[:SHOWN_CONTENTS]) or None,
            "steps": " -> ".join(suspect.path) or None,
        },
        given={"remedy": suspect.remedy},
        severity=severity,
        confidence=confidence,
        weight=share,
    )


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """At most one finding: most old objects are of one class, and the heap grows from collection to collection."""
    sampled = sum(one.samples for one in recording.old_objects)
    if not recording.old_objects or sampled < limits["recorded_samples"] or len(recording.heap) < 2:
        return
    first = recording.old_objects[0]
    most = None if recording.collections is None else recording.collections.heap_max_bytes
    grown = recording.heap[-1][1] - recording.heap[0][1]
    if (
        first.samples < limits["recorded_share"] * sampled
        or most is None
        or grown < limits["recorded_growth"] * most
    ):
        return
    if first.frame is None or not first.path:
        return  # objects that only come and go look the same
    yield RULE.case(
        "recorded",
        first,
        recording=recording,
        evidence={
            "path": recording.path,  # the holder's own path is another one
            "samples_share": round(first.samples / sampled, 4),
            "held_by": first.path,
            "grown_bytes": grown,
            "heap_max_bytes": most,
        },
        words={"frame": short_frame(first.frame) if first.frame else None, "holders": _holders(first.path)},
        weight=grown / most,
    )


def _holders(path: tuple[str, ...]) -> tuple[str, ...]:
    """What holds the objects, from the nearest on, down to a static field: the class loader behind it holds all."""
    static = next((at for at, step in enumerate(path) if step.startswith("java.lang.Class.")), len(path) - 1)
    return path[: static + 1]

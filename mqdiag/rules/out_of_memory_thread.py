"""The thread that met the OutOfMemoryError."""

from __future__ import annotations

from collections.abc import Mapping

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import LITTLE_USED
from mqdiag.facts.heap_threads import HeapThread
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.recordings import Recording
from mqdiag.facts.stacks import StacksFacts
from mqdiag.findings import EvidenceValue, Subject
from mqdiag.log_events import OUT_OF_MEMORY, events, only, when
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.text import Value

OWN_FRAMES = ("java.lang.OutOfMemoryError.<init>",)
MOST_FRAMES = 20
MOST_HOLDERS = 3
MANY_LOADERS = 5
"""loaders of one kind with the same classes, as in class-loader-leak"""
MOSTLY_USED = 0.9
"""share of the largest heap: from there on it was full, whatever a log of another moment says"""
HEAP, DIRECT, CLASSES, ARRAY = OUT_OF_MEMORY
BY_LOG = {HEAP: "heap-by-log", DIRECT: "direct-memory", CLASSES: "classes-by-log", ARRAY: "array-by-log"}
"""the case for each kind of line"""

RULE = Rule("out-of-memory-thread")


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Findings:
    """One finding for each such thread; mostly it is one."""
    heap, logs = facts.heap, facts.logs
    assert heap is not None
    had_room = heap.had_room(whole=facts.heap_is_whole)
    arrays_alone = logs is not None and logs.count(ARRAY) > 0 and not logs.count(HEAP, DIRECT, CLASSES)
    for thread in heap.threads:
        if not thread.hit_out_of_memory:
            continue
        frames = tuple(frame for frame in thread.frames if not frame.startswith(OWN_FRAMES))
        if arrays_alone and (heap.in_use_share or 0.0) < MOSTLY_USED:
            yield _met("array-in-heap", thread, frames)
        elif not had_room:
            yield _of_full_heap(thread, frames, heap)
        elif frames and frames[0].startswith(RULE.names("defining_frames")):
            yield _of_classes(thread, frames, heap)
        else:
            yield _met("large-allocation", thread, frames, _room(heap))


def _met(
    name: str,
    thread: HeapThread,
    frames: tuple[str, ...],
    evidence: Mapping[str, EvidenceValue] | None = None,
    words: Mapping[str, Value] | None = None,
) -> Draft:
    met = {
        "thread": thread.name or None,
        "frame": frames[0] if frames else None,
        "frames": frames[:MOST_FRAMES],
    }
    nameless = None if thread.name else RULE.word("nameless")
    return RULE.case(
        name,
        subject=Subject(thread=thread.name or None),
        evidence={**met, **(evidence or {})},
        words={"thread": nameless, **(words or {})},
    )


def _of_full_heap(thread: HeapThread, frames: tuple[str, ...], heap: HeapFacts) -> Draft:
    holders = sorted(
        (suspect for suspect in heap.suspects if suspect.owner != "rocketmq" and suspect.label),
        key=lambda suspect: -suspect.retained_bytes,
    )[:MOST_HOLDERS]
    in_pieces = bool(heap.large_objects) and heap.in_use_share is not None and heap.in_use_share < LITTLE_USED
    held = tuple(RULE.word("held", label=one.label, retained_bytes=one.retained_bytes) for one in holders)
    return _met(
        "full-heap",
        thread,
        frames,
        {**(_room(heap) if in_pieces else {}), "object_id": holders[0].object_id if holders else None},
        {"in_pieces": in_pieces, "holders": held},
    )


def _of_classes(thread: HeapThread, frames: tuple[str, ...], heap: HeapFacts) -> Draft:
    groups = () if heap.waste is None else heap.waste.class_loaders
    most = max(groups, key=lambda group: group.loaders, default=None)
    if most is not None and most.loaders < MANY_LOADERS:
        most = None
    of_loaders = {
        "loaders": None if most is None else most.loaders,
        "loader_class": None if most is None else most.loader_class,
        "loader_id": None if most is None else most.object_id,
    }
    return _met("class-memory", thread, frames, {**_room(heap), **of_loaders})


def _room(heap: HeapFacts) -> dict[str, EvidenceValue]:
    used = heap.in_use_share
    return {
        "in_use_bytes": heap.in_use_bytes,
        "heap_bytes": heap.limit_bytes,
        "in_use_share": None if used is None else round(used, 4),
        "large_objects": heap.large_objects,
        "large_object_bytes": heap.large_object_bytes,
    }


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each memory that ran out: the error is the JVM's, whichever thread meets it."""
    for kind, name in BY_LOG.items():
        for event in events(logs, kind)[:1]:
            thread = only(event, "thread")
            yield RULE.case(
                name,
                event,
                events=[event],
                subject=Subject(thread=thread),
                evidence={
                    "thread": thread,
                    "used_bytes": event.values.get("used_bytes"),
                    "limit_bytes": event.values.get("limit_bytes"),
                },
                words={"once": event.count == 1, "when": when(event)},
            )


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each thread that has the error's constructor as its top frame, as dumps made at the error do."""
    for thread in stacks.threads:
        if any((sample.top or "").startswith(OWN_FRAMES) for sample in thread.samples):
            yield RULE.case(
                "in-stacks",
                thread,
                subject=Subject(thread=thread.name, group=thread.group),
                evidence={"thread": thread.name},
            )


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """At most one finding: the error was made within the recording."""
    for error in recording.errors:
        if error.class_name == "java.lang.OutOfMemoryError":
            yield RULE.case(
                "made-by-own-code" if error.by_own_code else "in-recording",
                error,
                subject=Subject(thread=error.thread),
                evidence={"thread": error.thread, "path": recording.path, "count": error.count},
                rests_on=(recording.path,),
            )

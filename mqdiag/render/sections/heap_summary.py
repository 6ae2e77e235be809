"""A heap dump in numbers: when it was written, how large the heap is, and what messages it holds."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Pairs, Section, Words
from mqdiag.render.wording.words import word
from mqdiag.text import Text, Value, say

_LIMIT_SOURCES = {
    "option": say("as given by --heap-limit or mqdiag.toml"),
    "jvm-arguments": say("from the JVM's arguments"),
    "java-tool-options": say("from JAVA_TOOL_OPTIONS"),
    "memory-pools": say("from the JVM's memory pools"),
    "container": say("from the container's limit"),
    "max-memory-static": say("as the JVM keeps its maximum in a static field"),
}


def heap_section(report: Report, view: View) -> Iterator[Section]:
    """Names and values."""
    if report.heap is not None:
        whole = all(given.complete for given in report.inputs)
        yield Section(
            name="heap", title=say("The dump"), parts=(Pairs(list(_summary(report.heap, whole=whole))),)
        )


def _summary(heap: HeapFacts, *, whole: bool) -> Iterator[tuple[Words, Value]]:
    yield say("written"), say("{captured_at:time}", captured_at=heap.captured_at)
    yield say("JVM"), heap.jvm
    if heap.servers:
        yield say("servers"), tuple(map(word, heap.servers))
    yield say("heap limit"), _limit(heap)
    if heap.objects is None:
        yield say("objects"), _objects(heap.file_objects, heap.file_shallow_bytes)
    else:
        yield say("reachable"), _objects(heap.objects, heap.shallow_bytes)
        yield say("unreachable"), _objects(heap.unreachable_objects, heap.unreachable_bytes)
    if heap.dangling_references:
        yield (
            say("dangling references"),
            say(
                "{references:count}, to objects that the file does not hold",
                references=heap.dangling_references,
            ),
        )
    if heap.messages or heap.messages_unreachable or heap.consumers:
        yield (
            say("messages"),
            say("{messages:count}, bodies {body_bytes:bytes}", heap),
        )
        yield from _held(heap)
    elif heap.process_queues is not None and not heap.servers and heap.broker is None:
        read = say("no consumer and no message is in the part that could be read")
        yield say("RocketMQ"), say("no consumer and no message is in this dump") if whole else read
    if heap.messages_unreachable:
        # Where the end of the dump is missing, so are roots and holders, and nothing can be said of them.
        template = say("{messages:count} (consumed, not yet collected)") if whole else say("{messages:count}")
        yield say("unreachable messages"), template.filled({"messages": heap.messages_unreachable})


def _limit(heap: HeapFacts) -> Text:
    if heap.heap_bytes is None:
        return say("unknown; --heap-limit gives it")
    source = heap.heap_bytes_source or ""
    return say(
        "{heap_bytes:bytes}, {source}",
        heap_bytes=heap.heap_bytes,
        source=_LIMIT_SOURCES.get(source, source),
    )


def _objects(objects: int | None, shallow_bytes: int | None) -> Text:
    return say(
        "{objects:count} {objects:object|objects}, {shallow_bytes:bytes}",
        objects=objects,
        shallow_bytes=shallow_bytes,
    )


def _held(heap: HeapFacts) -> Iterator[tuple[Words, Value]]:
    totals = heap.message_totals
    if totals is None:
        return
    places = (
        (totals.in_queues, say("{count:count} in queues")),
        (totals.in_executors, say("{count:count} waiting in executors")),
        (totals.in_frames, say("{count:count} in the hands of threads")),
        (totals.elsewhere, say("{count:count} held by something else")),
    )
    held = tuple(place.filled({"count": count}) for count, place in places if count)
    if held:
        yield say("held"), held

"""A heap dump as the inputs of a report name it."""

from __future__ import annotations

from datetime import UTC, datetime

from mqdiag.facts import HeapFacts, Input
from mqdiag.graph import Heap
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.header import Header
from mqdiag.rocketmq.layouts import changed_layout
from mqdiag.text import Text, say


def heap_input(dump: Dump, name: str, heap: Heap | None = None, facts: HeapFacts | None = None) -> Input:
    """The file as the report names it.

    Args:
        dump: the file but for its objects.
        name: what the user called it.
        heap: its graph, which shows whether objects are missing.
        facts: what is known of its queues, which show that too.
    """
    compression = f", {dump.source.compression}" if dump.source.compression else ""
    contradiction = None if heap is None else heap.contradiction or changed_layout(heap)
    problem = dump.problem if heap is None else heap.problem or contradiction
    if problem is None and facts is not None:
        problem = _incomplete_queues(facts)
    return Input(
        path=name,
        kind="heap",
        format=f"hprof {dump.header.version}{compression}",
        bytes=dump.source.file_bytes,
        captured_at=captured_at(dump.header if heap is None else heap.header),
        complete=problem is None,
        stopped_at_byte=dump.stopped_at,
        read_share=dump.read_share,
        found_references_share=None if problem is None or heap is None else heap.references.found_share,
        problem=problem,
        contradictory=contradiction is not None,
    )


def _incomplete_queues(facts: HeapFacts) -> Text | None:
    """What queues tell of objects that are missing; one that a thread was changing tells nothing."""
    queues = sum(queue.incomplete and not queue.being_changed for queue in facts.queues)
    if not queues:
        return None
    return say(
        "messages or bodies of {queues:count} {queues:queue|queues} are not read: the file lacks them, though it is"
        " well formed, or no known version of the client has such queues",
        queues=queues,
    )


def captured_at(header: Header) -> str | None:
    """The header's instant as RFC 3339; None when the writer left it empty or wrote nonsense."""
    if not header.captured_at_ms:
        return None
    return datetime.fromtimestamp(header.captured_at_ms / 1000, UTC).isoformat(timespec="milliseconds")

"""Puts together what the reader, the graph and the RocketMQ view say about one dump."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from mqdiag.config import Settings
from mqdiag.diagnose.heap_input import captured_at, heap_input
from mqdiag.facts import HeapFacts, Input
from mqdiag.facts.heap import LARGE_OBJECT_BYTES, RocketMQFacts
from mqdiag.facts.heap_classes import ClassRow, DominatorBox, Suspect
from mqdiag.facts.heap_threads import VirtualThreads
from mqdiag.facts.vocabulary import HeapBytesSource
from mqdiag.facts.waste import Waste
from mqdiag.graph import Heap, open_dump, open_heap
from mqdiag.graph.dominator_map import dominator_boxes
from mqdiag.graph.heap_limit import contradicts, heap_limit
from mqdiag.graph.histogram import class_rows, quick_class_rows
from mqdiag.graph.jvm import jvm_name
from mqdiag.graph.suspects import suspects
from mqdiag.progress import Progress
from mqdiag.read.background_unmap import unmap_in_background
from mqdiag.read.cores import LEAST_OBJECTS, pool
from mqdiag.read.hprof.dump import Dump
from mqdiag.text import Text, say

NO_GRAPH = say("the object graph was left out (--quick)")


def read_heap(
    path: Path,
    settings: Settings,
    *,
    quick: bool,
    name: str,
    progress: Progress,
    max_inflated: int | None = None,
    memory_bytes: int | None = None,
    number: int = 0,
) -> tuple[Input, HeapFacts, int]:
    """Read a dump as far as it goes.

    Args:
        path: the file.
        settings: the heap's limit.
        quick: leave the object graph out.
        name: what the user called the file.
        progress: who listens.
        max_inflated: bytes to which a gzip dump may inflate.
        memory_bytes: what the arrays of the graph may take; None for most of what is free.
        number: of the dump in a file that holds several; the first is 0.

    Returns:
        (the file, what the dump says, how many other dumps the file holds)

    Raises:
        InputError: nothing of it can be read.
    """
    if quick:
        dump = open_dump(str(path), name=name, progress=progress, max_inflated=max_inflated, number=number)
        quick_facts = _quick_facts(dump, settings)
        dump.source.refuse_changed()
        return heap_input(dump, name), quick_facts, dump.further_dumps
    with open_heap(
        str(path),
        name=name,
        progress=progress,
        max_inflated=max_inflated,
        memory_bytes=memory_bytes,
        number=number,
        # What has another name came from an archive or a pipe: no later run finds it there.
        cache_bytes=settings.cache_bytes if str(path) == name else 0,
    ) as heap:
        facts = graph_facts(heap, settings, progress)
        heap.finish()
        unmap_in_background(heap.dump.source)
    return heap_input(heap.dump, name, heap, facts), facts, heap.dump.further_dumps


def _quick_facts(dump: Dump, settings: Settings) -> HeapFacts:
    from mqdiag.rocketmq.counted import counted_objects

    classes = quick_class_rows(dump)
    return HeapFacts(
        objects=None,
        shallow_bytes=None,
        unreachable_objects=None,
        unreachable_bytes=None,
        file_objects=sum(row.instances for row in classes),
        file_shallow_bytes=sum(row.shallow_bytes for row in classes),
        heap_bytes=settings.heap_limit,
        heap_bytes_source=None if settings.heap_limit is None else "option",
        id_size=dump.header.id_size,
        captured_at=captured_at(dump.header),
        shallow_size_source="formula",
        classes=classes,
        counted=counted_objects(classes),
        unknown=dict.fromkeys(("reachability", "retained sizes", "consumers", "process_queues"), NO_GRAPH),
    )


def graph_facts(heap: Heap, settings: Settings, progress: Progress) -> HeapFacts:
    """All that a report says of an opened dump."""
    # Here, not above: counts alone need none of it.
    from mqdiag.diagnose.heap_threads import heap_threads, threads_without_object
    from mqdiag.graph.virtual_threads import virtual_threads
    from mqdiag.rocketmq.clock import check_clock
    from mqdiag.rocketmq.view import rocketmq_facts

    tree = heap.dominance
    total = int(heap.sizes.units.sum(dtype=np.int64)) * heap.sizes.alignment
    reachable = tree.total_bytes
    limit = _limit(heap, settings.heap_limit, reachable)
    progress.phase(say("reading consumers and messages"))
    no_time = check_clock(heap)  # first, as ages are counted from it
    view = rocketmq_facts(heap)
    threads = (*heap_threads(heap, view.in_hand), *threads_without_object(heap))
    virtual = virtual_threads(heap)
    sums = _sums(heap, view.packages, progress)
    out_of_memory = any(thread.hit_out_of_memory for thread in threads)
    large = _large_objects(heap) if out_of_memory else None
    return HeapFacts(
        objects=tree.count,
        shallow_bytes=reachable,
        unreachable_objects=heap.count - tree.count,
        unreachable_bytes=total - reachable,
        file_objects=heap.count,
        file_shallow_bytes=total,
        heap_bytes=limit.bytes,
        heap_bytes_source=limit.source,
        contradicting_heap_bytes=limit.contradicting_bytes,
        contradicting_heap_bytes_source=limit.contradicting_source,
        id_size=heap.header.id_size,
        captured_at=captured_at(heap.header),
        jvm=jvm_name(heap),
        shallow_size_source=heap.sizes.source,
        classes=sums.classes,
        dominators=sums.dominators,
        suspects=sums.suspects,
        out_of_memory=out_of_memory,
        large_objects=None if large is None else large[0],
        large_object_bytes=None if large is None else large[1],
        threads=threads,
        virtual_threads=virtual,
        dangling_references=heap.references.dangling,
        waste=sums.waste,
        unknown={
            **view.unknown,
            **no_time,
            **({"heap limit": limit.why_unknown} if limit.why_unknown else {}),
            **_stacks_left_out(virtual),
            **_estimated_sizes(heap),
        },
        **{name: getattr(view, name) for name in RocketMQFacts.__struct_fields__},
    )


def _large_objects(heap: Heap) -> tuple[int, int]:
    """How many objects are so large that G1 may give them regions of their own, and their bytes."""
    sizes = heap.sizes
    units = sizes.units[sizes.units >= LARGE_OBJECT_BYTES // sizes.alignment]
    return len(units), int(units.sum(dtype=np.int64)) * sizes.alignment


class _Limit(NamedTuple):
    """The largest heap that the JVM may have; see the fields of HeapFacts."""

    bytes: int | None
    source: HeapBytesSource | None
    contradicting_bytes: int | None = None
    contradicting_source: HeapBytesSource | None = None
    why_unknown: Text | None = None


def _limit(heap: Heap, given: int | None, reachable: int) -> _Limit:
    """The limit that the user gave, else that of the dump."""
    from mqdiag.rocketmq.machine import memory_bytes

    in_dump = heap_limit(heap, reachable, memory_bytes(heap))
    if given is None:
        return _Limit(in_dump.limit_bytes, in_dump.source, why_unknown=in_dump.why_unknown)
    if contradicts(given, in_dump):
        return _Limit(given, "option", in_dump.limit_bytes, in_dump.source)
    return _Limit(given, "option")


class _Sums(NamedTuple):
    """What takes the memory; see the fields of HeapFacts."""

    classes: tuple[ClassRow, ...]
    dominators: tuple[DominatorBox, ...]
    suspects: tuple[Suspect, ...]
    waste: Waste


def _sums(heap: Heap, packages: tuple[str, ...], progress: Progress) -> _Sums:
    """Look at all objects, on two cores.

    Args:
        heap: the dump.
        packages: of RocketMQ where it is relocated.
        progress: who listens.
    """
    from mqdiag.graph.waste import waste

    progress.phase(say("summing classes"))
    with pool(1, is_large=heap.count >= LEAST_OBJECTS) as beside:
        suspected = beside.submit(
            suspects, heap, lambda name: ".rocketmq." in name or name.startswith(packages)
        )
        classes, boxes = class_rows(heap), dominator_boxes(heap)
        progress.phase(say("looking for waste"))
        wasted = waste(heap)
    return _Sums(classes, boxes, suspected.result(), wasted)


def _stacks_left_out(virtual: VirtualThreads | None) -> dict[str, Text]:
    """JDK 21 writes virtual threads as objects without a stack."""
    if virtual is None or not virtual.without_stack:
        return {}
    return {
        "virtual threads": say(
            "the dump has no stack of {threads:count} virtual {threads:thread|threads}, as JDK 21 writes none:"
            " jcmd PID Thread.dump_to_file -format=json FILE has them",
            threads=virtual.without_stack,
        )
    }


def _estimated_sizes(heap: Heap) -> dict[str, Text]:
    """Sizes are learned from the distances of addresses; some writers number the objects instead."""
    if heap.sizes.source == "gaps":
        return {}
    return {
        "sizes of objects": say(
            "shallow and retained sizes are estimates by the usual layout of a JVM, because the ids in "
            "this dump are not addresses or it has too few objects to learn the layout from"
        )
    }

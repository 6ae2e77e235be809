"""How a person would name a holder: a field of the application, a local variable of a frame, a thread local."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from mqdiag.facts.vocabulary import HolderKind
from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.contents import entries_of
from mqdiag.graph.holders.own_classes import is_application, is_jdk, is_library, named_class
from mqdiag.graph.paths import describe, edge_name, hops_of, steps_of
from mqdiag.graph.readable_path import readable_path
from mqdiag.graph.threads import ThreadRecord
from mqdiag.knowledge.lookup import works_alone
from mqdiag.knowledge.own_code import method_of
from mqdiag.read.hprof.distinct import is_in

_ENTRY = "java.lang.ThreadLocal$ThreadLocalMap$Entry"
_SAMPLE = 256
_MOSTLY = 0.5
"""share of the entries of a container that are looked at"""
_PUBLIC = ("java.", "javax.")
"""packages of the JDK that applications know"""
_OF_THE_JVM = ("java.lang.ref.", "java.lang.invoke.", "java.lang.Class", "java.lang.Module", "java.lang.Thread")
"""classes whose statics the JVM fills by itself"""


class Name(msgspec.Struct, frozen=True, kw_only=True):
    """A holder's name, and how it was found."""

    label: str
    kind: HolderKind
    held: int
    """the object that the field, local variable or thread local refers to"""
    path: tuple[str, ...]
    holder_class: str
    """the class that has the field or the frame"""
    nodes: tuple[int, ...] = ()
    """the way from the named holder to the accumulation point, itself included"""
    thread: str | None = None
    frame: str | None = None
    threads: int = 0
    """threads that hold it; 0 where no thread does"""


def name_of(heap: Heap, node: int, records: dict[int, ThreadRecord]) -> Name:
    """Name the holder of an accumulation point.

    The field of the application nearest to it; else that of a library that works by itself; else the frame that has it
    in a local variable; else a library's field; else a static field of the JDK where applications register things. Any
    other field of the JDK is no name: then the object is named by its class.
    """
    way = readable_path(heap, node)
    for test in (is_application, works_alone):
        found = _field_of(heap, way, test, records)
        if found is not None:
            return found
    found = (
        _thread_local_name(heap, way)
        or local_name(heap, way, records)
        or _field_of(heap, way, is_library, records)
        or _static_of_jdk(heap, way, records)
    )
    if found is not None:
        return found
    row = heap.class_of_node.get(node)
    return Name(
        label=describe(heap, node) if row is not None else heap.class_name(node),
        kind="object",
        held=node,
        path=tuple(steps_of(heap, way)),
        holder_class=named_class(heap, node),
    )


def _static_of_jdk(heap: Heap, way: list[int], records: dict[int, ThreadRecord]) -> Name | None:
    """The last static field of a public class of the JDK, such as `java.sql.DriverManager.registeredDrivers`."""
    for at in range(len(way) - 2, -1, -1):
        name = named_class(heap, way[at])
        if way[at] in heap.class_of_node and name.startswith(_PUBLIC) and not name.startswith(_OF_THE_JVM):
            return _field_name(heap, way, at, way[at + 1], records)
    return None


def _field_of(
    heap: Heap, way: list[int], test: Callable[[str], bool], records: dict[int, ThreadRecord]
) -> Name | None:
    """The last field on a way that belongs to such a class."""
    for at in range(len(way) - 2, -1, -1):
        if test(named_class(heap, way[at])):
            at = _outside_of_structure(heap, way, at, test)
            return _field_name(heap, way, at, way[at + 1], records)
    return None


def _outside_of_structure(heap: Heap, way: list[int], at: int, test: Callable[[str], bool]) -> int:
    """From the inside of a tree or list that is linked by hand up to the field that holds the whole of it."""
    while at and test(named_class(heap, way[at - 1])) and _holds_its_own_kind(heap, way[at], way[at + 1]):
        at -= 1
    return at


def _holds_its_own_kind(heap: Heap, holder: int, held: int) -> bool:
    """Whether what a field refers to is of the class of the holder, or has mostly entries of that class."""
    if holder in heap.class_of_node:
        return False
    row = int(heap.index.rows[holder])
    if int(heap.index.rows[held]) == row:
        return True
    values = entries_of(heap, held)[1][:_SAMPLE]
    values = values[values >= 0]
    return bool(values.size) and bool((heap.index.rows[values] == row).mean() >= _MOSTLY)


def _field_name(heap: Heap, way: list[int], at: int, held: int, records: dict[int, ThreadRecord]) -> Name:
    holder = way[at]
    local = local_name(heap, way, records)
    # no field of a library's thread leads to its own local variables
    in_its_local = local_name(heap, way[at:], records) is not None
    return Name(
        label=named_class(heap, holder) if in_its_local else edge_name(heap, holder, held),
        kind="field",
        held=held,
        path=own_steps(heap, way, at),
        holder_class=named_class(heap, holder),
        nodes=tuple(way[at:]),
        thread=None if local is None else local.thread,
        threads=0 if local is None else local.threads,
        frame=None if local is None else local.frame,
    )


def own_steps(heap: Heap, way: list[int], at: int) -> tuple[str, ...]:
    """The path from the first class that the application wrote, or from the holder where there is none."""
    first = next((i for i, node in enumerate(way[:at]) if is_application(named_class(heap, node))), at)
    if first == 0 or way[0] in heap.references.extra_from:
        return tuple(steps_of(heap, way))
    # what comes before is how the JVM keeps classes
    return (describe(heap, way[first]), *hops_of(heap, way[first:]))


def local_name(heap: Heap, way: list[int], records: dict[int, ThreadRecord]) -> Name | None:
    """The frame that has the second object of a way in a local variable; None where no thread has it in one.

    A dump without stacks has local variables whose frame is not known: `frame` is None then.
    """
    if len(way) < 2 or way[0] not in records:
        return None
    record = records[way[0]]
    frame = frame_of_local(record, way[1])
    if not any(way[1] in held.tolist() for held in record.locals.values()):
        return None
    return Name(
        label=frame or heap.class_name(way[1]),
        kind="local-variable",
        held=way[1],
        path=tuple(steps_of(heap, way)),
        holder_class=heap.class_name(way[1]) if frame is None else method_of(frame).rpartition(".")[0],
        nodes=tuple(way),
        thread=record.name,
        threads=1,
        frame=frame,
    )


def _thread_local_name(heap: Heap, way: list[int]) -> Name | None:
    """The ThreadLocal that several threads have the same value of, as children inherit it from their parent."""
    rows = heap.classes.indices_named(_ENTRY)
    at = next((at for at in range(len(way) - 2, -1, -1) if int(heap.index.rows[way[at]]) in rows), None)
    if at is None:
        return None
    value = way[at + 1]
    key = heap.ref(way[at], "referent")
    label = thread_local_names(heap, [key]).get(key)
    if label is None:
        return None
    _, holders = heap.referrers(np.array([value], np.int32))
    return Name(
        label=label,
        kind="thread-local",
        held=value,
        path=tuple(steps_of(heap, way)),
        holder_class=label.rpartition(".")[0],
        nodes=tuple(way[at:]),
        threads=int(is_in(heap.index.rows[holders], rows).sum()),
    )


def frame_of_local(record: ThreadRecord, node: int) -> str | None:
    """The application's frame that works with a local: the outermost that has it, or the next one that called it.

    Falls back to the frame itself where the stack has no frame of the application; None where no frame has it.
    """
    frames: tuple[str, ...] = record.frames
    holding = [number for number, held in record.locals.items() if node in held.tolist()]
    if not holding or not frames:
        return None
    outermost = max(min(max(holding), len(frames) - 1), 0)
    callers, called = frames[outermost:], frames[:outermost][::-1]
    return next(filter(_is_own, (*callers, *called)), frames[outermost])


def outermost_own_frame(record: ThreadRecord) -> str | None:
    """The application's frame furthest from the top of a stack; None where there is none."""
    return next(filter(_is_own, reversed(record.frames)), None)


def _is_own(frame: str) -> bool:
    """Whether a frame is one of the application."""
    return is_application(method_of(frame).rpartition(".")[0])


def is_own_local(record: ThreadRecord, node: int) -> bool:
    """Whether the outermost frame that has a local is one of the application, and not what it called."""
    holding = [number for number, held in record.locals.items() if node in held.tolist()]
    at = max(holding, default=-1)
    return 0 <= at < len(record.frames) and _is_own(record.frames[at])


def thread_local_names(heap: Heap, keys: list[int]) -> dict[int, str]:
    """The static or other field that holds each ThreadLocal; one pass over all references."""
    wanted = np.array(sorted({key for key in keys if key >= 0}), np.int32)
    if not wanted.size:
        return {}
    positions, holders = heap.referrers(wanted)
    found: dict[int, tuple[bool, str]] = {}
    for position, holder in zip(positions.tolist(), holders.tolist(), strict=True):
        name = named_class(heap, holder)
        if is_jdk(name):
            continue
        key, static = int(wanted[position]), holder in heap.class_of_node
        if key not in found or (static and not found[key][0]):
            found[key] = (static, edge_name(heap, holder, key))
    return {key: label for key, (_, label) in found.items()}

"""One dump file, read: records, classes, roots and, unless only counts are wanted, every object's place."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.progress import Progress, Silent
from mqdiag.read.array_memory import ArrayMemory, give_back_what_is_freed
from mqdiag.read.hprof.classes import (
    ClassRecords,
    LoadedClasses,
    build_classes,
    lay_out_references,
    read_loaded_classes,
)
from mqdiag.read.hprof.distinct import distinct
from mqdiag.read.hprof.header import Header, parse_header
from mqdiag.read.hprof.names import Names
from mqdiag.read.hprof.records import Records, read_records, spliced_at
from mqdiag.read.hprof.walk import Damage, Segment, Walked, heap_segments, walk_segments
from mqdiag.read.source import Source
from mqdiag.text import Text, say


class Roots(msgspec.Struct):
    """GC roots in file order.

    `types` uint8 (sub-record tags), `ids` uint64, `threads` int64 (thread serial, -1 without), `frames` int64 (frame
    number; for a thread object its trace's serial; -1 without).
    """

    types: NDArray[np.uint8]
    ids: NDArray[np.uint64]
    threads: NDArray[np.int64]
    frames: NDArray[np.int64]


class ObjectPart(msgspec.Struct):
    """Objects of one slice of the file, in file order, without the class objects.

    `ids` uint64[n], `offsets` uint32[n] of the sub-records from `start` on, int64[n] in a heap record of 4 GiB or more,
    `classes` uint16[n] or int32[n] local class numbers, which `row_of` int32 brings to rows.
    """

    start: int
    ids: NDArray[np.uint64]
    offsets: NDArray[np.uint32] | NDArray[np.int64]
    classes: NDArray[np.uint16] | NDArray[np.int32]
    row_of: NDArray[np.int32]


class Dump(msgspec.Struct):
    """All that the reader knows of a dump file, but for the places of its objects.

    `counts` and `elements` int64[class rows]: objects of each class, and their array elements (bytes of fields for
    instances).
    """

    source: Source
    header: Header
    records: Records
    names: Names
    loaded: LoadedClasses
    classes: ClassRecords
    roots: Roots
    counts: NDArray[np.int64]
    elements: NDArray[np.int64]
    further_dumps: int
    """dumps in the file besides this one"""
    complete: bool
    stopped_at: int | None
    problem: Text | None
    read_share: float | None
    room: ArrayMemory
    repaired: bool = False
    """whether wrong lengths of heap records were mended"""
    spliced_at: int | None = None
    """the byte from which on records of another process follow"""


class Summary(msgspec.Struct):
    """What a walk over the objects of a whole dump finds besides the objects.

    `class_offsets` int64[dumped classes], of the class dumps; `missing_ids` uint64, of the classes that objects name
    and that have none; `counts` and `elements` as in `Dump`.
    """

    class_offsets: NDArray[np.int64]
    class_ends: NDArray[np.int64]
    missing_ids: NDArray[np.uint64]
    roots: Roots
    counts: NDArray[np.int64]
    elements: NDArray[np.int64]


def read_dump(source: Source, progress: Progress | None = None, number: int = 0) -> Dump:
    """Read a dump and count its objects; O(sub-records), memory for the classes only.

    Args:
        source: the opened file.
        progress: told of the phases.
        number: of the dump in the file, where the file holds several; the first is 0.

    Raises:
        InputError: the file is no hprof file, or holds no such heap dump.
    """
    return _read(source, progress or Silent(), ArrayMemory(source.path), number, store=False)[0]


def counted_dump(source: Source, segments: list[Segment], walked: list[Walked]) -> Dump | None:
    """A dump of which the objects were counted before; None if its records tell of other segments, or of two dumps.

    Args:
        source: the dump; in the place of objects it may have anything.
        segments: heap records.
        walked: what is in them.
    """
    header = parse_header(source.path, source.data)
    own_segments, records, further = records_of_dump(source, read_records(source.data, header))
    if further or own_segments != segments:
        return None
    return _of_walk(source, header, records, segments, walked, ArrayMemory(source.path))[0]


def read_objects(
    source: Source, progress: Progress | None = None, number: int = 0, memory_bytes: int | None = None
) -> tuple[Dump, list[ObjectPart]]:
    """The same, and where every object is: 14 bytes an object, which `graph.index` lets go of as it indexes them.

    Args:
        source: see `read_dump`.
        progress: see `read_dump`.
        number: see `read_dump`.
        memory_bytes: what all arrays of the dump may take; None for most of what is free.
    """
    give_back_what_is_freed()
    return _read(source, progress or Silent(), ArrayMemory(source.path, memory_bytes), number, store=True)


def read_again(
    source: Source, number: int, summary: Summary, progress: Progress, memory_bytes: int | None = None
) -> Dump | None:
    """Read a dump of which an earlier run kept what it found: all but the walk over the objects.

    Args:
        source: the opened file.
        number: of the dump in the file; the first is 0.
        summary: what was found.
        progress: told of the phases.
        memory_bytes: what all arrays of the dump may take; None for most of what is free.

    Returns:
        None where the file is not whole, or has other classes than the summary.

    Raises:
        InputError: the file holds no such dump.
    """
    header = parse_header(source.path, source.data)
    progress.phase(say("reading records"))
    records = read_records(source.data, header, progress=progress)
    segments, own_records, further = records_of_dump(source, records, number)
    if completeness(source, own_records, segments, []) != (None, None, None):
        return None
    dump = _described(
        source,
        _at_its_time(header, source.data, segments) if number else header,
        own_records,
        (summary.class_offsets, summary.class_ends),
        summary.missing_ids,
        summary.roots,
        ArrayMemory(source.path, memory_bytes),
    )
    if dump.classes.count != summary.counts.size:
        return None
    dump.counts, dump.elements, dump.further_dumps = summary.counts, summary.elements, further
    lay_out_references(dump.classes, dump.elements, header.id_size)
    return dump


def _read(
    source: Source, progress: Progress, room: ArrayMemory, number: int, *, store: bool
) -> tuple[Dump, list[ObjectPart]]:
    data = source.data
    header = parse_header(source.path, data)
    progress.phase(say("reading records"))
    records = read_records(data, header, progress=progress)
    segments, own_records, further = records_of_dump(source, records, number)
    progress.phase(say("walking objects"))
    walked = walk_segments(data, header.id_size, segments, store=store, progress=progress, room=room)
    damaged_at = [damage.at for part in walked for damage in part.damages]
    mended = _mended(data, header, min(damaged_at)) if damaged_at else None
    if mended is not None:
        segments, own_records, further = records_of_dump(source, mended, number)
        walked = walk_segments(data, header.id_size, segments, store=store, progress=progress, room=room)
    header = _at_its_time(header, data, segments) if number else header
    dump, objects = _of_walk(source, header, own_records, segments, walked, room)
    dump.further_dumps = further
    dump.repaired = mended is not None
    dump.spliced_at = spliced_at(data, records if mended is None else mended, header.id_size)
    return dump, objects


def _mended(data: NDArray[np.uint8], header: Header, damaged_at: int) -> Records | None:
    # Here, not above: hardly any dump needs it.
    from mqdiag.read.hprof.repair_segments import repair_segments

    return repair_segments(data, header, damaged_at)


def _of_walk(
    source: Source,
    header: Header,
    records: Records,
    segments: list[Segment],
    walked: list[Walked],
    room: ArrayMemory,
) -> tuple[Dump, list[ObjectPart]]:
    """Join what records and segments tell."""
    dump = _described(
        source,
        header,
        records,
        (
            np.concatenate([part.class_offsets for part in walked]),
            np.concatenate([part.class_ends for part in walked]),
        ),
        distinct(np.concatenate([part.known[9:] for part in walked])),
        Roots(
            np.concatenate([part.root_types for part in walked]),
            np.concatenate([part.root_ids for part in walked]),
            np.concatenate([part.root_threads for part in walked]),
            np.concatenate([part.root_frames for part in walked]),
        ),
        room,
    )
    dump.counts, dump.elements, objects = _join(walked, dump.classes)
    lay_out_references(dump.classes, dump.elements, header.id_size)
    damages = [damage for part in walked for damage in part.damages]
    dump.stopped_at, dump.problem, dump.read_share = completeness(source, records, segments, damages)
    dump.complete = dump.problem is None
    return dump, objects


def _described(
    source: Source,
    header: Header,
    records: Records,
    class_dumps: tuple[NDArray[np.int64], NDArray[np.int64]],
    used_ids: NDArray[np.uint64],
    roots: Roots,
    room: ArrayMemory,
) -> Dump:
    """Join records and class dumps; what only objects tell is for the caller to fill in."""
    names = Names(source.data, records, header.id_size)
    loaded = read_loaded_classes(source.data, records, header.id_size)
    names.learn(loaded.name_ids)
    classes = build_classes(source.data, header.id_size, names, loaded, *class_dumps, used_ids)
    return Dump(
        source=source,
        header=header,
        records=records,
        names=names,
        loaded=loaded,
        classes=classes,
        roots=roots,
        counts=np.empty(0, np.int64),
        elements=np.empty(0, np.int64),
        further_dumps=0,
        complete=True,
        stopped_at=None,
        problem=None,
        read_share=None,
        room=room,
    )


def records_of_dump(source: Source, records: Records, number: int = 0) -> tuple[list[Segment], Records, int]:
    """(segments of a dump, records that say what it means, how many other dumps the file holds).

    Args:
        source: the opened file.
        records: all of its records.
        number: of the dump; the first is 0.

    Raises:
        InputError: there is no such dump.
    """
    dumps = heap_segments(records)
    if not dumps:
        # what ended the packed data is the reason for what its last record lacks
        problem = source.problem or records.problem
        raise InputError(
            source.path,
            say("no heap dump record (tag 0x0c or 0x1c) in the file; {problem}", problem=problem)
            if problem
            else say("no heap dump record (tag 0x0c or 0x1c) in the file"),
            hint=say("compare the file's size with the original, and copy it again")
            if problem
            else say("it may hold a CPU profile only; take a heap dump with jcmd PID GC.heap_dump"),
            offset=records.stopped_at if records.stopped_at is not None else int(source.data.size),
        )
    if number >= len(dumps):
        raise InputError(
            source.path,
            say("the file holds {dumps:count} {dumps:dump|dumps}", dumps=len(dumps)),
            offset=int(source.data.size),
        )
    if len(dumps) > 1:
        records = records.of_dump(dumps[number], dumps[number - 1][-1][1] if number else 0)
    return dumps[number], records, len(dumps) - 1


def _at_its_time(header: Header, data: NDArray[np.uint8], segments: list[Segment]) -> Header:
    """The header with the time of a later dump: its first record has the microseconds since the header's time."""
    begin = segments[0][0]
    micros = int.from_bytes(bytes(data[begin - 8 : begin - 4]), "big")
    if not header.captured_at_ms:
        return header
    return msgspec.structs.replace(header, captured_at_ms=header.captured_at_ms + micros // 1000)


def _join(
    walked: list[Walked], classes: ClassRecords
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[ObjectPart]]:
    """(objects by class row, elements by class row, the slices with what brings their class numbers to rows)."""
    counts = np.zeros(classes.count, np.int64)
    elements = np.zeros(classes.count, np.int64)
    parts = []
    for part in walked:
        known = classes.rows_of(part.known[9:])
        known[known < 0] = classes.unknown_row
        row_of = np.concatenate((classes.primitive_rows, [classes.unknown_row], known)).astype(np.int32)
        np.add.at(counts, row_of, part.counts)
        np.add.at(elements, row_of, part.elements)
        parts.append(ObjectPart(part.start, part.ids, part.offsets, part.classes, row_of))
    return counts, elements, parts


def completeness(
    source: Source, records: Records, segments: list[tuple[int, int]], damages: list[Damage]
) -> tuple[int | None, Text | None, float | None]:
    """(byte where reading first stopped, what was wrong, share read); three Nones for a whole dump."""
    stops = [(damage.at, damage.problem) for damage in damages[:1]]
    if records.problem is not None and records.stopped_at is not None:
        stops.append((records.stopped_at, records.problem))
    if source.problem is not None:
        stops.append((int(source.data.size), source.problem))
    if not stops:
        return None, None, None
    lost = sum(damage.lost_bytes for damage in damages)
    # Of a dump in segments that is cut nobody knows how many were to follow.
    expected = records.declared_end
    if expected is None and source.problem is None and records.problem is None:
        expected = int(source.data.size)
    read = int(source.data.size) - lost
    # A sub-record cut inside the last segment says more than the record that holds it.
    last_or_first = max if len(damages) <= 1 else min
    at, problem = last_or_first(stops, key=lambda stop: stop[0])
    share = read / expected if expected else None
    return at, problem, share

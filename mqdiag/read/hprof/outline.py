"""The light way to read a dump: its classes, and blocks of objects instead of an entry for each object.

`Dump` and the graph above it take some twenty bytes an object; here memory grows with the classes and with the size of
the file divided by that of a block. `object_finder` finds objects by id and reads their fields, elements and texts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from mqdiag.progress import Progress
from mqdiag.read.hprof.block_index import BlockIndex, BlockScanner
from mqdiag.read.hprof.classes import ClassRecords, LoadedClasses, build_classes, read_loaded_classes
from mqdiag.read.hprof.distinct import is_among
from mqdiag.read.hprof.dump import completeness, records_of_dump
from mqdiag.read.hprof.header import Header, parse_header
from mqdiag.read.hprof.mapped import releasing
from mqdiag.read.hprof.names import Names
from mqdiag.read.hprof.records import Records, read_records
from mqdiag.read.hprof.repair_segments import repair_segments
from mqdiag.read.hprof.walk import Damage, Segment, first_damage
from mqdiag.read.source import Source
from mqdiag.text import Text, say


@dataclass(slots=True)
class Outline:
    """A dump but for its objects: records, classes, and where reading stopped."""

    source: Source
    header: Header
    records: Records
    names: Names
    loaded: LoadedClasses
    classes: ClassRecords
    segments: list[Segment]
    further_dumps: int
    stopped_at: int | None = None
    problem: Text | None = None


class Question(Protocol):
    """Which instances the index lists one by one; made of an outline when its classes are known."""

    ids: NDArray[np.uint64]
    """by class row; 0 for a class that is not asked for"""


AnyQuestion = TypeVar("AnyQuestion", bound=Question)


def read_outline(
    source: Source, ask: Callable[[Outline], AnyQuestion], release: Callable[[], None], progress: Progress
) -> tuple[Outline, AnyQuestion, BlockIndex]:
    """Read classes and index objects: once through the heap, where all classes stand before the first object.

    That is how HotSpot writes. Where a class that stands elsewhere makes more classes asked for, the objects are
    indexed again.

    Args:
        source: the opened file.
        ask: makes the question of an outline.
        release: gives back what was mapped in by reading.
        progress: who listens.

    Raises:
        InputError: the file is no hprof file, or holds no heap dump at all.
    """
    header = parse_header(source.path, source.data)
    progress.phase(say("reading records"))
    records = read_records(source.data, header, progress=progress)
    records_of_dump(source, records)
    scanner = BlockScanner(source.data, header.id_size, release)
    outline, asked, index, damages = _scanned(source, header, records, scanner, ask, progress)
    if damages:
        with releasing(release):
            mended = repair_segments(source.data, header, min(damage.at for damage in damages))
        if mended is not None:
            records = mended
            outline, asked, index, damages = _scanned(source, header, records, scanner, ask, progress)
    outline.stopped_at, outline.problem, _ = completeness(source, outline.records, outline.segments, damages)
    return outline, asked, index


def _scanned(
    source: Source,
    header: Header,
    records: Records,
    scanner: BlockScanner,
    ask: Callable[[Outline], AnyQuestion],
    progress: Progress,
) -> tuple[Outline, AnyQuestion, BlockIndex, list[Damage]]:
    segments, records, further = records_of_dump(source, records)
    index = scanner.leading_classes(segments)
    names = Names(source.data, records, header.id_size)
    loaded = read_loaded_classes(source.data, records, header.id_size)
    names.learn(loaded.name_ids)
    outline = Outline(
        source=source,
        header=header,
        records=records,
        names=names,
        loaded=loaded,
        classes=_classes(source, header, names, loaded, index),
        segments=segments,
        further_dumps=further,
    )
    leading, asked = index.class_starts.size, ask(outline)
    progress.phase(say("indexing objects"))
    index = scanner.all(segments, asked.ids, progress)
    if index.class_starts.size != leading:
        # Those that stood first keep their rows.
        outline.classes = _classes(source, header, names, loaded, index)
        before, asked = asked, ask(outline)
        if not is_among(asked.ids, np.sort(before.ids)).all():
            progress.phase(say("indexing objects again"))
            index = scanner.all(segments, asked.ids, progress)
    return outline, asked, index, _damages(source, header, segments, index)


def _classes(
    source: Source, header: Header, names: Names, loaded: LoadedClasses, index: BlockIndex
) -> ClassRecords:
    no_ids = np.empty(0, np.uint64)
    classes = build_classes(
        source.data, header.id_size, names, loaded, index.class_starts, index.class_ends, no_ids
    )
    names.learn(np.concatenate((classes.field_names, classes.static_names)))
    return classes


def _damages(source: Source, header: Header, segments: list[Segment], index: BlockIndex) -> list[Damage]:
    """What the reader says of the places where segments could not be read on."""
    damages = (
        first_damage(source.data, header.id_size, stop, end)
        for (_, end), stop in zip(segments, index.stops, strict=True)
        if stop < end
    )
    return [damage for damage in damages if damage is not None]

"""Puts together what the graph and the RocketMQ view say about one dump."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from mqdiag.config import Settings
from mqdiag.errors import InputError
from mqdiag.facts import HeapFacts, Input
from mqdiag.facts.heap import ClassRow, HeapThread
from mqdiag.graph import Heap, open_heap
from mqdiag.progress import Progress
from mqdiag.read.hprof.dump import Dump


def read_heap(
    path: Path, settings: Settings, *, quick: bool, name: str, progress: Progress
) -> tuple[Input, HeapFacts]:
    """Read a dump as far as it goes."""
    heap = open_heap(str(path), progress)
    if heap.count == 0:
        raise InputError(
            name,
            f"no object could be read: {heap.dump.problem or 'the heap record is empty'}",
            hint="compare the file's size with the original and copy it again",
            offset=heap.dump.stopped_at,
        )
    return _given(heap.dump, name), _facts(heap, settings)


def _given(dump: Dump, name: str) -> Input:
    compression = f", {dump.source.compression}" if dump.source.compression else ""
    return Input(
        path=name,
        kind="heap",
        format=f"hprof {dump.header.version}{compression}",
        bytes=dump.source.file_bytes,
        captured_at=captured_at(dump),
        complete=dump.complete,
        stopped_at_byte=dump.stopped_at,
        read_share=dump.read_share,
        problem=dump.problem,
    )


def captured_at(dump: Dump) -> str | None:
    """The header's instant as RFC 3339; None when the writer left it empty or wrote nonsense."""
    try:
        moment = datetime.fromtimestamp(dump.header.captured_at_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds") if dump.header.captured_at_ms else None


def _facts(heap: Heap, settings: Settings) -> HeapFacts:
    tree = heap.dominance
    units = heap.sizes.units.astype(np.int64) * heap.sizes.alignment
    total = int(units.sum())
    reachable = int(units[tree.order[1:]].sum())
    return HeapFacts(
        objects=tree.count,
        shallow_bytes=reachable,
        unreachable_objects=heap.count - tree.count,
        unreachable_bytes=total - reachable,
        file_objects=heap.count,
        file_shallow_bytes=total,
        heap_bytes=settings.heap_limit,
        heap_bytes_source=None if settings.heap_limit is None else "option",
        id_size=heap.header.id_size,
        captured_at=captured_at(heap.dump),
        shallow_size_source=heap.sizes.source,
        classes=_classes(heap, units),
        threads=tuple(HeapThread(name=thread.name, frames=tuple(thread.frames)) for thread in heap.threads),
    )


def _classes(heap: Heap, units: np.ndarray) -> tuple[ClassRow, ...]:
    counts = np.bincount(heap.index.rows, minlength=heap.classes.count)
    shallow = np.bincount(heap.index.rows, units, heap.classes.count)
    merged: dict[str, list[int]] = {}
    for row, class_name in enumerate(heap.classes.names):
        entry = merged.setdefault(class_name, [0, 0, 0])
        entry[0] += 1
        entry[1] += int(counts[row])
        entry[2] += int(shallow[row])
    rows = [
        ClassRow(name=class_name, loaders=loaders, instances=instances, shallow_bytes=size)
        for class_name, (loaders, instances, size) in merged.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.shallow_bytes, row.name)))

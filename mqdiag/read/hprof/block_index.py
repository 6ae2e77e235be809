"""The heap segments once through: blocks that know which ids may be in them, and the objects of some classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mqdiag.progress import Progress
from mqdiag.read.cores import LEAST_BYTES, pool, worker_count
from mqdiag.read.hprof.kernels import block_index as kernel
from mqdiag.read.hprof.mapped import RELEASE_BYTES
from mqdiag.read.hprof.number_table import number_table
from mqdiag.read.hprof.walk import Segment

Ids = NDArray[np.uint64]
Places = NDArray[np.int64]
"""where sub-records stand in the file; -1 for none"""

LARGE_BYTES = 1 << 17
"""a sub-record of that size is a block alone; above `MOST_BYTES` of a text with what stands before it"""
_BLOCK_BYTES = 1 << 15
_GROUP_BYTES = 16 << 20


@dataclass(slots=True)
class BlockIndex:
    """What segments hold, in file order.

    `starts`, `ends` int64[b]: blocks of whole sub-records; `lowest`, `highest` uint64[b]: ids of the objects in each.
    `alone` uint8[b]: of a block of one large sub-record its tag, or the element type of an array of primitives; else 0.
    `found_at` int64[f], `found_rows` int32[f]: instances of the classes that were asked for. `class_starts`,
    `class_ends` int64[c]: CLASS_DUMP sub-records. `stops`: where each segment could be read to.
    """

    starts: Places
    ends: Places
    lowest: Ids
    highest: Ids
    alone: NDArray[np.uint8]
    found_at: Places
    found_rows: NDArray[np.int32]
    class_starts: Places
    class_ends: Places
    stops: list[int] = field(default_factory=list)

    def has_objects(self) -> bool:
        """Whether there is any."""
        return bool((self.lowest <= self.highest).any())


class BlockScanner:
    """Scans segments.

    Args:
        data: the file.
        id_size: 4 or 8.
        release: gives back what was mapped in by reading.
    """

    def __init__(self, data: NDArray[np.uint8], id_size: int, release: Callable[[], None]) -> None:
        self._data, self._id_size, self._release = data, id_size, release

    def leading_classes(self, segments: list[Segment]) -> BlockIndex:
        """Only what stands before the first object: all CLASS_DUMPs, in the dumps of HotSpot."""
        columns, state = _room(), np.zeros(5, np.int64)
        asked = self._asked(np.empty(0, np.uint64))
        for start, end in segments:
            status, columns = self._segment(start, end, 0, state, asked, columns)
            if status == kernel.OBJECT:
                break
        return _index(columns, state, [])

    def all(self, segments: list[Segment], class_ids: Ids, progress: Progress) -> BlockIndex:
        """Everything, on all cores.

        Args:
            segments: heap records.
            class_ids: by class row, 0 for the classes that are not asked for.
            progress: who listens.
        """
        asked = self._asked(class_ids)
        total = sum(end - start for start, end in segments) or 1
        parts, done = [], 0
        with pool(worker_count(), is_large=total >= LEAST_BYTES) as threads:
            groups = list(_groups(segments))
            for group, part in zip(
                groups, threads.map(lambda group: self._group(group, asked), groups), strict=True
            ):
                parts.append(part)
                done += sum(end - start for start, end in group)
                progress.advance(done / total)
        joined = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in BlockIndex.__slots__[:-1]
        }
        return BlockIndex(**joined, stops=[stop for part in parts for stop in part.stops])

    def _asked(self, class_ids: Ids) -> kernel.ClassFilter:
        likely = np.zeros(1 << kernel.LIKELY_BITS, np.uint8)
        kernel.mark_likely(class_ids[class_ids != 0], likely)
        return kernel.ClassFilter(likely, *number_table(class_ids))

    def _group(self, segments: list[Segment], asked: kernel.ClassFilter) -> BlockIndex:
        columns, state = _room(), np.zeros(5, np.int64)
        stops = []
        for start, end in segments:
            _, columns = self._segment(start, end, RELEASE_BYTES, state, asked, columns)
            stops.append(int(state[kernel.POSITION]))
        self._release()
        return _index(columns, state, stops)

    def _segment(
        self,
        start: int,
        end: int,
        step: int,
        state: Places,
        asked: kernel.ClassFilter,
        columns: kernel.Columns,
    ) -> tuple[int, kernel.Columns]:
        """(status, the columns, longer ones where these had no more room)."""
        state[kernel.POSITION] = start
        while True:
            status = int(
                kernel.scan_segment(
                    self._data,
                    end,
                    self._id_size,
                    LARGE_BYTES,
                    _BLOCK_BYTES,
                    step,
                    state,
                    asked,
                    columns,
                )
            )
            if status == kernel.PAUSED:
                self._release()
            elif status == kernel.FULL:
                longer = {name: np.concatenate((column, column)) for name, column in columns._asdict().items()}
                columns = columns._replace(**longer)
            else:
                return status, columns


def _room() -> kernel.Columns:
    return kernel.Columns(
        starts=np.empty(1 << 10, np.int64),
        ends=np.empty(1 << 10, np.int64),
        lowest=np.empty(1 << 10, np.uint64),
        highest=np.empty(1 << 10, np.uint64),
        alone=np.empty(1 << 10, np.uint8),
        found_at=np.empty(1 << 10, np.int64),
        found_rows=np.empty(1 << 10, np.int32),
        class_starts=np.empty(1 << 10, np.int64),
        class_ends=np.empty(1 << 10, np.int64),
    )


def _index(columns: kernel.Columns, state: Places, stops: list[int]) -> BlockIndex:
    used = dict.fromkeys(columns._fields, int(state[kernel.BLOCKS]))
    used["found_at"] = used["found_rows"] = int(state[kernel.FOUND])
    used["class_starts"] = used["class_ends"] = int(state[kernel.CLASSES])
    return BlockIndex(
        **{name: column[: used[name]].copy() for name, column in columns._asdict().items()}, stops=stops
    )


def _groups(segments: list[Segment]) -> Iterator[list[Segment]]:
    group: list[Segment] = []
    size = 0
    for start, end in segments:
        group.append((start, end))
        size += end - start
        if size >= _GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group

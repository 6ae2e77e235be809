"""The output file as a list of jobs: which bytes are copied, rewritten or blanked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.block_index import BlockIndex
from mqdiag.read.hprof.distinct import is_among
from mqdiag.read.hprof.outline import Outline
from mqdiag.read.hprof.records import HEAP_DUMP, HEAP_DUMP_END, HEAP_DUMP_SEGMENT, KNOWN_TAGS, UTF8, big_endian
from mqdiag.redact.keep import Rewriting
from mqdiag.redact.kernels import rewrite_objects as kernel

JOB_BYTES = 1 << 20
_MOST_PIECES = 256
"""pieces of a job"""
_BEYOND_BYTES = 1 << 20
"""no record of another kind than the heap's is so large, and no instance: a class has at most 65,535 fields"""
_HEADER = 9
_OBJECT_ARRAY, _INSTANCE = 0x22, 0x21
_PRIMITIVES = range(4, 12)


class Action(Enum):
    """What becomes of a stretch of bytes."""

    COPY = auto()
    BLANK = auto()
    RECORDS = auto()
    """top-level records"""
    OBJECTS = auto()
    """sub-records"""
    LETTERS = auto()
    """a byte[] too large to tell from another one"""
    WIDE_LETTERS = auto()
    """such a char[]; begins with a whole character"""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of the file with one action. `first`, `last`: the records of RECORDS."""

    start: int
    end: int
    action: Action
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """How the output is made. `tags`, `offsets`, `lengths` and `kept` are the columns of the records."""

    size: int
    pieces: list[Piece]
    tags: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    lengths: NDArray[np.int64]
    kept: NDArray[np.uint8]
    unread_bytes: int
    """bytes of the input of unknown meaning"""
    counts: NDArray[np.int64]
    """large arrays, as the kernel `rewrite` counts the others"""

    def jobs(self, *, holes: bool) -> Iterator[list[Piece]]:
        """The pieces in portions, in file order.

        Args:
            holes: zeros are not made, so only the other bytes of a portion count.
        """
        job: list[Piece] = []
        size = 0
        for piece in self.pieces:
            made = piece.end - piece.start if not holes or piece.action is not Action.BLANK else 0
            if job and (size + made > JOB_BYTES or len(job) == _MOST_PIECES):
                yield job
                job, size = [], 0
            job.append(piece)
            size += made
        if job:
            yield job


def make_plan(outline: Outline, rewriting: Rewriting, index: BlockIndex) -> Plan:
    """Plan the output: as long as the input, or as its first dump where several follow one another."""
    records, data = outline.records, outline.source.data
    size = int(data.size)
    tags, offsets, lengths = records.tags, records.offsets, records.lengths
    if outline.further_dumps and tags.size:
        size = int(offsets[-1] + lengths[-1])
        if (
            size + _HEADER <= data.size
            and data[size] == HEAP_DUMP_END
            and not data[size + 5 : size + _HEADER].any()
        ):
            tags = np.append(tags, np.uint8(HEAP_DUMP_END))
            offsets, lengths = np.append(offsets, size + _HEADER), np.append(lengths, 0)
            size += _HEADER
    if tags.size and int(tags[-1]) not in KNOWN_TAGS:
        # No record, but what was read as one where the records end.
        tags, offsets, lengths = tags[:-1], offsets[:-1], lengths[:-1]
    symbols = _symbols_kept(outline, tags, offsets, lengths, rewriting)
    stops = {start: stop for (start, _), stop in zip(outline.segments, index.stops, strict=True)}
    planner = _Planner(outline, stops, rewriting, index)
    planner.add(0, outline.header.size, Action.COPY)
    planner.records(tags, offsets, lengths)
    planner.blank_until(size)
    return Plan(size, planner.pieces, tags, offsets, lengths, symbols, planner.unread, planner.counts)


def _symbols_kept(
    outline: Outline,
    tags: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    lengths: NDArray[np.int64],
    rewriting: Rewriting,
) -> NDArray[np.uint8]:
    kept = np.zeros(tags.size, np.uint8)
    symbols = np.flatnonzero((tags == UTF8) & (lengths >= outline.header.id_size))
    ids = big_endian(outline.source.data, offsets[symbols], outline.header.id_size)
    kept[symbols] = is_among(ids, rewriting.symbols)
    return kept


class _Planner:
    def __init__(
        self, outline: Outline, stops: dict[int, int], rewriting: Rewriting, index: BlockIndex
    ) -> None:
        self._id_size = outline.header.id_size
        self._ends, self._stops = index.ends, stops
        is_large = index.alone != 0
        self._large_starts, self._large_ends = index.starts[is_large], index.ends[is_large]
        self._large_kinds = index.alone[is_large]
        self._large_bodies = is_among(
            index.lowest[is_large], np.sort(rewriting.kept.bodies[rewriting.kept.bodies != 0])
        )
        self._at = 0
        self.pieces: list[Piece] = []
        self.unread = 0
        self.counts = np.zeros(4, np.int64)

    def add(self, start: int, end: int, action: Action) -> None:
        """A stretch, in jobs' portions; what lies before it and was not planned is blanked."""
        self.blank_until(start)
        step = end - start if action is Action.OBJECTS else JOB_BYTES
        for begin in range(start, end, max(step, 1)):
            self.pieces.append(Piece(begin, min(begin + step, end), action))
        self._at = max(self._at, end)

    def blank_until(self, end: int) -> None:
        """What no record claims."""
        if end > self._at:
            start, self._at = self._at, end
            self.unread += end - start
            for begin in range(start, end, JOB_BYTES):
                self.pieces.append(Piece(begin, min(begin + JOB_BYTES, end), Action.BLANK))

    def records(self, tags: NDArray[np.uint8], offsets: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """All top-level records; runs of small ones are one piece."""
        is_heap = (tags == HEAP_DUMP) | (tags == HEAP_DUMP_SEGMENT)
        alone = np.flatnonzero(is_heap | (lengths > _BEYOND_BYTES)).tolist()
        ends = offsets + lengths
        number = 0
        for single in [*alone, tags.size]:
            self._run(number, single, offsets, ends)
            number = single + 1
            if single == tags.size:
                break
            start, end = int(offsets[single]), int(ends[single])
            self.add(start - _HEADER, start, Action.COPY)
            if is_heap[single]:
                self._segment(start, end, self._stops.get(start, start))
            else:
                self.blank_until(end)

    def _run(self, first: int, last: int, offsets: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        while first < last:
            start = int(offsets[first]) - _HEADER
            until = int(np.searchsorted(ends[first:last], start + JOB_BYTES, "right")) + first
            until = max(until, first + 1)
            self.blank_until(start)
            self.pieces.append(Piece(start, int(ends[until - 1]), Action.RECORDS, first, until))
            self._at = int(ends[until - 1])
            first = until

    def _segment(self, start: int, end: int, stop: int) -> None:
        """One heap record: runs of blocks, large objects in portions, and blanks where it could not be read."""
        large = slice(*np.searchsorted(self._large_starts, (start, stop)))
        columns = self._large_starts, self._large_ends, self._large_kinds, self._large_bodies
        for large_start, large_end, kind, is_body in zip(
            *(each[large].tolist() for each in columns), strict=True
        ):
            self._blocks(start, large_start)
            self._large(large_start, large_end, kind, is_body=is_body)
            start = large_end
        self._blocks(start, stop)
        self.blank_until(end)

    def _blocks(self, start: int, end: int) -> None:
        while start < end:
            until = end
            if until - start > JOB_BYTES:
                # Blocks are much smaller: one ends in between.
                until = int(self._ends[np.searchsorted(self._ends, start + JOB_BYTES, "right") - 1])
            self.add(start, until, Action.OBJECTS)
            start = until

    def _large(self, start: int, end: int, kind: int, *, is_body: bool) -> None:
        if kind in _PRIMITIVES:
            content = start + 10 + self._id_size
            action = {5: Action.WIDE_LETTERS, 8: Action.LETTERS}.get(kind, Action.BLANK)
            counted = kernel.BLANKED if action is Action.BLANK else kernel.REPLACED
            if is_body:
                action, counted = Action.BLANK, kernel.BODIES
            self.add(start, content, Action.COPY)
            self.add(content, end, action)
            self.counts[counted] += 1
        elif kind == _OBJECT_ARRAY:
            self.add(start, end, Action.COPY)
        elif kind == _INSTANCE and end - start > _BEYOND_BYTES:
            self.add(start, start + 9 + 2 * self._id_size, Action.COPY)
            self.add(start + 9 + 2 * self._id_size, end, Action.BLANK)
        else:
            self.add(start, end, Action.OBJECTS)

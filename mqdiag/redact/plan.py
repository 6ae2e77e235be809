"""The output file as a list of jobs: which bytes are copied, rewritten or blanked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.records import HEAP_DUMP, HEAP_DUMP_END, HEAP_DUMP_SEGMENT, KNOWN_TAGS, UTF8, big_endian
from mqdiag.read.hprof.walk import Segment
from mqdiag.redact.keep import Rewriting
from mqdiag.redact.kernels import rewrite as kernel
from mqdiag.redact.objects import LARGE_BYTES, Objects

JOB_BYTES = 1 << 20
_HEADER = 9
_OBJECT_ARRAY, _PRIMITIVE_ARRAY, _INSTANCE = 0x22, 0x23, 0x21


class Fate(Enum):
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
    """Bytes of the file with one fate. `first`, `last`: the records of RECORDS."""

    start: int
    end: int
    fate: Fate
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
    """of the input, where nobody can say what they are"""
    counts: NDArray[np.int64]
    """large arrays, as the kernel `rewrite` counts the others"""

    def jobs(self) -> Iterator[list[Piece]]:
        """The pieces in stretches of about `JOB_BYTES`, in file order."""
        job: list[Piece] = []
        for piece in self.pieces:
            if job and piece.end - job[0].start > JOB_BYTES:
                yield job
                job = []
            job.append(piece)
        if job:
            yield job


def make_plan(dump: Dump, segments: list[Segment], rewriting: Rewriting, objects: Objects) -> Plan:
    """Plan the output: as long as the input, or as its first dump where several follow one another."""
    records, data = dump.records, dump.source.data
    size = int(data.size)
    tags, offsets, lengths = records.tags, records.offsets, records.lengths
    if dump.further_dumps and tags.size:
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
    symbols = _symbols_kept(dump, tags, offsets, lengths, rewriting)
    stops = {start: stop for (start, _), stop in zip(segments, objects.stops, strict=True)}
    planner = _Planner(dump, stops, rewriting, objects)
    planner.add(0, dump.header.size, Fate.COPY)
    planner.records(tags, offsets, lengths)
    planner.blank_until(size)
    return Plan(size, planner.pieces, tags, offsets, lengths, symbols, planner.unread, planner.counts)


def _symbols_kept(
    dump: Dump,
    tags: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    lengths: NDArray[np.int64],
    rewriting: Rewriting,
) -> NDArray[np.uint8]:
    kept = np.zeros(tags.size, np.uint8)
    symbols = np.flatnonzero((tags == UTF8) & (lengths >= dump.header.id_size))
    ids = big_endian(dump.source.data, offsets[symbols], dump.header.id_size)
    kept[symbols] = np.isin(ids, rewriting.symbols)
    return kept


class _Planner:
    def __init__(self, dump: Dump, stops: dict[int, int], rewriting: Rewriting, objects: Objects) -> None:
        self._data, self._id_size = dump.source.data, dump.header.id_size
        self._objects, self._stops = objects, stops
        self._bodies = set(rewriting.bodies.tolist())
        self._at = 0
        self._block = 0
        self.pieces: list[Piece] = []
        self.unread = 0
        self.counts = np.zeros(4, np.int64)

    def add(self, start: int, end: int, fate: Fate) -> None:
        """A stretch, in jobs' portions; what lies before it and was not planned is blanked."""
        self.blank_until(start)
        step = end - start if fate is Fate.OBJECTS else JOB_BYTES
        for begin in range(start, end, max(step, 1)):
            self.pieces.append(Piece(begin, min(begin + step, end), fate))
        self._at = max(self._at, end)

    def blank_until(self, end: int) -> None:
        """What no record claims."""
        if end > self._at:
            start, self._at = self._at, end
            self.unread += end - start
            for begin in range(start, end, JOB_BYTES):
                self.pieces.append(Piece(begin, min(begin + JOB_BYTES, end), Fate.BLANK))

    def records(self, tags: NDArray[np.uint8], offsets: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """All top-level records; runs of small ones are one piece."""
        is_heap = (tags == HEAP_DUMP) | (tags == HEAP_DUMP_SEGMENT)
        alone = np.flatnonzero(is_heap | (lengths > LARGE_BYTES)).tolist()
        number = 0
        for single in [*alone, tags.size]:
            self._run(number, single, offsets, lengths)
            number = single + 1
            if single == tags.size:
                break
            start, end = int(offsets[single]), int(offsets[single] + lengths[single])
            self.add(start - _HEADER, start, Fate.COPY)
            if is_heap[single]:
                self._segment(start, end, self._stops.get(start, start))
            else:
                self.blank_until(end)

    def _run(self, first: int, last: int, offsets: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        ends = offsets + lengths
        while first < last:
            start = int(offsets[first]) - _HEADER
            until = int(np.searchsorted(ends[first:last], start + JOB_BYTES, "right")) + first
            until = max(until, first + 1)
            self.blank_until(start)
            self.pieces.append(Piece(start, int(ends[until - 1]), Fate.RECORDS, first, until))
            self._at = int(ends[until - 1])
            first = until

    def _segment(self, start: int, end: int, stop: int) -> None:
        """One heap record: runs of blocks, large arrays in portions, and blanks where it could not be read."""
        starts, ends = self._objects.starts, self._objects.ends
        begin = start
        while self._block < starts.size and starts[self._block] < stop and ends[self._block] <= stop:
            block_start, block_end = int(starts[self._block]), int(ends[self._block])
            is_large = block_end - block_start >= LARGE_BYTES
            if is_large or block_end - begin > JOB_BYTES:
                if block_start > begin:
                    self.add(begin, block_start, Fate.OBJECTS)
                begin = block_start
            if is_large:
                self._large(block_start, block_end)
                begin = block_end
            self._block += 1
        if stop > begin:
            self.add(begin, stop, Fate.OBJECTS)
        self.blank_until(end)

    def _large(self, start: int, end: int) -> None:
        tag, size = int(self._data[start]), self._id_size
        if tag == _OBJECT_ARRAY:
            self.add(start, end, Fate.COPY)
        elif tag == _PRIMITIVE_ARRAY:
            content, kind = start + 10 + size, int(self._data[start + 9 + size])
            number = int.from_bytes(bytes(self._data[start + 1 : start + 1 + size]), "big")
            fate = {5: Fate.WIDE_LETTERS, 8: Fate.LETTERS}.get(kind, Fate.BLANK)
            counted = kernel.BLANKED if fate is Fate.BLANK else kernel.REPLACED
            if number in self._bodies:
                fate, counted = Fate.BLANK, kernel.BODIES
            self.add(start, content, Fate.COPY)
            self.add(content, end, fate)
            self.counts[counted] += 1
        elif tag == _INSTANCE:
            # No class has so many fields.
            self.add(start, start + 9 + 2 * size, Fate.COPY)
            self.add(start + 9 + 2 * size, end, Fate.BLANK)
        else:
            self.add(start, end, Fate.OBJECTS)

"""The heap segments walked in slices: objects, roots and class dumps of the first dump in the file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.progress import Progress
from mqdiag.read.array_memory import ArrayMemory
from mqdiag.read.cores import LEAST_BYTES, pool, worker_count
from mqdiag.read.hprof.kernels import segment_walk as kernel
from mqdiag.read.hprof.kernels.number_table import fill_table
from mqdiag.read.hprof.kernels.step import CROSSES_END, UNKNOWN_TAG, readable_end
from mqdiag.read.hprof.number_table import empty_keys
from mqdiag.read.hprof.records import HEAP_DUMP, HEAP_DUMP_END, HEAP_DUMP_SEGMENT, Records
from mqdiag.text import Text, say

SLICE_BYTES = 16 << 20
"""bytes of segments that one thread takes at a time: enough to hide the hand-over, small enough to balance"""
_MOST_SLICE_BYTES = (1 << 32) - 1
"""from the start of a slice to its end: places in it take four bytes; only one heap record can be longer"""
_SMALL_NUMBERS = 1 << 16
"""number of classes in a slice up to which they take two bytes an object instead of four"""
_SLICE_OBJECTS = 1 << 21
"""places for the objects of a slice as it begins"""
_SHELF_OBJECTS = 1 << 22
"""objects of slices, one behind the other: 32 MiB of ids. Of a longer one much may stay untouched when another one is
begun, and later arrays, which take its place, have those pages to clear"""
_TABLE_BITS = 13
"""size of the table of classes as it begins, as a power of two"""

Segment = tuple[int, int]


class Damage(msgspec.Struct):
    """Where a segment could not be read on; a crafted file has one in every few bytes, so its words come later."""

    at: int
    end: int
    """end of the segment"""
    status: int
    """CROSSES_END or UNKNOWN_TAG"""
    tag: int

    @property
    def lost_bytes(self) -> int:
        """Bytes of the segment that were not read."""
        return self.end - self.at

    @property
    def problem(self) -> Text:
        """What is wrong there."""
        tag = f"0x{self.tag:02x}"
        if self.status == UNKNOWN_TAG:
            return say("no heap sub-record has the tag {tag} or this element type", tag=tag)
        return say(
            "a heap sub-record (tag {tag}) needs more than the {left} {left:byte|bytes} that its segment has left",
            tag=tag,
            left=self.lost_bytes,
        )


class Walked(msgspec.Struct):
    """What one slice holds, in file order.

    `offsets` count from `start`, int64 where one heap record is 4 GiB or longer. `classes` are local numbers: 0 to 7
    the primitive arrays of types 4 to 11, 8 the class id 0, from 9 on places in `known`. Without `store` only the
    counts are kept.
    """

    start: int
    ids: NDArray[np.uint64]
    offsets: NDArray[np.uint32] | NDArray[np.int64]
    classes: NDArray[np.uint16] | NDArray[np.int32]
    known: NDArray[np.uint64]
    counts: NDArray[np.int64]
    elements: NDArray[np.int64]
    root_types: NDArray[np.uint8]
    root_ids: NDArray[np.uint64]
    root_threads: NDArray[np.int64]
    root_frames: NDArray[np.int64]
    class_offsets: NDArray[np.int64]
    class_ends: NDArray[np.int64]
    damages: list[Damage] = msgspec.field(default_factory=list)


def heap_segments(records: Records) -> list[list[Segment]]:
    """(start, end) of the segments of each dump in the file; the hprof agent writes several.

    A dump is one HEAP_DUMP record or the segments up to HEAP_DUMP_END.
    """
    heap = np.flatnonzero(
        (records.tags == HEAP_DUMP) | (records.tags == HEAP_DUMP_SEGMENT) | (records.tags == HEAP_DUMP_END)
    )
    dumps: list[list[Segment]] = []
    is_open = False
    for i in heap.tolist():
        tag, start = int(records.tags[i]), int(records.offsets[i])
        if tag == HEAP_DUMP_END:
            is_open = False
            continue
        if tag == HEAP_DUMP or not is_open:
            dumps.append([])
        is_open = tag == HEAP_DUMP_SEGMENT
        dumps[-1].append((start, start + int(records.lengths[i])))
    # An empty record, which some writers leave behind, is no dump unless it is all there is.
    return [dump for dump in dumps if dump[-1][1] > dump[0][0]] or dumps[:1]


def walk_segments(
    data: NDArray[np.uint8],
    id_size: int,
    segments: list[Segment],
    *,
    store: bool,
    progress: Progress,
    room: ArrayMemory,
) -> list[Walked]:
    """Walk all segments, in parallel slices; the results stand in file order, the places of objects in `room`."""
    total = sum(end - start for start, end in segments) or 1
    done = 0
    walked = []
    own = threading.local()
    most = _most_objects(segments, id_size)
    if store:
        room.reserve(most)

    def walk(taken: list[Segment]) -> Walked:
        if store and not hasattr(own, "shelves"):
            own.shelves = Shelves(room, most)
        return walk_slice(data, id_size, taken, own.shelves if store else None)

    with pool(worker_count(), is_large=total >= LEAST_BYTES) as threads:
        slices = list(_slices(segments))
        for taken, part in zip(slices, threads.map(walk, slices), strict=True):
            walked.append(part)
            done += sum(end - start for start, end in taken)
            progress.advance(done / total)
    return walked


def _slices(segments: list[Segment]) -> Iterator[list[Segment]]:
    taken: list[Segment] = []
    size = 0
    for start, end in segments:
        if taken and end - taken[0][0] > _MOST_SLICE_BYTES:
            yield taken
            taken, size = [], 0
        taken.append((start, end))
        size += end - start
        if size >= SLICE_BYTES:
            yield taken
            taken, size = [], 0
    if taken:
        yield taken


def _most_objects(segments: list[Segment], id_size: int) -> int:
    smallest = 2 * id_size + 9  # an instance without fields
    return sum(end - start for start, end in segments) // smallest + 1


_Rows = TypeVar("_Rows", kernel.ObjectRows, kernel.RootRows, kernel.ClassDumps, kernel.ClassCounts)


class Shelves:
    """Where one thread puts what it finds of objects: slices stand one behind the other in a few large arrays.

    The system clears a page when it is first written to, and large pages take it far less time: an array of its own
    for each slice would mostly have small ones. What was never written to costs addresses but no memory.
    """

    def __init__(self, room: ArrayMemory, most: int) -> None:
        self._room, self._length = room, min(most, _SHELF_OBJECTS)
        self._free: dict[type, NDArray[Any]] = {}
        self._classes = np.empty(min(most, _SLICE_OBJECTS), np.int32)

    def rows(self, objects: int, is_long: bool) -> kernel.ObjectRows:
        """Arrays for at most so many objects of a slice, of undefined content; `offsets` int64 where asked for."""
        return kernel.ObjectRows(
            self._place(objects, np.uint64),
            np.empty(objects, np.int64) if is_long else self._place(objects, np.uint32),
            self._classes[:objects],
        )

    def keep(
        self, rows: kernel.ObjectRows, objects: int, known: int
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Ids, places and class numbers of a slice, to stay; a class number has two bytes where `known` allows it.

        Args:
            rows: what `rows` gave, or longer arrays.
            objects: how many were found.
            known: how many class numbers there are.
        """
        few = known <= _SMALL_NUMBERS
        classes = self._place(objects, np.uint16) if few else np.empty(objects, np.int32)
        classes[:] = rows.classes[:objects]
        return self._keep(rows.ids[:objects]), self._keep(rows.offsets[:objects]), self._keep(classes)

    def _place(self, count: int, dtype: type) -> NDArray[Any]:
        free = self._free.get(dtype)
        if free is None or free.size < count:
            free = self._free[dtype] = self._room.empty(
                max(count, self._length), dtype, at_end=dtype is np.uint64
            )
        return free[:count]

    def _keep(self, found: NDArray[Any]) -> NDArray[Any]:
        kept = self._room.keep(found)
        free = self._free.get(found.dtype.type)
        if kept is found and free is not None and np.may_share_memory(free, found):
            self._free[found.dtype.type] = free[found.size :]
        return kept


class _Buffers:
    """Output arrays of the kernel, grown when it says so."""

    def __init__(self, segments: list[Segment], id_size: int, shelves: Shelves | None) -> None:
        # Where objects are only counted nothing is written here, so that the kernel for int64 need not be compiled.
        self.objects = (
            kernel.ObjectRows(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.int32))
            if shelves is None
            else shelves.rows(
                min(_most_objects(segments, id_size), _SLICE_OBJECTS),
                segments[-1][1] - segments[0][0] > _MOST_SLICE_BYTES,
            )
        )
        roots = 1 << 12
        self.roots = kernel.RootRows(
            np.empty(roots, np.uint8),
            np.empty(roots, np.uint64),
            np.empty(roots, np.int64),
            np.empty(roots, np.int64),
        )
        self.dumps = kernel.ClassDumps(np.empty(1 << 10, np.int64), np.empty(1 << 10, np.int64))
        self.numbers = kernel.ClassNumbers(
            empty_keys(_TABLE_BITS), np.empty(1 << _TABLE_BITS, np.int32), np.empty(1 << 12, np.uint64)
        )
        self.met = kernel.ClassCounts(np.zeros(1 << 12, np.int64), np.zeros(1 << 12, np.int64))

    def grow(self, status: int, known: int) -> None:
        if status == kernel.FULL_OBJECTS:
            self.objects = _doubled(self.objects)
        elif status == kernel.FULL_ROOTS:
            self.roots = _doubled(self.roots)
        elif status == kernel.FULL_CLASSES:
            self.dumps = _doubled(self.dumps)
        else:
            self.met = _doubled(self.met)
            bits = self.numbers.values.size.bit_length()
            keys, values = empty_keys(bits), np.empty(1 << bits, np.int32)
            self.numbers = kernel.ClassNumbers(keys, values, _longer(self.numbers.known))
            fill_table(self.numbers.known[:known], kernel.FIRST_CLASS, keys, values)


def _doubled(rows: _Rows) -> _Rows:
    return rows._replace(**{name: _longer(column) for name, column in rows._asdict().items()})


def _longer(old: NDArray[Any]) -> NDArray[Any]:
    new = np.zeros(max(2 * old.size, 1024), old.dtype)
    new[: old.size] = old
    return new


def walk_slice(
    data: NDArray[np.uint8], id_size: int, segments: list[Segment], shelves: Shelves | None
) -> Walked:
    """Walk some neighbouring segments with one thread.

    Args:
        data: uint8, the file.
        id_size: 4 or 8.
        segments: where they begin and end, in file order.
        shelves: of the thread; None where objects are only counted.
    """
    buffers = _Buffers(segments, id_size, shelves)
    places = kernel.Segments(*np.array(segments, np.int64).reshape(-1, 2).T.copy())
    state = np.zeros(7, np.int64)
    state[kernel.KNOWN] = kernel.FIRST_CLASS
    state[kernel.POSITION] = state[kernel.ORIGIN] = segments[0][0]
    damages = []
    while True:
        status = kernel.walk_segments(
            data, places, id_size, shelves is not None, state, buffers.numbers, buffers.met, buffers.objects,
            buffers.roots, buffers.dumps,
        )  # fmt: skip
        if status == kernel.END:
            break
        if status in (UNKNOWN_TAG, CROSSES_END):
            at, segment = int(state[kernel.POSITION]), int(state[kernel.SEGMENT])
            damages.append(_damage(data, status, at, segments[segment][1]))
            if segment + 1 == len(segments):
                break
            state[kernel.SEGMENT] = segment + 1
            state[kernel.POSITION] = segments[segment + 1][0]
        else:
            buffers.grow(status, int(state[kernel.KNOWN]))
    objects, roots, dumps, known = (int(state[i]) for i in range(1, 5))
    ids, offsets, classes = (
        buffers.objects if shelves is None else shelves.keep(buffers.objects, objects, known)
    )
    return Walked(
        start=segments[0][0],
        ids=ids,
        offsets=offsets,
        classes=classes,
        known=buffers.numbers.known[:known].copy(),
        counts=buffers.met.counts[:known].copy(),
        elements=buffers.met.elements[:known].copy(),
        root_types=buffers.roots.types[:roots].copy(),
        root_ids=buffers.roots.ids[:roots].copy(),
        root_threads=buffers.roots.threads[:roots].copy(),
        root_frames=buffers.roots.frames[:roots].copy(),
        class_offsets=buffers.dumps.offsets[:dumps].copy(),
        class_ends=buffers.dumps.ends[:dumps].copy(),
        damages=damages,
    )


def first_damage(data: NDArray[np.uint8], id_size: int, start: int, end: int) -> Damage | None:
    """Where a segment cannot be read on, without what it holds; None where it can be read to its end."""
    stop = np.zeros(1, np.int64)
    status = int(readable_end(data, start, end, id_size, stop))
    return _damage(data, status, int(stop[0]), end) if status else None


def _damage(data: NDArray[np.uint8], status: int, at: int, end: int) -> Damage:
    return Damage(at, end, status, int(data[at]))

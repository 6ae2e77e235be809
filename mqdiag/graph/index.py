"""Objects in address order, and the look-up from an id to a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.graph.kernels import id_order as order_kernel
from mqdiag.graph.kernels import references as kernel
from mqdiag.read.array_memory import ArrayMemory
from mqdiag.read.cores import LEAST_OBJECTS, pool, worker_count
from mqdiag.read.hprof.distinct import is_among
from mqdiag.read.hprof.dump import Dump, ObjectPart
from mqdiag.read.hprof.records import big_endian
from mqdiag.text import say

Rows = NDArray[np.uint16] | NDArray[np.int32]
Offsets = NDArray[np.uint32] | NDArray[np.int64]

MAX_OBJECTS = (1 << 31) - 2
_SMALL_ROWS = 1 << 16
_SMALL_FILE = 1 << 32
_MIN_PAGES = 1 << 22
_PAGES_PER_OBJECT = 4
_SLOT_BYTES = 1 << 10
_FREE_BYTES = 64 << 20
_INDEX_SHARE = 4
"""divisor of the bytes of ids that limits the bytes of the index: pages with a single object each must not
cost a page's index each"""
_BATCH = 1 << 20
"""objects that a thread moves at a time"""
_MOST_RUNS = 1 << 16
"""beyond it the objects are in no order at all, and sorting them is cheaper than listing runs"""


class IdIndex(msgspec.Struct):
    """Id to position in constant time; see `kernels/references.py`.

    Ids that are spread too thinly for that, as damage and writers other than HotSpot may leave them, are searched
    for: `directory` is empty then and `words` are the ids.
    """

    base: np.uint64
    shift: int
    """trailing zero bits that all ids have: log2 of the object alignment"""
    directory: NDArray[np.int32]
    words: NDArray[np.uint64]

    @property
    def pages(self) -> kernel.Pages:
        """The same, as kernels take it."""
        return kernel.Pages(self.base, self.shift, self.directory, self.words)

    def find(self, ids: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Positions of ids; -1 for null and for ids that no object has."""
        found = np.empty(ids.size, np.int32)
        if ids.size:
            kernel.find_ids(ids, self.base, self.shift, self.directory, self.words, found)
        return found


class ObjectIndex(msgspec.Struct):
    """All objects, class objects included, by ascending id.

    `columns` has `offsets` uint32[n] of the sub-records, int64[n] in a file of 4 GiB or more, `rows` uint16[n] of their
    classes or, where a dump has more than 65,536 of these, int32[n] (two bytes an object count where there are tens of
    millions), and the arrays of the look-up, `directory` and `words`. It may read them when they are first asked for.
    """

    data: NDArray[np.uint8]
    id_size: int
    count: int
    """number of objects"""
    base: np.uint64
    shift: int
    columns: Mapping[str, NDArray[Any]]
    checked_at: Callable[[NDArray[np.int32] | NDArray[np.int64]], Offsets] | None = None
    """`offsets` with entries that are checked for some objects only; None where all are known to be right"""

    @property
    def offsets(self) -> Offsets:
        """Where the sub-records begin; for places computed from them see `places`."""
        return self.columns["offsets"]

    def offsets_at(self, nodes: NDArray[np.int32] | NDArray[np.int64]) -> Offsets:
        """`offsets`, of which only the entries of `nodes` may be used: few are looked at sooner than all of them."""
        return self.offsets if self.checked_at is None else self.checked_at(nodes)

    def places(self, nodes: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the sub-records of some objects begin, int64."""
        return self.offsets_at(nodes)[nodes].astype(np.int64)

    @property
    def rows(self) -> Rows:
        """Classes of the objects."""
        return self.columns["rows"]

    @property
    def lookup(self) -> IdIndex:
        """Id to position."""
        return IdIndex(self.base, self.shift, self.columns["directory"], self.columns["words"])

    def read_ids(self) -> NDArray[np.uint64]:
        """uint64[n], ascending: read from the file at each call, O(n), since few callers need all of them."""
        ids = np.empty(self.count, np.uint64)
        order_kernel.read_ids(self.data, self.id_size, self.offsets, ids)
        return ids

    def ids_of(self, nodes: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Ids of some objects: they stand behind the tag of the sub-record."""
        return big_endian(self.data, self.places(nodes) + 1, self.id_size)


def offset_type(dump: Dump) -> type[np.uint32] | type[np.int64]:
    """What holds a place in the file."""
    return np.uint32 if dump.source.data.size < _SMALL_FILE else np.int64


def build_index(dump: Dump, parts: list[ObjectPart]) -> tuple[ObjectIndex, NDArray[np.uint64]]:
    """Bring the objects into id order, with the class objects among them.

    Args:
        dump: the file but for its objects.
        parts: the objects in file order; their arrays are let go of as they are used.

    Returns:
        The index, and the ids of the objects, uint64[n or more], for those who need all of them now. What follows them
        is undefined.

    Raises:
        InputError: there are more objects than the graph holds.
    """
    _refuse_too_many(dump)
    total = sum(part.ids.size for part in parts)
    dumped = dump.classes.dumped
    most = total + dumped
    rows: Rows = dump.room.empty(most, np.uint16 if dump.classes.count <= _SMALL_ROWS else np.int32)
    offsets: Offsets = dump.room.empty(most, offset_type(dump))
    ids, used = _in_order(parts, most, offsets, rows, dump.room)
    order = np.argsort(dump.classes.ids[:dumped], kind="stable")
    class_ids, class_offsets = dump.classes.ids[:dumped][order], dump.classes.offsets[:dumped][order]
    # A writer other than HotSpot may dump the mirror as an instance too: the instance has the fields, keep it.
    there = is_among(class_ids, np.sort(ids[_near(ids[:used], class_ids)])) if used else np.zeros(dumped, bool)
    class_ids, class_offsets = class_ids[~there], class_offsets[~there]
    order_kernel.merge_behind(ids, offsets, rows, used, class_ids, class_offsets, dump.classes.class_row)
    count = used + class_ids.size
    lookup = _id_index(ids[:count], dump.room)
    index = ObjectIndex(
        data=dump.source.data,
        id_size=dump.header.id_size,
        count=count,
        base=lookup.base,
        shift=lookup.shift,
        columns={
            "offsets": offsets[:count],
            "rows": rows[:count],
            "directory": lookup.directory,
            "words": lookup.words,
        },
    )
    return index, ids


def _refuse_too_many(dump: Dump) -> None:
    count = int(dump.counts.sum()) + dump.classes.dumped
    if count > MAX_OBJECTS:
        raise InputError(
            dump.source.path,
            say(
                "{count:count} objects; the graph holds at most {most:count}",
                count=count,
                most=MAX_OBJECTS,
            ),
            hint=say(
                "--quick counts it; for a smaller dump: jcmd PID GC.heap_dump leaves out what is unreachable"
            ),
        )


def _in_order(
    parts: list[ObjectPart], most: int, offsets: Offsets, rows: Rows, room: ArrayMemory
) -> tuple[NDArray[np.uint64], int]:
    """Copy the objects into id order, one column after the other: ids, with room for `most`, and how many there are.

    A collector writes its regions in any order and each region upwards, so the file is made of ascending runs that
    do not overlap: whole runs are moved. Only where they do overlap is there a sort.
    """
    runs = _runs(parts)
    if runs is not None and all(before.highest < after.lowest for before, after in pairwise(runs)):
        return _moved(parts, runs, most, offsets, rows, room)
    all_ids = np.concatenate([part.ids for part in parts])
    for part in parts:
        part.ids = np.empty(0, np.uint64)
    order = np.argsort(all_ids, kind="stable")
    all_ids = all_ids[order]
    fresh = np.concatenate(([True], all_ids[1:] != all_ids[:-1]))
    order = order[fresh]
    count = order.size
    ids = room.empty(most, np.uint64, any_order=room.is_ample)
    ids[:count] = all_ids[fresh]
    offsets[:count] = np.concatenate([part.start + part.offsets.astype(np.int64) for part in parts])[order]
    for part in parts:
        part.offsets = np.empty(0, np.uint32)
    rows[:count] = np.concatenate([part.row_of[part.classes] for part in parts])[order]
    for part in parts:
        part.classes = np.empty(0, np.uint16)
    return ids, count


class _Run(NamedTuple):
    """Objects of one part whose ids ascend."""

    lowest: int
    highest: int
    """id"""
    part: int
    first: int
    last: int
    """behind the last object"""


def _runs(parts: list[ObjectPart]) -> list[_Run] | None:
    """The ascending runs of all parts by id; None where they are too many."""

    def firsts_of(part: ObjectPart) -> tuple[int, NDArray[np.int64]]:
        if not part.ids.size:
            return 0, np.empty(0, np.int64)
        firsts = np.empty(min(part.ids.size, _MOST_RUNS), np.int64)
        found = order_kernel.find_runs(part.ids, firsts)
        return found, firsts[:found].copy()

    objects = sum(part.ids.size for part in parts)
    with pool(worker_count(), is_large=objects >= LEAST_OBJECTS) as threads:
        found = list(threads.map(firsts_of, parts))
    if sum(count for count, _ in found) > _MOST_RUNS:
        return None
    runs: list[_Run] = []
    for at, (_, firsts) in enumerate(found):
        ids = parts[at].ids
        lasts = np.append(firsts[1:], ids.size)[: firsts.size]
        lowest, highest = ids[firsts].tolist(), ids[lasts - 1].tolist()
        runs += map(_Run, lowest, highest, [at] * firsts.size, firsts.tolist(), lasts.tolist())
    runs.sort()
    return runs


class _Piece(NamedTuple):
    """A run, or some of a long one, and where its first object goes."""

    part: int
    first: int
    last: int
    place: int


def _batches(runs: list[_Run]) -> Iterator[list[_Piece]]:
    """About `_BATCH` objects at a time."""
    place = 0
    batch: list[_Piece] = []
    size = 0
    for run in runs:
        for first in range(run.first, run.last, _BATCH):
            last = min(first + _BATCH, run.last)
            batch.append(_Piece(run.part, first, last, place))
            place += last - first
            size += last - first
            if size >= _BATCH:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _moved(
    parts: list[ObjectPart], runs: list[_Run], most: int, offsets: Offsets, rows: Rows, room: ArrayMemory
) -> tuple[NDArray[np.uint64], int]:
    """Move runs that do not overlap, a column at a time, so that what was moved need not be held any longer."""

    def move_rows(piece: _Piece) -> None:
        part = parts[piece.part]
        found = part.classes[piece.first : piece.last]
        order_kernel.rows_of_numbers(found, part.row_of, rows[piece.place : piece.place + found.size])

    def move_offsets(piece: _Piece) -> None:
        part = parts[piece.part]
        found = part.offsets[piece.first : piece.last]
        np.add(found, offsets.dtype.type(part.start), out=offsets[piece.place : piece.place + found.size])

    def move_ids(piece: _Piece) -> None:
        found = parts[piece.part].ids[piece.first : piece.last]
        ids[piece.place : piece.place + found.size] = found

    def move_all(move: Callable[[_Piece], None]) -> None:
        def take(batch: list[_Piece]) -> None:
            for piece in batch:
                move(piece)

        list(threads.map(take, batches))

    batches = list(_batches(runs))
    with pool(worker_count(), is_large=most >= LEAST_OBJECTS) as threads:
        move_all(move_rows)
        for part in parts:
            part.classes = np.empty(0, np.uint16)
        move_all(move_offsets)
        for part in parts:
            part.offsets = np.empty(0, np.uint32)
        # Its memory is that of the two others, which nobody needs any more.
        ids = room.empty(most, np.uint64, any_order=room.is_ample)
        move_all(move_ids)
        for part in parts:
            part.ids = np.empty(0, np.uint64)
    return ids, sum(run.last - run.first for run in runs)


def _near(ids: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.minimum(np.searchsorted(ids, wanted), ids.size - 1)


def _id_index(ids: NDArray[np.uint64], room: ArrayMemory) -> IdIndex:
    if ids.size == 0:
        return IdIndex(np.uint64(0), 3, np.full(1, -1, np.int32), np.zeros((1, 64, 2), np.uint64))
    base = ids[0]
    bits = int(np.bitwise_or.reduce(ids))
    shift = min((bits & -bits).bit_length() - 1, 8) if bits else 3
    pages = (int(ids[-1] - base) >> (shift + 12)) + 1
    if pages <= max(_MIN_PAGES, _PAGES_PER_OBJECT * ids.size):
        directory = np.full(pages, -1, np.int32)
        slots = kernel.count_pages(ids, base, shift, directory)
        if slots * _SLOT_BYTES <= _FREE_BYTES + _INDEX_SHARE * ids.nbytes:
            words = room.zeros(slots * 128, np.uint64, any_order=True).reshape(slots, 64, 2)
            parts = _by_pages(ids, base, shift + 12, worker_count())
            with pool(len(parts), is_large=ids.size >= LEAST_OBJECTS) as threads:
                list(threads.map(lambda part: kernel.fill_pages(part, base, shift, directory, words), parts))
            kernel.rank_pages(words)
            return IdIndex(base, shift, directory, words)
    return IdIndex(base, shift, np.empty(0, np.int32), ids.reshape(-1, 1, 1))


def _by_pages(ids: NDArray[np.uint64], base: np.uint64, page_bits: int, count: int) -> list[NDArray[np.uint64]]:
    """The ids in so many parts, each of which begins with a page: no two threads write to the same word then."""
    cuts = np.array([ids.size * i // count for i in range(1, count)], np.int64)
    bits = np.uint64(page_bits)
    begins = base + ((ids[cuts] - base) >> bits << bits)
    return np.split(ids, np.searchsorted(ids, begins))

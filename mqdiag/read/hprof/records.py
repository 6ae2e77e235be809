"""Top-level records: found once, kept as three arrays, decoded when asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.progress import Progress
from mqdiag.read.hprof.distinct import is_in
from mqdiag.read.hprof.header import Header
from mqdiag.read.hprof.kernels.record_list import CUT, DONE, FULL, RUNS_OUT, scan_records
from mqdiag.read.sniff import DUMP_MAGIC
from mqdiag.text import Text, say

UTF8 = 0x01
LOAD_CLASS = 0x02
UNLOAD_CLASS = 0x03
STACK_FRAME = 0x04
STACK_TRACE = 0x05
HEAP_DUMP = 0x0C
HEAP_DUMP_SEGMENT = 0x1C
HEAP_DUMP_END = 0x2C
KNOWN_TAGS = frozenset(
    (*range(0x01, 0x08), 0x0A, 0x0B, HEAP_DUMP, 0x0D, 0x0E, HEAP_DUMP_SEGMENT, HEAP_DUMP_END)
)
"""those of the hprof manual"""
ANOTHER_DUMP = say("another heap dump begins here: files were joined, and only the first one was read")
_UNCLOSED = say("the file ends without the record that closes a dump (tag 0x2c)")
_HEADER = 9
"""bytes of tag, time and length before a body"""
_BATCH = 512
"""records after which the progress is told; each may be far from the one before"""
_ZEROS_TO_STOP = 1 << 12
"""records of nothing but zeros, one after the other, behind which no data is expected any more"""


class Records(msgspec.Struct):
    """All top-level records in file order.

    `tags` uint8, `offsets` int64 (of the bodies), `lengths` int64; the last record is clipped to the file when it
    runs out, and `problem` and `stopped_at` say so.
    """

    tags: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    lengths: NDArray[np.int64]
    stopped_at: int | None
    problem: Text | None
    declared_end: int | None = None
    """where the file would end by the length of its one heap record, which it does not reach"""

    def of(self, tag: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Offsets and lengths of the records with a tag."""
        chosen = self.tags == tag
        return self.offsets[chosen], self.lengths[chosen]

    def of_dump(self, segments: list[tuple[int, int]], before: int) -> Records:
        """The records that say what one of several dumps of a file means.

        Those between the dump before it and its own end come first, and so go before earlier ones with the same ids.

        Args:
            segments: (start, end) of the dump's heap records.
            before: where the dump before it ends; 0 for the first.
        """
        own = np.flatnonzero((self.offsets >= before) & (self.offsets < segments[-1][1]))
        earlier = np.flatnonzero(
            (self.offsets < before) & ~is_in(self.tags, (HEAP_DUMP, HEAP_DUMP_SEGMENT, HEAP_DUMP_END))
        )
        chosen = np.concatenate((own, earlier))
        return Records(
            self.tags[chosen],
            self.offsets[chosen],
            self.lengths[chosen],
            self.stopped_at,
            self.problem,
            self.declared_end,
        )


def read_records(
    data: NDArray[np.uint8],
    header: Header,
    progress: Progress | None = None,
    true_end: Callable[[int, int], int] | None = None,
) -> Records:
    """List the top-level records; O(records), bodies are not touched.

    Args:
        data: the file.
        header: its header.
        progress: told after every few records.
        true_end: asked of each heap record, with its start and its declared end, where it ends.
    """
    capacity = 1 << 16
    tags = np.empty(capacity, np.uint8)
    offsets = np.empty(capacity, np.int64)
    lengths = np.empty(capacity, np.int64)
    position, count = header.size, 0
    while True:
        listed, room = count, min(count + _BATCH, capacity)
        status, position, count = scan_records(
            data, position, tags[:room], offsets[:room], lengths[:room], count
        )
        if true_end is not None:
            heap = listed + np.flatnonzero(is_in(tags[listed:count], (HEAP_DUMP, HEAP_DUMP_SEGMENT)))
            for number in heap.tolist():
                start = int(offsets[number])
                declared = min(start + int(lengths[number]), int(data.size))
                end = true_end(start, declared)
                if end != declared:
                    # What was listed behind it is wrong.
                    lengths[number], position, count, status = end - start, end, number + 1, FULL
                    break
        if progress is not None:
            progress.advance(position / data.size)
        if status == FULL and count < capacity:
            continue
        zeros = _zeros_at_end(tags[:count], lengths[:count])
        if status != FULL or zeros >= _ZEROS_TO_STOP:
            break
        capacity *= 4
        tags, offsets, lengths = (_grown(column, capacity) for column in (tags, offsets, lengths))
    count, stopped_at, problem, declared_end = _ending(
        data, tags[:count], offsets[:count], lengths[:count], status, int(position), zeros
    )
    return Records(
        tags[:count].copy(),
        offsets[:count].copy(),
        lengths[:count].copy(),
        stopped_at,
        problem,
        declared_end,
    )


def _ending(
    data: NDArray[np.uint8],
    tags: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    lengths: NDArray[np.int64],
    status: int,
    position: int,
    zeros: int,
) -> tuple[int, int | None, Text | None, int | None]:
    """How the list ends: (how many are records, `stopped_at`, `problem`, `declared_end`); clips the last length."""
    for number in np.flatnonzero(tags == DUMP_MAGIC[0]).tolist():
        start = int(offsets[number]) - _HEADER
        if data[start : start + len(DUMP_MAGIC)].tobytes() == DUMP_MAGIC:
            return number, start, ANOTHER_DUMP, None
    if zeros and (zeros >= _ZEROS_TO_STOP or status in (CUT, DONE)):
        # As records they would take more memory than the file has bytes.
        count = tags.size - zeros
        if count and tags[count - 1] == HEAP_DUMP_END:
            return count, None, None, None
        problem = say("only zero bytes follow: the file is longer than the data that was written into it")
        return count, int(offsets[count]) - _HEADER, problem, None
    if status == CUT:
        problem = say(
            "{left} {left:byte is|bytes are} left, too few for a record header of 9 bytes",
            left=int(data.size - position),
        )
        return tags.size, position, problem, None
    if status == RUNS_OUT:
        tag, length = int(tags[-1]), int(lengths[-1])
        left = int(data.size - offsets[-1])
        problem = say(
            "a record (tag {tag}) of {length} bytes begins here, {left} {left:is|are} left",
            tag=f"0x{tag:02x}",
            length=length,
            left=left,
        )
        lengths[-1] = left
        return tags.size, position, problem, int(offsets[-1]) + length if tag == HEAP_DUMP else None
    if _is_unpatched(data, tags, offsets, lengths):
        problem = say("the heap record has no length: its writer died before it knew it")
        return tags.size, int(data.size), problem, None
    return tags.size, *((int(data.size), _UNCLOSED) if _is_unclosed(tags) else (None, None)), None


def _grown(column: NDArray[Any], capacity: int) -> NDArray[Any]:
    larger = np.empty(capacity, column.dtype)
    larger[: column.size] = column
    return larger


def _zeros_at_end(tags: NDArray[np.uint8], lengths: NDArray[np.int64]) -> int:
    """How many of the last records have neither a tag nor a body, as zero bytes look."""
    others = np.flatnonzero((tags != 0) | (lengths != 0))
    return int(tags.size - 1 - others[-1]) if others.size else int(tags.size)


def _is_unclosed(tags: NDArray[np.uint8]) -> bool:
    return bool(HEAP_DUMP_SEGMENT in tags and HEAP_DUMP_END not in tags)


def _is_unpatched(
    data: NDArray[np.uint8], tags: NDArray[np.uint8], offsets: NDArray[np.int64], lengths: NDArray[np.int64]
) -> bool:
    """Whether the last record is a heap record of which the scan had to guess the length (not one that wrapped)."""
    if not tags.size or tags[-1] not in (HEAP_DUMP, HEAP_DUMP_SEGMENT) or lengths[-1] % (1 << 32) == 0:
        return False
    at = int(offsets[-1])
    return not data[at - 4 : at].any()


def big_endian(data: NDArray[np.uint8], at: NDArray[np.int64], width: int) -> NDArray[np.uint64]:
    """Unsigned big-endian numbers of `width` bytes at many places: int64[k] to uint64[k]."""
    if data.size < width:
        return np.zeros(at.size, np.uint64)
    # A view in which the number at any byte can be picked whole: it overlaps itself and is only read.
    numbers = np.ndarray((data.size - width + 1,), f">u{width}", buffer=data, strides=(1,))
    return numbers[at].astype(np.uint64)


def spliced_at(data: NDArray[np.uint8], records: Records, id_size: int) -> int | None:
    """Where a class begins whose serial number another class has; None where each has its own.

    A JVM numbers its classes once (hprof manual, "LOAD CLASS"). Where one number stands for two classes, two processes
    wrote the file, and no object of it is surely of either.

    Args:
        data: the file.
        records: all of its records.
        id_size: 4 or 8.

    Returns:
        The first byte of the LOAD_CLASS record that comes second in the file.
    """
    offsets, lengths = records.of(LOAD_CLASS)
    offsets = offsets[lengths >= 8 + 2 * id_size]
    if offsets.size < 2 or (records.tags == UNLOAD_CLASS).any():
        return None  # the agent gives the number of an unloaded class to another one
    serials, ids = big_endian(data, offsets, 4), big_endian(data, offsets + 4, id_size)
    order = np.lexsort((offsets, serials))
    same = serials[order[1:]] == serials[order[:-1]]
    other = same & (ids[order[1:]] != ids[order[:-1]])
    return int(offsets[order[1:]][other].min()) - 9 if other.any() else None

"""A packed dump of which only counts are wanted: objects are counted while it is inflated, on another core.

Of what is inflated only the bytes outside the objects are kept: records of names, classes and stacks. They stand at
their places in a nameless file in memory that has holes where the objects were. So all other readers take it for the
dump. A dump that is odd in any way is read like any other, all of it inflated, so that it gets the same report.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.progress import Progress
from mqdiag.read.available_memory import available_bytes
from mqdiag.read.hprof.distinct import is_in
from mqdiag.read.hprof.header import Header, parse_header
from mqdiag.read.hprof.kernels.record_list import scan_records
from mqdiag.read.hprof.kernels.step import CROSSES_END
from mqdiag.read.hprof.records import HEAP_DUMP, HEAP_DUMP_SEGMENT
from mqdiag.read.hprof.types import BOOLEAN, WIDTHS
from mqdiag.read.hprof.walk import Segment, Walked, walk_slice
from mqdiag.read.mapped_ahead import FileState
from mqdiag.read.mapping import refuse_changed
from mqdiag.read.open.dump import fill, is_of_members
from mqdiag.read.open.limits import TooMuchError
from mqdiag.read.open.squeezed import unpacked_head
from mqdiag.read.sniff import DUMP_MAGIC, PACKING_NAMES, packing_of
from mqdiag.read.source import Source, check_readable
from mqdiag.text import say

_JOINED_BYTES = 64 << 10
"""bytes of a piece that are joined with what the one before it left: enough for all but large arrays"""
_MOST_LEFT_BYTES = 16 << 20
"""bytes of a record or an object that goes on in the next piece; arrays are counted by their first bytes"""
_MOST_KEPT_BYTES = 512 << 20
"""outside the objects, where so much memory is available"""
_SHARE_KEPT = 4
"""at most one part in so many of the available memory is used for it: `fill` has a large share of its own"""
_HEAD_BYTES = 1 << 10
"""in which the header of a dump stands"""
_RECORDS = 1 << 12
"""listed at once"""
_REFERENCE_ARRAY, _PRIMITIVE_ARRAY = 0x22, 0x23


class Counted(msgspec.Struct):
    """A dump that was counted while it was inflated."""

    source: Source
    """its data has zeros in the place of objects"""
    segments: list[Segment]
    walked: list[Walked]
    """what the segments hold, by pieces in the order of the file"""


class _OddError(Exception):
    """The dump is to be read like any other."""


def count_while_inflating(
    path: str, progress: Progress, max_inflated: int | None, prepare: Callable[[], None]
) -> Counted | None:
    """Count the objects of a squeezed file; None if its blocks inflate side by side, or if it is odd in any way.

    Args:
        path: the file.
        progress: told of the share done.
        max_inflated: bytes to which it may inflate; see `open.dump.inflate`.
        prepare: called before the kernels are used.

    Raises:
        InputError: it changed while it was read, or the progress ends the run.
    """
    size = check_readable(path)
    state = FileState.of(path)
    with open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
    packing = packing_of(head)
    if packing is None or is_of_members(head) or not unpacked_head(head).startswith(DUMP_MAGIC):
        return None
    prepare()
    counter = None
    try:
        counter = _Counter(path)
        progress.phase(say("inflating"))
        if fill(counter, path, progress, max_inflated) is not None:
            return None
        data = counter.finished()
    except (_OddError, TooMuchError):
        return None
    finally:
        if counter is not None:
            counter.close()
    refuse_changed(path, state)
    source = Source(path, data, size, PACKING_NAMES[packing], modified_ns=state.modified_ns)
    return Counted(source, counter.segments, counter.walked)


class _Counter:
    """Takes a dump piece by piece.

    Raises:
        _OddError: from any method.
    """

    def __init__(self, path: str) -> None:
        self.segments: list[Segment] = []
        self.walked: list[Walked] = []
        self._path = path
        try:
            self._file = os.memfd_create("mqdiag")
        except OSError:
            raise _OddError from None
        available = available_bytes()
        self._most_kept = (
            _MOST_KEPT_BYTES if available is None else min(_MOST_KEPT_BYTES, available // _SHARE_KEPT)
        )
        self._kept = 0
        self._header: Header | None = None
        self._size = 0
        """bytes of the dump that have come"""
        self._at = 0
        """up to there everything is counted or kept; beyond `_size` inside a large array"""
        self._left = np.empty(0, np.uint8)
        """the bytes from `_at` to `_size`"""
        self._segment_end = 0
        """end of the heap record that `_at` is in; not above `_at` between records"""
        self._tags = np.empty(_RECORDS, np.uint8)
        self._offsets = np.empty(_RECORDS, np.int64)
        self._lengths = np.empty(_RECORDS, np.int64)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def expect(self, size: int) -> None:
        """Nothing depends on how much is to come."""

    def write(self, piece: bytes) -> None:
        """Take the next bytes."""
        begin, self._size = self._size, self._size + len(piece)
        fresh = np.frombuffer(piece, np.uint8)
        if self._at < begin and fresh.size:
            self._take_across(fresh, begin)
        if self._at >= begin:
            self._take(fresh, begin)
            self._left = fresh[self._at - begin :].copy()
        if self._left.size > _MOST_LEFT_BYTES:
            raise _OddError

    def finished(self) -> NDArray[np.uint8]:
        """The dump with holes in the place of objects."""
        if self._header is None or self._at != self._size or self._segment_end > self._at:
            raise _OddError
        try:
            os.ftruncate(self._file, self._size)
            mapped = mmap.mmap(self._file, self._size, prot=mmap.PROT_READ)
        except OSError:
            raise _OddError from None
        return np.frombuffer(mapped, np.uint8)

    def _take_across(self, fresh: NDArray[np.uint8], begin: int) -> None:
        """Take what began before a piece, with as much of the piece as it needs; all that there is stays left."""
        more = _JOINED_BYTES
        while self._at < begin:
            joined = np.concatenate((self._left, fresh[:more]))
            joined.flags.writeable = False
            before = self._at
            self._take(joined, before)
            self._left = joined[self._at - before :]
            if more >= fresh.size:
                return
            if self._at < begin:
                self._left = self._left[: begin - self._at]
                more *= 8

    def _take(self, window: NDArray[np.uint8], base: int) -> None:
        """Take what some bytes hold, as far as it is whole.

        Args:
            window: uint8[], read-only.
            base: where in the dump they begin.
        """
        end = base + window.size
        if self._header is None:
            if window.size < _HEAD_BYTES:
                return
            try:
                self._header = parse_header(self._path, window)
            except InputError:
                raise _OddError from None
            self._at = self._header.size
            self._keep(window, base, 0, self._at)
        while self._at < end:
            before = self._at
            if before < self._segment_end:
                self._walk_part(window, base)
            else:
                self._list(window, base)
            if self._at == before:
                return

    def _list(self, window: NDArray[np.uint8], base: int) -> None:
        """Take the records that begin in the window; of the last one that goes on behind it, nothing."""
        begin = self._at - base
        _, _, count = scan_records(window, begin, self._tags, self._offsets, self._lengths, 0)
        tags, bodies = self._tags[:count], self._offsets[:count]
        ends = bodies + self._lengths[:count]
        whole: list[Segment] = []
        for number in np.flatnonzero(is_in(tags, (HEAP_DUMP, HEAP_DUMP_SEGMENT))).tolist():
            body, end = int(bodies[number]), int(ends[number])
            if not window[body - 4 : body].any():
                raise _OddError  # its writer died before it knew the length, or it holds nothing
            self._keep(window, base, begin, body)
            segment = (base + body, base + end)
            self.segments.append(segment)
            begin = end
            if end <= window.size:
                whole.append(segment)
            else:
                self._at, self._segment_end = segment
        if whole and self._walk(window, base, whole) is not None:
            raise _OddError
        if begin <= window.size:
            # no heap record is open
            inside = ends <= window.size
            end = int(ends[inside][-1]) if inside.any() else begin
            self._keep(window, base, begin, end)
            self._at = base + end

    def _walk(self, window: NDArray[np.uint8], base: int, segments: list[Segment]) -> int | None:
        """Count what parts of segments hold; gives the place in the window where the last one could not go on."""
        assert self._header is not None
        relative = [(start - base, end - base) for start, end in segments]
        walked = walk_slice(window, self._header.id_size, relative, None)
        for start, end in _joined(walked.class_offsets, walked.class_ends):
            self._keep(window, base, start, end)
        walked.start += base
        walked.class_offsets += base
        walked.class_ends += base
        self.walked.append(walked)
        if not walked.damages:
            return None
        damage = walked.damages.pop()
        if walked.damages or damage.status != CROSSES_END:
            raise _OddError
        return damage.at

    def _walk_part(self, window: NDArray[np.uint8], base: int) -> None:
        """Go on in the heap record that is open."""
        end = min(self._segment_end, base + window.size)
        stop = self._walk(window, base, [(self._at, end)])
        if stop is None:
            self._at = end
            return
        if end == self._segment_end:
            raise _OddError
        self._at = base + stop + self._array_bytes(window, stop)
        if self._at > self._segment_end:
            raise _OddError

    def _array_bytes(self, window: NDArray[np.uint8], at: int) -> int:
        """Count an array that goes on behind the window: its bytes; 0 for anything else."""
        assert self._header is not None
        id_size, walked = self._header.id_size, self.walked[-1]
        is_primitive = window[at] == _PRIMITIVE_ARRAY
        head = window[at : at + id_size + 9 + (1 if is_primitive else id_size)].tobytes()
        if at + len(head) >= window.size or not (is_primitive or head[0] == _REFERENCE_ARRAY):
            return 0
        elements = int.from_bytes(head[id_size + 5 : id_size + 9], "big")
        kind = int.from_bytes(head[id_size + 9 :], "big")
        if is_primitive:
            walked.counts[kind - BOOLEAN] += 1
            walked.elements[kind - BOOLEAN] += elements
            return len(head) + elements * WIDTHS[kind]
        if not kind:
            raise _OddError  # an array without a class
        walked.known = np.append(walked.known, np.uint64(kind))
        walked.counts = np.append(walked.counts, 1)
        walked.elements = np.append(walked.elements, elements)
        return len(head) + elements * id_size

    def _keep(self, window: NDArray[np.uint8], base: int, begin: int, end: int) -> None:
        """Keep bytes of a window at their place in the dump."""
        self._kept += end - begin
        if self._kept > self._most_kept:
            raise _OddError
        done = begin
        try:
            while done < end:
                done += os.pwrite(self._file, window[done:end].data, base + done)
        except OSError:
            raise _OddError from None


def _joined(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[Segment]:
    """Ranges, neighbours joined."""
    if not starts.size:
        return []
    apart = np.flatnonzero(starts[1:] != ends[:-1])
    firsts, lasts = np.append(0, apart + 1), np.append(apart, ends.size - 1)
    return list(zip(starts[firsts].tolist(), ends[lasts].tolist(), strict=True))

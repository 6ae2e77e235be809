"""Memory that large arrays take one after the other.

The system clears each page that it hands out, and on a virtual machine the host may have to back it first: on the
machine of docs/performance.md a fresh byte took twenty times as long as one that is written to again. The large arrays
of a graph live for a phase each, so most of them fit where an earlier one has been.
"""

from __future__ import annotations

import mmap
import resource
import sys
import threading
import weakref
from bisect import bisect
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MAP_NORESERVE = 0x4000
"""flag of mmap(2) on Linux: addresses alone take no memory, nor a part of what the system promises"""
_OVERCOMMIT = Path("/proc/sys/vm/overcommit_memory")
_NEVER = "2"
"""in it: the system promises no more than it has, and heeds no MAP_NORESERVE (proc(5))"""


class ReusedMemory:
    """A range of addresses; arrays leave their places in it when nothing refers to them any more.

    An array takes the lowest place that was left and is long enough, or else a new one at the low end.

    Args:
        size_bytes: of the range, made whole pages. What no array has touched takes no memory.

    Raises:
        OSError: the system has no such range.
    """

    def __init__(self, size_bytes: int) -> None:
        size_bytes = _whole_pages(size_bytes)
        self._mapped = mmap.mmap(-1, size_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE)
        with suppress(OSError):  # of a kernel without large pages
            self._mapped.madvise(mmap.MADV_HUGEPAGE)
        self._free: list[tuple[int, int]] = []
        """(begin, end) of places that were left, ascending; two of them never touch"""
        self._new = (0, size_bytes)
        """(begin, end) of the part that no array has had"""
        self._taken: dict[int, weakref.ref[NDArray[Any]]] = {}
        """arrays by the begin of their places"""
        self._left = _Left(self._mapped)
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def peak_bytes(self) -> int:
        """Bytes of the places that arrays have had so far; no more than this was touched."""
        begin, end = self._new
        return len(self._mapped) - (end - begin)

    def empty(self, count: int, dtype: type, *, at_end: bool = False) -> tuple[NDArray[Any], bool] | None:
        """An array of undefined content and whether it is all zeros; None where no place is left.

        Args:
            count: elements, at least one.
            dtype: their type.
            at_end: a new place is taken at the high end, so that it parts no others.
        """
        size = _whole_pages(count * np.dtype(dtype).itemsize)
        with self._lock:
            self._sweep()
            found = None if self._is_closed else self._left_place(size) or self._new_place(size, at_end)
            if found is None:
                return None
            begin, is_clear = found
            array: NDArray[Any] = np.frombuffer(self._mapped, dtype, count, begin)
            # Without this object, which would then live until the next collection of garbage.
            leave, end = self._left.add, begin + size
            self._taken[begin] = weakref.ref(array, lambda _: leave(begin, end))
        return array, is_clear

    def close(self) -> None:
        """Hand out nothing more, and give what is free to the system, now and whenever an array leaves."""
        with self._lock:
            self._is_closed = self._left.is_given_back = True
            self._sweep()
            for begin, end in self._free:
                _give_back(self._mapped, begin, end)

    def _left_place(self, size: int) -> tuple[int, bool] | None:
        for at, (begin, end) in enumerate(self._free):
            if end - begin >= size:
                self._free[at : at + 1] = [(begin + size, end)] if begin + size < end else []
                return begin, False
        return None

    def _new_place(self, size: int, at_end: bool) -> tuple[int, bool] | None:
        begin, end = self._new
        if end - begin < size:
            return None
        if at_end:
            self._new = begin, end - size
            return end - size, True
        is_clear = True
        before = bisect(self._free, (begin, begin)) - 1
        if before >= 0 and self._free[before][1] == begin:  # what was left before it goes with it
            begin, is_clear = self._free.pop(before)[0], False
        self._new = begin + size, end
        return begin, is_clear

    def _sweep(self) -> None:
        """Bring what arrays have left into the list of places, and make places that touch one."""
        while self._left.places:
            begin, end = self._left.places.popleft()
            del self._taken[begin]
            first = last = bisect(self._free, (begin, end))
            if last < len(self._free) and self._free[last][0] == end:
                end = self._free[last][1]
                last += 1
            if first and self._free[first - 1][1] == begin:
                first -= 1
                begin = self._free[first][0]
            self._free[first:last] = [(begin, end)]


class _Left:
    """What arrays have left since places were last joined; a collection of garbage adds to it at any moment."""

    def __init__(self, mapped: mmap.mmap) -> None:
        self._mapped = mapped
        self.places: deque[tuple[int, int]] = deque()
        """(begin, end)"""
        self.is_given_back = False
        """whether the system gets a place at once"""

    def add(self, begin: int, end: int) -> None:
        """An array is gone."""
        self.places.append((begin, end))
        if self.is_given_back:
            _give_back(self._mapped, begin, end)


def _give_back(mapped: mmap.mmap, begin: int, end: int) -> None:
    mapped.madvise(mmap.MADV_DONTNEED, begin, end - begin)


def _whole_pages(size_bytes: int) -> int:
    return -(-size_bytes // mmap.PAGESIZE) * mmap.PAGESIZE


def reused_memory(size_bytes: int) -> ReusedMemory | None:
    """Such memory; None where a range of addresses counts as memory, or the system has none."""
    limits = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    if sys.platform != "linux" or any(
        resource.getrlimit(limit)[0] != resource.RLIM_INFINITY for limit in limits
    ):
        return None
    try:
        return None if _OVERCOMMIT.read_text().strip() == _NEVER else ReusedMemory(size_bytes)
    except OSError:
        return None
